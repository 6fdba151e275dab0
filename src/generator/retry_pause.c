/* SPDX-License-Identifier: MIT */
#include "retry_pause.h"

#include "core/duration.h"

/* Between two tries after a failure: doubled each time, with jitter so that a fleet does not come back as one. */
static const uint64_t longest_retry_ns = 5000000000;
enum { DOUBLINGS_MAX = 8 };

/*
 * And never longer than this part of a grant, which is there to bridge the outage; or than that one, when it has ended
 * and there is no answer.
 */
enum { RETRIES_IN_A_GRANT = 16, RETRIES_IN_SILENCE = 4 };

/* A try that failed sooner had an answer, if only a refusal: no URL has a shorter timeout. */
static const uint64_t shortest_timeout_ns = 10000000;

/* A year; so that sums of pauses stay numbers. */
static const uint64_t longest_known_ns = UINT64_C(31536000000000000);

static uint64_t lesser_ns(uint64_t ns, uint64_t other)
{
    return ns < other ? ns : other;
}

uint64_t fz_jitter(uint64_t end, const frazil_random *random)
{
    return end == 0 ? 0 : random->next(random->ctx) % end;
}

static uint64_t doubled(uint64_t times)
{
    return FZ_RETRY_SHORTEST_NS << lesser_ns(times, DOUBLINGS_MAX);
}

static uint64_t longest_pause_after(const struct fz_failed_try *failed)
{
    uint64_t usual_ns = lesser_ns(longest_retry_ns, failed->horizon_ns / RETRIES_IN_A_GRANT);
    uint64_t silent_ns = lesser_ns(failed->ended_ns / 2, failed->horizon_ns / RETRIES_IN_SILENCE);
    bool is_silent = failed->took_ns >= shortest_timeout_ns && failed->known_ns == 0;

    return is_silent && silent_ns > usual_ns ? silent_ns : usual_ns;
}

uint64_t fz_retry_pause(const struct fz_failed_try *failed, const frazil_random *random)
{
    uint64_t longest_ns = longest_pause_after(failed);
    uint64_t pause_ns = lesser_ns(doubled(failed->failures), longest_ns);

    /* Never less than half of it: a random number near 0 would hammer a coordinator that is down. */
    pause_ns = pause_ns / 2 + fz_jitter(pause_ns / 2, random);
    /* The granter knows better, as at the end of a quarantine; a little jitter keeps a fleet apart. */
    if (failed->known_ns != 0 && failed->known_ns < pause_ns)
        pause_ns = failed->known_ns + fz_jitter(lesser_ns(FZ_RETRY_SHORTEST_NS, longest_ns) / 2, random);
    return pause_ns;
}

bool fz_retry_pause_may_be(uint64_t ns)
{
    return ns <= doubled(DOUBLINGS_MAX) * 2;
}

uint64_t fz_first_grant_pause(unsigned tries, uint64_t known_ns, uint64_t left_ns, const frazil_random *random)
{
    /* One more nanosecond, as a time that is only just reached may still round down to the tick before. */
    uint64_t next_ns = known_ns == 0 ? FZ_NS_PER_MS : 1 + lesser_ns(known_ns, longest_known_ns);
    uint64_t spread_ns = doubled(tries);

    if (next_ns < left_ns)
        spread_ns = lesser_ns(spread_ns, left_ns - next_ns);
    return next_ns + fz_jitter(spread_ns, random);
}

uint64_t fz_full_pool_pause(unsigned looks, uint64_t known_ns, uint64_t left_ns, const frazil_random *random)
{
    uint64_t begins_ns = lesser_ns(doubled(looks), FZ_NS_PER_S) / 2;
    uint64_t spread_ns = begins_ns;
    uint64_t last_ns = left_ns > FZ_RETRY_SHORTEST_NS ? left_ns - FZ_RETRY_SHORTEST_NS : 0;
    uint64_t free_ns = known_ns == 0 ? UINT64_MAX : 1 + lesser_ns(known_ns, longest_known_ns);

    begins_ns = lesser_ns(begins_ns, free_ns);
    if (begins_ns < last_ns)
        return begins_ns + fz_jitter(lesser_ns(spread_ns, last_ns - begins_ns), random);
    if (free_ns < left_ns)
        return free_ns;
    return last_ns == 0 ? left_ns : last_ns;
}

uint64_t fz_slots_pause(unsigned tries, uint64_t known_ns, uint64_t left_ns, const frazil_random *random)
{
    uint64_t begins_ns = lesser_ns(known_ns, longest_known_ns);
    uint64_t spread_ns = lesser_ns(doubled(tries), begins_ns / 4);

    return begins_ns + fz_jitter(lesser_ns(spread_ns, left_ns > begins_ns ? left_ns - begins_ns : 0), random);
}
