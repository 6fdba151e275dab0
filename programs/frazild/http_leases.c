/* SPDX-License-Identifier: MIT */
/* The leases of a generator's coordinator, by HTTP. */
#include "http_request.h"

#include "http_reply.h"
#include "http_routes.h"
#include "lease_thread.h"

#include <stdlib.h>

/* Adds it as JSON, with the names that LEASES has. */
static void write_leases(const frazil_admin_leases *leases, int version, struct bytes *out)
{
    frazil_admin_leases_info info;
    json_t *list = json_array();
    frazil_admin_lease row;

    (void)version;
    frazil_admin_leases_get_info(leases, &info, sizeof info);
    for (size_t i = 0; frazil_admin_leases_row(leases, i, &row, sizeof row) == FRAZIL_OK; i++)
        (void)json_array_append_new(
            list, json_pack("{s:I, s:s, s:s, s:I, s:I, s:I}", "worker", (json_int_t)row.worker, "holding",
                            frazil_admin_holding_name(row.holding), "owner", row.text != NULL ? row.text : "",
                            "until_unix_ms", (json_int_t)(row.until_unix_ms > 0 ? row.until_unix_ms : 0), "owners",
                            (json_int_t)row.owners, "extensions", (json_int_t)row.extensions));
    json_t *json = json_pack("{s:s, s:I, s:I, s:o}", "layout", info.layout, "workers", (json_int_t)info.workers, "held",
                             (json_int_t)info.held, "leases", list);
    http_add_json(json, out);
}

void http_list_leases(struct http_request *request)
{
    struct session *session = request->session;
    const struct lease_order order = {write_leases, 0, request->event_thread->wake, session->connection};
    const struct refusal busy = {CODE_TRYAGAIN, 1000, "too many requests for leases are under way"};
    const struct generator *generator = http_generator(request, request->argument);

    if (generator == NULL || !http_wait(request))
        return;
    session->lease_job = lease_job_submit(request->event_thread, generator->engine, &order);
    if (session->lease_job != NULL)
        return;
    http_refuse(request, &busy);
    free(session->request);
    session->request = NULL;
}

bool http_leases_go_on(struct http_request *request)
{
    struct session *session = request->session;
    struct bytes body = {0};
    struct refusal refusal;

    if (!lease_job_is_over(session->lease_job))
        return false;
    const struct bytes *reply = lease_job_reply(session->lease_job, &refusal);
    if (reply != NULL) {
        bytes_add(&body, reply->at, reply->len);
        http_reply(request, "application/json", &body);
    } else if (refusal.code == CODE_ERR) {
        http_fail(request, HTTP_BAD_REQUEST, CODE_ERR, "%s", refusal.text);
    } else {
        http_refuse(request, &refusal);
    }
    lease_job_abandon(session->lease_job);
    session->lease_job = NULL;
    return true;
}
