/* SPDX-License-Identifier: MIT */
/*
 * Every public header of frazil needs this: how symbols are exported, and the compiler attributes that express
 * contracts.  Include <frazil.h>, not this.
 */
#ifndef FRAZIL_BASE_H
#define FRAZIL_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Define this as empty to compile frazil.c into your own library, which then hides frazil. */
#ifndef FRAZIL_API
#if defined(__GNUC__)
#define FRAZIL_API __attribute__((visibility("default")))
#else
#define FRAZIL_API
#endif
#endif

#if defined(__GNUC__)
#define FRAZIL_CHECK __attribute__((warn_unused_result))
#define FRAZIL_NONNULL(...) __attribute__((nonnull(__VA_ARGS__)))
#else
#define FRAZIL_CHECK
#define FRAZIL_NONNULL(...)
#endif

/*
 * The last enumerator of each public enum.  It is not a value of the enum: it makes the enum four bytes long
 * everywhere, even with -fshort-enums, and leaves room for values that later versions add.
 */
#define FRAZIL_ENUM_IS_INT(prefix) prefix##_FORCE_INT = 0x7fffffff

#ifdef __cplusplus
#define FRAZIL_BEGIN_DECLS extern "C" {
#define FRAZIL_END_DECLS }
#else
#define FRAZIL_BEGIN_DECLS
#define FRAZIL_END_DECLS
#endif

#endif
