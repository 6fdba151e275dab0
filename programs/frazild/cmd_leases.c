/* SPDX-License-Identifier: MIT */
/* The reply to LEASES, which may take seconds. */
#include "commands.h"

#include "lease_thread.h"
#include "resp_write.h"

static void write_lease(const frazil_admin_lease *row, int version, struct bytes *out)
{
    resp_map(out, version, 6);
    resp_text(out, "worker");
    resp_integer(out, row->worker);
    resp_text(out, "holding");
    resp_text(out, frazil_admin_holding_name(row->holding));
    resp_text(out, "owner");
    resp_text(out, row->text != NULL ? row->text : "");
    resp_text(out, "until_unix_ms");
    resp_integer(out, row->until_unix_ms > 0 ? (uint64_t)row->until_unix_ms : 0);
    resp_text(out, "owners");
    resp_integer(out, row->owners);
    resp_text(out, "extensions");
    resp_integer(out, row->extensions);
}

static void write_leases(const frazil_admin_leases *leases, int version, struct bytes *out)
{
    frazil_admin_leases_info info;
    frazil_admin_lease row;

    frazil_admin_leases_get_info(leases, &info, sizeof info);
    resp_map(out, version, 4);
    resp_text(out, "layout");
    resp_text(out, info.layout);
    resp_text(out, "workers");
    resp_integer(out, info.workers);
    resp_text(out, "held");
    resp_integer(out, info.held);
    resp_text(out, "leases");
    resp_array(out, info.rows);
    for (size_t i = 0; frazil_admin_leases_row(leases, i, &row, sizeof row) == FRAZIL_OK; i++)
        write_lease(&row, version, out);
}

void cmd_leases(struct session *session, struct call *call)
{
    const struct generator *generator = command_generator(session, call, call->words->args[1]);
    const struct lease_order order = {write_leases, session->version, session->event_thread->wake, session->connection};

    if (generator == NULL)
        return;
    session->lease_job = lease_job_submit(session->event_thread, generator->engine, &order);
    if (session->lease_job == NULL)
        command_fail(session, call, CODE_TRYAGAIN, "too many LEASES are under way retry_ms=1000");
}

bool leases_go_on(struct session *session, struct bytes *out)
{
    const struct call call = {.row = commands_find((struct slice){"LEASES", 6}), .out = out};
    struct refusal refusal;

    if (!lease_job_is_over(session->lease_job))
        return false;
    const struct bytes *reply = lease_job_reply(session->lease_job, &refusal);
    if (reply != NULL) {
        bytes_add(out, reply->at, reply->len);
        command_count(session, call.row, CODE_OK, 1);
    } else {
        command_refuse(session, &call, &refusal);
    }
    lease_job_abandon(session->lease_job);
    session->lease_job = NULL;
    return true;
}
