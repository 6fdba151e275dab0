/* SPDX-License-Identifier: MIT */
/* hiredis: PORT TOKEN */
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>

static void show(redisReply *reply)
{
    if (reply == NULL || reply->type == REDIS_REPLY_ERROR) {
        fprintf(stderr, "%s\n", reply == NULL ? "no reply" : reply->str);
        exit(1);
    }
    for (size_t i = 0; i < reply->elements; i++)
        printf("%s\n", reply->element[i]->str);
    if (reply->type == REDIS_REPLY_INTEGER)
        printf("%lld\n", reply->integer);
    else if (reply->type == REDIS_REPLY_STRING)
        printf("%s\n", reply->str);
    freeReplyObject(reply);
}

int main(int argc, char **argv)
{
    redisContext *client = argc == 3 ? redisConnect("127.0.0.1", (int)strtol(argv[1], NULL, 10)) : NULL;
    void *reply;

    if (client == NULL || client->err != 0)
        return 1;
    freeReplyObject(redisCommand(client, "AUTH shop %s", argv[2]));
    for (int i = 0; i < 20; i++)
        show(redisCommand(client, "NEXT main"));
    show(redisCommand(client, "NEXT main 50"));
    for (int i = 0; i < 20; i++)
        show(redisCommand(client, "INCR orders:id"));
    for (int i = 0; i < 20; i++)
        redisAppendCommand(client, "NEXT main");
    for (int i = 0; i < 20; i++) {
        if (redisGetReply(client, &reply) != REDIS_OK)
            return 1;
        show(reply);
    }
    redisFree(client);
    return 0;
}
