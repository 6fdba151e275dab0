/* SPDX-License-Identifier: MIT */
/* The nodes of a register: their names and their contents.  Pure. */
#ifndef FZ_COORDINATORS_ZOOKEEPER_RECORD_H
#define FZ_COORDINATORS_ZOOKEEPER_RECORD_H

#include "lease/record_text.h"
#include "zookeeper_url.h"

/* Bytes of a node's path, terminator included. */
#define FZ_ZOOKEEPER_NODE_SIZE (FZ_ZOOKEEPER_PATH_SIZE + FZ_URL_NAMESPACE_SIZE + 40)

/* Versions are 1 .. this, so that there is always a next one. */
#define FZ_ZOOKEEPER_VERSION_MAX INT64_MAX

/* The path of a record in its namespace's folder; with version != 0 that of the node below it. */
void fz_zookeeper_node_path(const char *folder, uint32_t number, uint64_t version, char ret[FZ_ZOOKEEPER_NODE_SIZE]);

/* Reads the text of a record, with such a version.  false: frazil did not write it, and *ret is untouched. */
bool fz_zookeeper_record_read(const char *text, size_t len, struct fz_record *ret);

#endif
