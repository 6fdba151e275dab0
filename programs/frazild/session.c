/* SPDX-License-Identifier: MIT */
#include "session.h"

#include "clock.h"
#include "lease_thread.h"
#include "log.h"

#include <stdlib.h>
#include <string.h>

void session_open(struct session *session, struct event_thread *event_thread, void *connection, uint64_t id)
{
    *session = (struct session){.event_thread = event_thread, .connection = connection, .id = id, .version = 2};
}

void session_break(struct session *session, const char *why)
{
    count(&session->event_thread->counters.cut_broken, 1);
    session->broken = why;
    session->closing = true;
}

void session_log_wrong_token(const struct session *session)
{
    char peer[ADDRESS_TEXT_SIZE];

    peer_write(&session->peer, peer);
    log_line(LOG_AUTH, "connection %llu, %s, sent a wrong token over %s", (unsigned long long)session->id, peer,
             session->is_http ? "HTTP" : "the Redis protocol");
}

bool session_login(struct session *session, struct user *user)
{
    char *name = strdup(user->name);

    if (name == NULL)
        return false;
    free(session->user_name);
    session->user_name = name;
    memcpy(session->user_proof, user->proof, sizeof user->proof);
    session->user = user;
    session->known = session->event_thread->setup;
    return true;
}

struct user *session_user(struct session *session)
{
    struct setup *setup = session->event_thread->setup;

    if (session->user == NULL || session->known == setup)
        return session->user;
    /* A reload: the same user, if it is still there with the same secret and certificate. */
    struct user *now = users_find(&setup->users, slice_of(session->user_name));
    if (now == NULL || memcmp(now->proof, session->user_proof, sizeof now->proof) != 0) {
        count(&session->event_thread->counters.cut_revoked, 1);
        session->closing = session->is_revoked = true;
        session->broken = "a reload removed its user, or gave it another token or certificate";
    } else {
        session->known = setup;
    }
    session->user = now;
    return now;
}

#define HTTP_IDLE_NS (75 * NS_PER_S)

static bool is_unknown(struct session *session)
{
    if (session->is_http)
        return !session->has_asked;
    return session->event_thread->setup->users.count > 0 && session_user(session) == NULL;
}

bool session_is_known(struct session *session)
{
    return session->has_asked && !is_unknown(session);
}

size_t session_limit(struct session *session)
{
    return is_unknown(session) ? COMMAND_BYTES_MAX_UNKNOWN : COMMAND_BYTES_MAX;
}

size_t session_output_limit(struct session *session)
{
    return is_unknown(session) ? OUT_BYTES_MAX_UNKNOWN : OUT_BYTES_MAX;
}

uint64_t session_idle_ns(const struct session *session)
{
    return session->is_http ? HTTP_IDLE_NS : session->event_thread->setup->settings.daemon.idle_timeout_ns;
}

bool session_is_late(const struct session *session)
{
    return session->lease_job != NULL && lease_job_is_over(session->lease_job);
}

bool session_may_end(const struct session *session, size_t unread)
{
    return unread == 0 && (!session->is_http || session->has_asked);
}
