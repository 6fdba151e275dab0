/* SPDX-License-Identifier: MIT */
/* Tells an operator about an etcd before worker ids come from it. */
#include "etcd_client.h"

#include <string.h>

#include "etcd_answer.h"
#include "lease/report.h"

struct diagnosis {
    struct fz_etcd_client *client;
    struct fz_report report;
};

/* A question that the server may refuse: the refusal is reported, and is no failure. */
static enum fz_register_result ask_for(const struct diagnosis *diagnosis, const char *what, const char *path,
                                       json_t *body, json_t **ret, frazil_error *reterr)
{
    const struct fz_etcd_question question = {path, body, .writes = false};
    frazil_error said = {.message = ""};
    enum fz_register_result result = fz_etcd_ask(diagnosis->client, &question, ret, &said);

    *ret = result == FZ_REGISTER_OK ? *ret : NULL;
    if (result == FZ_REGISTER_REFUSED) {
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN, "%s: etcd refuses to answer", what);
        return FZ_REGISTER_OK;
    }
    if (result != FZ_REGISTER_OK && reterr != NULL)
        *reterr = said;
    return result;
}

static const char *text_of(const json_t *value)
{
    const char *text = json_string_value(value);

    return text == NULL ? "" : text;
}

/* ---- the findings --------------------------------------------------------------- */

static enum fz_register_result say_status(const struct diagnosis *diagnosis, frazil_error *reterr)
{
    json_t *answer = NULL;
    uint64_t leader = 0;
    enum fz_register_result result =
        ask_for(diagnosis, "health", "/v3/maintenance/status", json_object(), &answer, reterr);

    if (answer == NULL)
        return result;
    fz_report_say(&diagnosis->report, FZ_FINDING_OK, "version: %q", text_of(json_object_get(answer, "version")));
    if (fz_etcd_number(json_object_get(answer, "leader"), &leader) && leader != 0)
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "leader: known");
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL,
                      "leader: none: nothing can be granted until most members see each other");
    if (json_is_true(json_object_get(answer, "isLearner")))
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL,
                      "this member is a learner, which serves no requests: name another one");
    json_decref(answer);
    return result;
}

static enum fz_register_result say_members(const struct diagnosis *diagnosis, frazil_error *reterr)
{
    json_t *answer = NULL;
    uint64_t voters = 0;
    enum fz_register_result result =
        ask_for(diagnosis, "members", "/v3/cluster/member/list", json_object(), &answer, reterr);

    if (answer == NULL)
        return result;
    const json_t *members = json_object_get(answer, "members");
    for (size_t i = 0; i < json_array_size(members); i++)
        voters += !json_is_true(json_object_get(json_array_get(members, i), "isLearner"));
    json_decref(answer);
    if (voters < 3)
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "members: %u: when one of them stops nothing can be granted: use three", voters);
    else if (voters % 2 == 0)
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "members: %u: one member fewer tolerates as many failures: use an odd number", voters);
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "members: %u", voters);
    return result;
}

static enum fz_register_result say_alarms(const struct diagnosis *diagnosis, frazil_error *reterr)
{
    json_t *answer = NULL;
    enum fz_register_result result =
        ask_for(diagnosis, "alarms", "/v3/maintenance/alarm", json_pack("{s:s}", "action", "GET"), &answer, reterr);

    if (answer == NULL)
        return result;
    const json_t *alarms = json_object_get(answer, "alarms");
    for (size_t i = 0; i < json_array_size(alarms); i++) {
        const char *alarm = text_of(json_object_get(json_array_get(alarms, i), "alarm"));
        fz_report_say(
            &diagnosis->report, FZ_FINDING_FAIL, "alarm: %q%s", alarm,
            strcmp(alarm, "NOSPACE") == 0
                ? ": it refuses to write: compact, defragment, raise --quota-backend-bytes, then: etcdctl alarm disarm"
                : ": do not rely on it: see its manual");
    }
    if (json_array_size(alarms) == 0)
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "alarms: none");
    json_decref(answer);
    return result;
}

static void say_access(const struct diagnosis *diagnosis)
{
    const struct fz_etcd_client *client = diagnosis->client;

    if (client->url.common.access.user[0] == '\0')
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "users: no user is configured: any client that reaches it may write, unless certificates "
                      "keep it out");
    else if (client->no_login)
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "users: the URL names %q, but authentication is not enabled: etcdctl auth enable",
                      client->url.common.access.user);
    else
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "users: logged in as %q", client->url.common.access.user);
    if (client->url.common.access.user[0] != '\0' && !client->url.common.tls)
        fz_report_say(&diagnosis->report, FZ_FINDING_WARN,
                      "encryption: none, and the password is sent in the clear: use etcds://");
}

/* A transaction that writes in no case needs the permissions of one that may. */
static enum fz_register_result say_permissions(const struct diagnosis *diagnosis, const char *key, frazil_error *reterr)
{
    json_t *answer = NULL;
    frazil_error said = {.message = ""};
    json_t *never = json_pack("[{s:o, s:s, s:s, s:s}]", "key", fz_etcd_text(key, strlen(key)), "target", "CREATE",
                              "result", "LESS", "create_revision", "0");
    const struct fz_etcd_question question = {"/v3/kv/txn", fz_etcd_transaction(never, key, fz_etcd_text("", 0)),
                                              false};

    enum fz_register_result result = fz_etcd_ask(diagnosis->client, &question, &answer, &said);
    if (result == FZ_REGISTER_OK) {
        json_decref(answer);
        fz_report_say(&diagnosis->report, FZ_FINDING_OK, "permissions: may read and write");
    } else if (result == FZ_REGISTER_REFUSED) {
        fz_report_say(&diagnosis->report, FZ_FINDING_FAIL, "permissions: may not write: %s", said.message);
    } else {
        if (reterr != NULL)
            *reterr = said;
        return result;
    }
    return FZ_REGISTER_OK;
}

enum fz_register_result fz_etcd_diagnose(struct fz_etcd_client *client, const char *key, fz_finding_visitor visit,
                                         void *ctx, frazil_error *reterr)
{
    const struct diagnosis diagnosis = {client, {visit, ctx}};
    enum fz_register_result result = say_status(&diagnosis, reterr);

    if (result == FZ_REGISTER_OK)
        result = say_members(&diagnosis, reterr);
    if (result == FZ_REGISTER_OK)
        result = say_alarms(&diagnosis, reterr);
    if (result == FZ_REGISTER_OK)
        result = say_permissions(&diagnosis, key, reterr);
    if (result == FZ_REGISTER_OK)
        say_access(&diagnosis);
    return result;
}
