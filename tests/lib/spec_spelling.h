/* SPDX-License-Identifier: MIT */
/*
 * Ways to spell a spec.  A layout is a preset, bits, or bits with a datacenter.  A worker id comes from any source that
 * gives it.  Defaults are said or not, in any order, quoted or not.  All of it stands in the program, in the
 * environment or in a config file.
 */
#ifndef TESTS_LIB_SPEC_SPELLING_H
#define TESTS_LIB_SPEC_SPELLING_H

#include "frazil/options.h"
#include "lib/spec_meaning.h"

/* A spelling: options, or where all stands in a spec, that; and the environment as it must be, and its host before. */
struct spec_spelling {
    char spec[8192];
    char host_dir[256];
    frazil_options *options;
};

/*
 * Spells it, and sets the environment; spec_unset undoes both.  Folders and files are below `folder`, in which
 * url_write_files was called.  With in_spec, ret->spec says all that the environment and files do not, and there are no
 * options.
 */
void spec_set(const struct spec_meaning *meaning, const char *folder, bool in_spec, uint64_t *random,
              struct spec_spelling *ret);
void spec_unset(struct spec_spelling *spelling);

#endif
