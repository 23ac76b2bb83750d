#include "cicu.h"

#include <pthread.h>
#include <stddef.h>
#include <unicode/uidna.h>

static UIDNA *idna;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_idna(void) {
    UErrorCode error = U_ZERO_ERROR;
    UIDNA *opened = uidna_openUTS46(
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

int32_t cicu_domain_to_ascii(const char *name, int32_t length, char *ascii, int32_t capacity) {
    pthread_once(&once, open_idna);
    if (idna == NULL)
        return -1;

    UIDNAInfo info = UIDNA_INFO_INITIALIZER;
    UErrorCode error = U_ZERO_ERROR;
    int32_t result =
        uidna_nameToASCII_UTF8(idna, name, length, ascii, capacity, &info, &error);
    if (U_FAILURE(error) && error != U_BUFFER_OVERFLOW_ERROR)
        return -1;
    if ((info.errors & ~ignored_errors) != 0)
        return -1;
    return result;
}
