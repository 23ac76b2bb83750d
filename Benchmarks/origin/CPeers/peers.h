#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Strings one after the other in one buffer, a NUL behind each: number i is the bytes from
/// offsets[i] up to offsets[i + 1] - 1.
typedef struct {
    const uint8_t *bytes;
    const size_t *offsets;
    size_t count;
} string_list;

/// Each goes over a list once and returns how many strings it accepted.
size_t peer_ada_origin(string_list urls);
size_t peer_ada_can_parse(string_list urls);
size_t peer_curl(string_list urls);
size_t peer_glib(string_list urls);
size_t peer_icu(string_list hosts);

/// What a scan costs that stops at the end of the authority, compares with `origin` and gives up
/// on everything that is not a plain http(s) URL in lower case. It decides nothing rightly.
size_t peer_floor(string_list urls, const char *origin);

/// ada's origin of the URL, or `failure`, written to `text`; the length, which may be larger.
size_t peer_ada_origin_of(const uint8_t *url, size_t length, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif
