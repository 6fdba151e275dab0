/* SPDX-License-Identifier: MIT */
#include "lib/insider.h"

#include <unistd.h>

#include "lib/asserts.h"
#include "os/clients.h"

static void *stay_inside(void *ctx)
{
    const struct insider *insider = ctx;
    char byte = 0;

    if (fz_clients_enter(NULL) != FRAZIL_OK || write(insider->there[1], &byte, 1) != 1 ||
        read(insider->go[0], &byte, 1) != 1)
        return ctx;
    fz_clients_leave();
    return NULL;
}

void insider_start(struct insider *insider)
{
    char byte;

    assert_int_equal(pipe(insider->go) | pipe(insider->there), 0);
    assert_int_equal(pthread_create(&insider->thread, NULL, stay_inside, insider), 0);
    assert_int_equal(read(insider->there[0], &byte, 1), 1);
}

void insider_end(struct insider *insider)
{
    void *failed;

    assert_int_equal(write(insider->go[1], "", 1), 1);
    assert_int_equal(pthread_join(insider->thread, &failed), 0);
    assert_null(failed);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(close(insider->go[i]) | close(insider->there[i]), 0);
}
