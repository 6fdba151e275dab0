/* SPDX-License-Identifier: MIT */
/* The route /: a browser gets the page, anybody else a few lines. */
#include "http_head.h"
#include "http_reply.h"
#include "http_routes.h"

void http_root(struct http_request *request)
{
    const struct bytes *page = &request->event_thread->setup->page;

    /* A browser names the type; other clients name none, or any. */
    if (page->len > 0 && http_accept(request->head, "text/html") > http_accept(request->head, "text/plain")) {
        http_reply_copy(request, "text/html; charset=utf-8", (struct slice){page->at, page->len});
        return;
    }
    http_reply_text(request, HTTP_OK,
                    "This is frazild, which serves ids.\n\n"
                    "  curl .../v1/generators             the generators\n"
                    "  curl -H X-Requested-With:curl .../v1/generators/NAME/ids\n"
                    "                                     an id of the generator NAME\n"
                    "  curl .../openapi.json              all that can be asked\n"
                    "  a browser                          the page, where it is installed\n");
}
