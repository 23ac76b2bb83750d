#pragma once

#include <stdint.h>

/// The UTS 46 ToASCII of `name`, as the URL Standard's "domain to ASCII" asks for it with
/// beStrict = false. Writes at most `capacity` bytes and returns the length of the result, which
/// may be larger: then nothing useful was written and the call is to be repeated with as much
/// room. Returns -1 if the name is not valid. The result still has to be checked for forbidden
/// code points. Safe to call from any thread.
int32_t cicu_domain_to_ascii(const char *name, int32_t length, char *ascii, int32_t capacity);
