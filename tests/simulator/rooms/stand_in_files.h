/* SPDX-License-Identifier: MIT */
/*
 * The compiler includes this file before claim.c and what that needs of src/os, for the simulator: their files are
 * those of the simulated host directory.  Only worlds with several users have claims (claims.h).
 */
#ifndef SIMULATOR_STAND_IN_FILES_H
#define SIMULATOR_STAND_IN_FILES_H

#define _XOPEN_SOURCE 700 /* S_ISVTX */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/file.h"
#include "stand_in.h"

/* See claims.h. */
int sim_open(const char *path, int flags, mode_t mode);
int sim_close(int fd);
int sim_stat(const char *path, struct stat *ret);
int sim_fstat(int fd, struct stat *ret);
int sim_fchmod(int fd, mode_t mode);
int sim_flock(int fd, int operation);
int sim_read_first(int fd, void *buf, size_t size, size_t *ret_len);
int sim_write(int fd, uint64_t offset, const void *buf, size_t len);
void *sim_mmap(int fd, size_t size);
int sim_munmap(void *at, size_t size);
int sim_unlink(const char *path);
uid_t sim_geteuid(void);
int sim_no_file(const char *path, char *buf, size_t size, size_t *ret_len);

/* Like calls, so that `struct stat` stays. */
#define open(path, flags, mode) sim_open(path, flags, mode)
#define close(fd) sim_close(fd)
#define stat(path, ret) sim_stat(path, ret)
#define lstat(path, ret) sim_stat(path, ret)
#define fstat(fd, ret) sim_fstat(fd, ret)
#define faccessat(at, path, mode, flags) ((void)(path), 0)
#define fchmod(fd, mode) sim_fchmod(fd, mode)
#define flock(fd, operation) sim_flock(fd, operation)
#define mmap(at, size, protection, flags, fd, offset) sim_mmap(fd, size)
#define munmap(at, size) sim_munmap(at, size)
#define unlink(path) sim_unlink(path)
#define geteuid() sim_geteuid()
#define fz_file_write(fd, offset, buf, len) sim_write(fd, offset, buf, len)
#define fz_file_read_first(fd, buf, size, ret_len) sim_read_first(fd, buf, size, ret_len)
#define fz_file_read(path, buf, size, ret_len) sim_no_file(path, buf, size, ret_len)

/* os_claim.c stands before these. */
#define fz_claim_take claim_take_for_real
#define fz_claim_try claim_try_for_real
#define fz_claim_insist claim_insist_for_real

#endif
