/* SPDX-License-Identifier: MIT */
/*
 * Prefork, as in php-fpm, gunicorn or puma: the parent opens the generator, its
 * children take from it.  They go on sharing it, and nobody repeats anybody; each
 * process closes its own copy.  Nothing is to be called before or after fork().
 */
#include <frazil.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 4
#define IDS 1000

/* A line at a time: what is left in a buffer would mix with the lines of others. */
static int serve(frazil *gen)
{
    uint64_t id;

    for (int i = 0; i < IDS; i++) {
        if (frazil_next(gen, &id) != FRAZIL_OK)
            return 1;
        printf("%" PRIu64 "\n", id);
        fflush(stdout);
    }
    frazil_close(gen);
    return 0;
}

int main(void)
{
    frazil *gen;
    frazil_error err;
    int failed = 0;

    if (frazil_open(&gen, "worker=fixed:7", &err) != FRAZIL_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();
        if (child == 0)
            return serve(gen);
        if (child < 0)
            failed = 1;
    }
    failed |= serve(gen); /* the parent, too */
    int status;
    while (wait(&status) > 0)
        failed |= status != 0;
    return failed;
}
