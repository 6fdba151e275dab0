/* SPDX-License-Identifier: MIT */
/* Letters compared without regard to case. */
#ifndef FZ_CORE_LOWER_H
#define FZ_CORE_LOWER_H

/* tolower for ASCII, the same in every locale. */
static inline char fz_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

#endif
