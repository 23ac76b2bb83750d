#include "cicu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <unicode/uidna.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

typedef UIDNA *open_function(uint32_t options, UErrorCode *error);
typedef int32_t to_ascii_function(
    const UIDNA *idna, const UChar *name, int32_t length, UChar *ascii, int32_t capacity,
    UIDNAInfo *info, UErrorCode *error);

static UIDNA *idna;
static to_ascii_function *to_ascii;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The library and its symbols have the version in their names, and a newer system than the one that
 * this was built on has a newer ICU. The functions are the same since the first of these versions,
 * and the newest is what an engine on the same machine uses. */
enum { OLDEST_VERSION = 50, NEWEST_VERSION = U_ICU_VERSION_MAJOR_NUM + 28 };

static void *function_of(void *library, const char *name, int version) {
    char symbol[32];
    snprintf(symbol, sizeof symbol, "%s_%d", name, version);
    return dlsym(library, symbol);
}

/* Few links have a host that is not ASCII, and loading ICU, its data and a C++ library takes as long
 * as the rest of a start: it is loaded for the first of them. */
static void open_idna(void) {
    void *library = NULL;
    int version = NEWEST_VERSION + 1;
    while (library == NULL && version-- > OLDEST_VERSION) {
        char name[32];
        snprintf(name, sizeof name, "libicuuc.so.%d", version);
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (library == NULL)
        return;
    open_function *open_uts46 =
        (open_function *)function_of(library, "uidna_openUTS46", version);
    to_ascii = (to_ascii_function *)function_of(library, "uidna_nameToASCII", version);
    if (open_uts46 == NULL || to_ascii == NULL)
        return;
    UErrorCode error = U_ZERO_ERROR;
    UIDNA *opened = open_uts46(
        UIDNA_CHECK_BIDI | UIDNA_CHECK_CONTEXTJ | UIDNA_NONTRANSITIONAL_TO_ASCII
            | UIDNA_NONTRANSITIONAL_TO_UNICODE,
        &error);
    if (U_SUCCESS(error))
        idna = opened;
}

/* CheckHyphens and VerifyDnsLength are false in the URL Standard; ICU has no option for either. */
static const uint32_t ignored_errors =
    UIDNA_ERROR_LEADING_HYPHEN | UIDNA_ERROR_TRAILING_HYPHEN | UIDNA_ERROR_HYPHEN_3_4
    | UIDNA_ERROR_EMPTY_LABEL | UIDNA_ERROR_LABEL_TOO_LONG | UIDNA_ERROR_DOMAIN_NAME_TOO_LONG;

int32_t cicu_domain_to_ascii(
    const uint8_t *name, int32_t length, uint16_t *ascii, int32_t capacity, bool *has_sharp_s) {
    pthread_once(&once, open_idna);
    if (idna == NULL || length > CICU_LONGEST_NAME)
        return -1;

    /* ICU's own way from UTF-8 and back takes a fifth of the time of all that it does. */
    UChar text[CICU_LONGEST_NAME];
    int32_t units = 0;
    *has_sharp_s = false;
    for (int32_t index = 0; index < length;) {
        UChar32 character;
        U8_NEXT(name, index, length, character);
        if (character < 0)
            return -1;
        if (character == 0x1E9E)
            *has_sharp_s = true;
        U16_APPEND_UNSAFE(text, units, character);
    }

    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    UErrorCode error = U_ZERO_ERROR;
    int32_t result = to_ascii(idna, text, units, ascii, capacity, &info, &error);
    if (U_FAILURE(error) && error != U_BUFFER_OVERFLOW_ERROR)
        return -1;
    if ((info.errors & ~ignored_errors) != 0)
        return -1;
    return result;
}
