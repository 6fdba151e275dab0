/* SPDX-License-Identifier: MIT */
#include "cancel.h"

#include <pthread.h>

int fz_cancel_off(void)
{
    int before;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

void fz_cancel_as(int before)
{
    pthread_setcancelstate(before, &before);
}
