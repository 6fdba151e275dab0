/* SPDX-License-Identifier: MIT */
/* The route /: a browser gets the page, anybody else a few lines. */
#include "http_reply.h"
#include "http_routes.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The page as it lies on the disk; NULL: it is not there. */
static struct MHD_Response *page_of(const struct daemon_settings *settings)
{
    const char *path = settings->page[0] != '\0' ? settings->page : FRAZIL_PAGE;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct MHD_Response *response = NULL;
    struct stat about;

    if (fd >= 0 && fstat(fd, &about) == 0 && S_ISREG(about.st_mode))
        response = MHD_create_response_from_fd64((uint64_t)about.st_size, fd);
    if (response == NULL && fd >= 0)
        (void)close(fd);
    return response;
}

/* Whether a browser asks: other clients name no type, or any. */
static bool is_browser(const struct http_request *request)
{
    struct slice accept = http_header(request, MHD_HTTP_HEADER_ACCEPT);

    return slice_holds(accept, "text/html");
}

enum MHD_Result http_root(struct http_request *request)
{
    struct MHD_Response *page = NULL;

    if (is_browser(request))
        page = page_of(&request->lane->lane.setup->settings.daemon);
    if (page != NULL)
        return http_reply_response(request, "text/html; charset=utf-8", page);
    return http_reply_text(request, MHD_HTTP_OK,
                           "This is frazild, which gives ids.\n\n"
                           "  curl .../v1/generators             the generators\n"
                           "  curl .../v1/generators/main/ids    an id of the generator main\n"
                           "  curl .../openapi.json              all that can be asked\n"
                           "  a browser                          the page, where it is installed\n");
}
