/* SPDX-License-Identifier: MIT */
/* The route /: a browser gets the page, anybody else a few lines. */
#include "http_head.h"
#include "http_reply.h"
#include "http_routes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads the page as it lies on the disk.  False: it is not there. */
static bool read_page(const struct daemon_settings *settings, struct bytes *ret)
{
    const char *path = settings->page[0] != '\0' ? settings->page : FRAZIL_PAGE;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    ssize_t len = 0;

    if (fd < 0)
        return false;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode)) {
        char *room = bytes_room(ret, (size_t)about.st_size);
        len = room != NULL ? read(fd, room, (size_t)about.st_size) : 0;
    }
    (void)close(fd);
    ret->len = len > 0 ? (size_t)len : 0;
    return ret->len > 0;
}

void http_root(struct http_request *request)
{
    struct bytes page = {0};

    /* A browser names the type; other clients name none, or any. */
    if (http_accept(request->head, "text/html") > http_accept(request->head, "text/plain") &&
        read_page(&request->event_thread->setup->settings.daemon, &page)) {
        http_reply(request, "text/html; charset=utf-8", &page);
        return;
    }
    bytes_free(&page);
    http_reply_text(request, HTTP_OK,
                    "This is frazild, which serves ids.\n\n"
                    "  curl .../v1/generators             the generators\n"
                    "  curl -H X-Requested-With:curl .../v1/generators/main/ids\n"
                    "                                     an id of the generator main\n"
                    "  curl .../openapi.json              all that can be asked\n"
                    "  a browser                          the page, where it is installed\n");
}
