#pragma once

#include <stdbool.h>
#include <stdint.h>

/// A longer name, in bytes, is not valid here: ICU takes seconds for megabytes.
#define CICU_LONGEST_NAME 4096

/// The UTS 46 ToASCII of `name`, as the URL Standard's "domain to ASCII" asks for it with
/// beStrict = false. Writes at most `capacity` UTF-16 code units and returns the length of the
/// result, which may be larger: then nothing useful was written and the call is to be repeated with
/// as much room. Returns -1 if the name is not valid, as one is not that is no well-formed UTF-8.
/// Says also whether U+1E9E was in the name. The result still has to be checked for forbidden code
/// points. Safe to call from any thread.
int32_t cicu_domain_to_ascii(
    const uint8_t *name, int32_t length, uint16_t *ascii, int32_t capacity, bool *has_sharp_s);
