#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* C because Swift's SIMD types have no way from a comparison to an integer of its bits. */

/* A bit for each of 32 bytes, the first byte's the lowest; 0 behind the end. */
struct byte_scan_window {
    /* Letters, digits, dots and hyphens. */
    uint32_t name;
    /* No letter, behind a dot or a slash. */
    uint32_t odd;
};

/* How many bytes there must be to look at. */
#define BYTE_SCAN_LEAST 17

typedef uint8_t byte_scan_vector __attribute__((ext_vector_type(16)));

static inline byte_scan_vector byte_scan_load(const uint8_t *bytes) {
    byte_scan_vector v;
    memcpy(&v, bytes, sizeof v);
    return v;
}

static inline uint32_t byte_scan_bits(byte_scan_vector condition) {
    typedef bool bits __attribute__((ext_vector_type(16)));
    bits packed = __builtin_convertvector(condition, bits);
    uint16_t result;
    memcpy(&result, &packed, sizeof result);
    return result;
}

static inline byte_scan_vector byte_scan_letters(byte_scan_vector v) {
    return (byte_scan_vector)(((v | 0x20) - 'a') < 26);
}

static inline byte_scan_vector byte_scan_names(byte_scan_vector v) {
    byte_scan_vector hyphen_to_nine = (byte_scan_vector)((v - '-') < '9' - '-' + 1);
    return byte_scan_letters(v) | (hyphen_to_nine & ~(byte_scan_vector)(v == '/'));
}

/* The 16 bytes from `start`, which may lie up to 15 behind the end. */
static inline struct byte_scan_window byte_scan_half(
    const uint8_t *bytes, size_t count, size_t start) {
    /* No byte behind the end is read; those before the start are shifted out. */
    size_t from = start < count - 16 ? start : count - 16;
    size_t surplus = start - from;
    byte_scan_vector v = byte_scan_load(bytes + from);
    byte_scan_vector before = byte_scan_load(bytes + from - 1);
    byte_scan_vector begins = (byte_scan_vector)((before | 1) == '/');
    return (struct byte_scan_window){
        byte_scan_bits(byte_scan_names(v)) >> surplus,
        byte_scan_bits(begins & ~byte_scan_letters(v)) >> surplus,
    };
}

/* The 32 bytes from `start`, which is not 0 and lies within the `count` bytes. */
static inline struct byte_scan_window byte_scan(
    const uint8_t *bytes, size_t count, size_t start) {
    struct byte_scan_window low = byte_scan_half(bytes, count, start);
    struct byte_scan_window high = byte_scan_half(bytes, count, start + 16);
    return (struct byte_scan_window){low.name | high.name << 16, low.odd | high.odd << 16};
}

/* What there is among some bytes. */
struct byte_scan_summary {
    bool tab_or_newline;
    bool percent;
    bool non_ascii;
    /* Anything but letters, digits, dots and hyphens. */
    bool no_name;
};

static inline struct byte_scan_summary byte_scan_summarize(const uint8_t *bytes, size_t count) {
    byte_scan_vector blanks = 0, percents = 0, all = 0, others = 0;
    for (size_t at = 0; at < count; at += 16) {
        byte_scan_vector v = 'a';
        if (count < 16)
            memcpy(&v, bytes, count);
        else
            v = byte_scan_load(bytes + (at < count - 16 ? at : count - 16));
        blanks |= (byte_scan_vector)(v == '\t') | (byte_scan_vector)(v == '\n')
            | (byte_scan_vector)(v == '\r');
        percents |= (byte_scan_vector)(v == '%');
        all |= v;
        others |= ~byte_scan_names(v);
    }
    return (struct byte_scan_summary){
        byte_scan_bits(blanks) != 0,
        byte_scan_bits(percents) != 0,
        byte_scan_bits((byte_scan_vector)(all >= 0x80)) != 0,
        byte_scan_bits(others) != 0,
    };
}
