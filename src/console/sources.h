/* SPDX-License-Identifier: MIT */
/* The text of `frazil help worker`: where a worker id can come from. */
#ifndef FZ_CONSOLE_SOURCES_H
#define FZ_CONSOLE_SOURCES_H

/* The sources and the URLs, as the tables of src/spec have them.  Never freed. */
FZ_PRIVATE const char *fz_sources_help(void);

#endif
