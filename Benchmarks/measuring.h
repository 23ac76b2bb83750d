/* What programs that measure have in common. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check(int result, const char *what) {
    if (result >= 0)
        return;
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(-result));
    exit(1);
}

static double microseconds(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b) {
    double left = *(const double *) a, right = *(const double *) b;

    return (left > right) - (left < right);
}
