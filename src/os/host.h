/* SPDX-License-Identifier: MIT */
/* The surroundings of a process: the host's name, address and randomness, its machine, and its environment. */
#ifndef FZ_OS_HOST_H
#define FZ_OS_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the host -------------------------------------------------------------- */

/* Bytes that the name of any host fits into, terminator included. */
#define FZ_HOST_NAME_SIZE 256

/* The host's name, terminated.  0 or an errno. */
FZ_PRIVATE int fz_host_name(char *buf, size_t size);

/* Characters of an address, terminator included. */
#define FZ_ADDRESS_SIZE 46

/*
 * The host's primary address as text: the one that it would use outward, over
 * IPv4, or over IPv6 where that is all there is.  The routing table is asked, and
 * nothing is sent.  0 or an errno: ENETUNREACH and the like where no route leads
 * outward; then buf is untouched.
 */
FZ_PRIVATE int fz_host_address(char buf[FZ_ADDRESS_SIZE]);

/* Which IP an address in text is of: 4, 6, or 0 for a text that is no address. */
FZ_PRIVATE int fz_address_version(const char *text);

/*
 * Why an address in text tells nothing about its host, as other hosts have it as well: "loopback", "link-local",
 * "multicast", "broadcast" or "unspecified"; NULL: it may be the host's own.  Never freed.
 */
FZ_PRIVATE const char *fz_address_kind_of_many(const char *text);

/* 64 bits from the kernel's generator.  0 or an errno. */
FZ_PRIVATE int fz_host_entropy(uint64_t *ret);

/* Bytes of a boot's id, terminator included. */
#define FZ_BOOT_ID_SIZE 40

/* The id of this boot, another one each time.  0 or an errno; ENOTSUP: the system has none (the portable build). */
FZ_PRIVATE int fz_boot_id(char ret[FZ_BOOT_ID_SIZE]);

/*
 * The number of the mount namespace in which the calling thread sees names.  0: it cannot be told (the portable build).
 * It belongs to another one only after all processes of this one have ended.
 */
FZ_PRIVATE uint64_t fz_mount_space(void);

/* ---- the machine, and whether it was copied -------------------------------- */

/* Bytes of a machine's id, terminator included. */
#define FZ_MACHINE_ID_SIZE 40

/* The id in /etc/machine-id, which an image for copying is shipped without.  0 or an errno; ENOENT also if it is empty.
 */
FZ_PRIVATE int fz_machine_id(char ret[FZ_MACHINE_ID_SIZE]);

/* Whether the hypervisor counts a virtual machine's restorations and copies, and the kernel listens. */
FZ_PRIVATE bool fz_machine_has_generation(void);

/* ---- the environment, as far as it may be trusted -------------------------- */

/*
 * The value of an environment variable; NULL: it is not set, or the environment is not to be trusted.  It lies in the
 * environment, and lives as long as there.  Any thread, unless another one changes the environment.
 */
FZ_PRIVATE const char *fz_environment(const char *name);

/*
 * Whether the program has rights that the user that started it does not have (set-user-ID, set-group-ID, file
 * capabilities).  That user chose the environment, which must then not choose files and worker ids.  If the system does
 * not tell the rights at the start, the present user ids decide.
 */
FZ_PRIVATE bool fz_environment_is_foreign(void);

/*
 * The first variable whose name begins so, where the environment is not to be trusted; NULL: there is none, or it is.
 * For client libraries that read the environment themselves.
 */
FZ_PRIVATE const char *fz_foreign_variable(const char *beginning);

/* So such a program is called in sentences. */
enum { FZ_MORE_RIGHTS_SIZE = 120 };
extern const char fz_more_rights[FZ_MORE_RIGHTS_SIZE];

/* The variables, "NAME=VALUE" and NULL behind the last; an empty list where the environment is not to be trusted. */
FZ_PRIVATE char *const *fz_environment_all(void);

/* The same, trusted or not: for the question which names there are. */
FZ_PRIVATE char *const *fz_environment_untrusted(void);

#endif
