/* SPDX-License-Identifier: MIT */
/* The route /: a browser gets the page, anybody else a few lines. */
#include "http_head.h"
#include "http_reply.h"
#include "http_routes.h"

bool http_page_go_on(struct http_request *request)
{
    const struct bytes *page = &request->page->bytes;
    struct bytes *out = request->out;
    size_t room = out->len < OUT_BYTES_MAX ? OUT_BYTES_MAX - out->len : 0, left = page->len - request->sent;
    size_t n = left < room ? left : room;

    bytes_add(out, page->at + request->sent, n);
    request->sent += n;
    if (n < left && !out->failed)
        return false;
    http_page_drop(request);
    return true;
}

void http_page_drop(struct http_request *request)
{
    page_release(request->page);
    request->page = NULL;
}

static void send_page(struct http_request *request, struct page *page)
{
    static const char type[] = "text/html; charset=utf-8";

    if (request->is_head) {
        http_reply_copy(request, type, (struct slice){page->bytes.at, page->bytes.len});
        return;
    }
    http_reply_head(request, type, page->bytes.len);
    request->page = page_hold(page);
    if (!http_page_go_on(request) && !http_wait(request))
        http_page_drop(request);
}

void http_root(struct http_request *request)
{
    struct page *page = request->event_thread->setup->page;

    /* A browser names the type; other clients name none, or any. */
    if (page != NULL && page->bytes.len > 0 &&
        http_accept(request->head, "text/html") > http_accept(request->head, "text/plain")) {
        send_page(request, page);
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
