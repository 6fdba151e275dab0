/* SPDX-License-Identifier: MIT */
#include "sources.h"

#include "spec/coordinators.h"
#include "spec/worker_sources.h"

#define SOURCE_NAME(function, name, argument, verdict, keys, words) " " name argument
#define COORDINATOR_HELP(part, schemes, help) help

static const char help_of_sources[] = "In a spec, worker= is one of\n" FZ_WORKER_SOURCES(
    SOURCE_NAME) "\n"
                 "with URL a coordinator's, and [?KEY=VALUE&...] behind it (man frazil.spec):\n" FZ_COORDINATORS(
                     COORDINATOR_HELP) "and hosts that share one worker: state=redis://... or\n"
                                       "  konayuki+redis://HOST[/PREFIX]  konayuki+file:///PATH (one host)";

#undef SOURCE_NAME
#undef COORDINATOR_HELP

const char *fz_sources_help(void)
{
    return help_of_sources;
}
