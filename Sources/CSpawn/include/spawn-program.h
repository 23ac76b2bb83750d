#pragma once

#include <sys/types.h>

/* Runs the program at an absolute path as a child in a session of its own, with no blocked signals,
 * default signal dispositions, no standard input and no other descriptors of ours than standard output
 * and error. `directory` may be NULL.
 * Returns 0, or the errno of what failed, the exec included. posix_spawn(3) */
int spawn_program(
    pid_t *ret_pid, const char *program, char *const arguments[], char *const environment[],
    const char *directory);

/* Makes this process the parent of its descendants whose own parents end. Returns 0, or -1 with errno
 * set. PR_SET_CHILD_SUBREAPER in prctl(2) */
int adopt_orphans(void);
