/* SPDX-License-Identifier: MIT */
/*
 * The places of a worker's files: RUN_DIR/NAMESPACE/worker-N.word and, for
 * worker=file-lock, worker-N.lock; STATE_DIR/NAMESPACE/worker-N.grant.  Words and
 * grants of bounded sequences lie beside them, as os/shards.h says.
 *
 * The word of a lease that the host's processes share is RUN_DIR/NAMESPACE/lease-HEX.word; its grant is the
 * coordinator's.
 */
#ifndef FZ_STATE_STORE_FILES_H
#define FZ_STATE_STORE_FILES_H

#include "core/bounds.h"
#include "os/dirs.h"

/* The names of a worker's files begin with this; its number and one of the suffixes follow. */
#define FZ_STORE_FILE_PREFIX "worker-"
#define FZ_STORE_WORD_SUFFIX ".word"
#define FZ_STORE_GRANT_SUFFIX ".grant"

/*
 * The namespace's folder in the run or the state directory (wanted: run_dir or state_dir), which fz_dir_prepare_inside
 * makes.  Errors as fz_dir_find.
 */
FZ_PRIVATE frazil_err fz_store_find_folder(char ret_path[FZ_PATH_SIZE], enum fz_dir which, const char *wanted,
                                           const char *name, frazil_error *reterr);

/* Makes the folder for a file of these bounds beside a worker's file, if it has one.  Errors as fz_dir_prepare. */
FZ_PRIVATE frazil_err fz_store_prepare_shards(const char *path, const struct fz_bounds *bounds, enum fz_dir which,
                                              frazil_error *reterr);

/* The path of a worker's file in such a folder: that for all sequence numbers.  FRAZIL_ESYS: it is too long. */
FZ_PRIVATE frazil_err fz_store_file(char ret_path[FZ_PATH_SIZE], const char *folder, uint32_t worker,
                                    const char *suffix, frazil_error *reterr);

/* Both at once: the word's in the run folder, and the grants' in the state folder. */
FZ_PRIVATE frazil_err fz_store_pair(char ret_word[FZ_PATH_SIZE], const char *run_folder, char ret_grant[FZ_PATH_SIZE],
                                    const char *state_folder, uint32_t worker, frazil_error *reterr);

/* The path of the word of a lease with this number.  FRAZIL_ESYS: it is too long. */
FZ_PRIVATE frazil_err fz_store_lease_file(char ret_path[FZ_PATH_SIZE], const char *folder, uint64_t number,
                                          frazil_error *reterr);

/*
 * The name of a word's file and its device as one number, which is not 0.  Names are those that this process sees:
 * another run directory has another number, as has the same one in another container.
 */
FZ_PRIVATE uint64_t fz_store_place(uint64_t device, const char *path);

/* Fails as opening does where a word is in use by processes whose grants are in `theirs`, and here they would be in
 * `ours`. */
FZ_PRIVATE frazil_err fz_store_refuse_state(uint32_t worker, const char *run_dir, const char *theirs, const char *ours,
                                            frazil_error *reterr);

#endif
