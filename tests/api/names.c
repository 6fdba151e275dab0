/* SPDX-License-Identifier: MIT */
/*
 * Goal of this test: the functions that most programs call keep their types.  Each is assigned to a pointer of exactly
 * its type: a function that has changed does not compile, one that is gone does not link.  standards.sh compiles this
 * file as programs elsewhere are compiled, so it is C99 and C++ alike, and no macro of the headers may warn.
 */
#include <stdio.h>

#include <frazil.h>

typedef char success_is_0[FRAZIL_OK == 0 ? 1 : -1];
typedef char an_error_is_an_int[sizeof(frazil_err) == sizeof(int) ? 1 : -1];
typedef char a_sno_has_ten_bytes[sizeof(frazil_sno) == 10 ? 1 : -1];
typedef char an_error_has_1024_bytes[sizeof(frazil_error) == 1024 ? 1 : -1];

static int names;

/* Counts a function of this type.  The pointer is volatile: a compiler knows that no function is at NULL. */
#define NAME(result, name, arguments)                                                                                  \
    do {                                                                                                               \
        result(*volatile fn) arguments = name;                                                                         \
        names += fn ? 1 : 0;                                                                                           \
    } while (0)

static void opening(void)
{
    NAME(frazil_err, frazil_open, (frazil **, const char *, frazil_error *));
    NAME(frazil_err, frazil_open_shared, (frazil **, const char *, frazil_error *));
    NAME(frazil_err, frazil_options_open, (frazil_options **, frazil_error *));
    NAME(frazil_err, frazil_options_set, (frazil_options *, const char *, const char *, size_t, frazil_error *));
    NAME(frazil_err, frazil_open_with, (frazil **, const frazil_options *, frazil_error *));
    NAME(void, frazil_options_close, (frazil_options *));
    NAME(void, frazil_stop, (frazil *));
    NAME(void, frazil_close, (frazil *));
}

static void taking(void)
{
    NAME(frazil_err, frazil_next, (frazil *, uint64_t *));
    NAME(frazil_err, frazil_take, (frazil *, uint64_t *, size_t, uint64_t, frazil_error *));
    NAME(frazil_err, frazil_try_take, (frazil *, uint64_t *, size_t, size_t *, uint64_t *, frazil_error *));
    NAME(frazil_err, frazil_next_at, (frazil *, int64_t, uint64_t *, frazil_error *));
    NAME(frazil_err, frazil_keep, (frazil *, uint64_t, uint64_t *, frazil_error *));
    NAME(frazil_err, frazil_local_open, (frazil_local **, frazil *, frazil_error *));
    NAME(frazil_err, frazil_local_next, (frazil_local *, uint64_t *));
    NAME(frazil_err, frazil_local_take, (frazil_local *, uint64_t *, size_t, uint64_t, frazil_error *));
    NAME(void, frazil_local_close, (frazil_local *));
    NAME(frazil_err, frazil_sno_next, (frazil *, uint8_t, frazil_sno *));
    NAME(frazil_err, frazil_sno_take, (frazil *, uint8_t, frazil_sno *, size_t, uint64_t, frazil_error *));
}

static void looking(void)
{
    NAME(size_t, frazil_get_stats, (frazil *, frazil_stat *, size_t));
    NAME(void, frazil_get_info, (frazil *, frazil_info *, size_t));
    NAME(void, frazil_get_health, (frazil *, frazil_health *, size_t, frazil_error *));
    NAME(bool, frazil_next_event, (frazil *, uint64_t *, frazil_event *, size_t));
    NAME(frazil_err, frazil_event_fd, (frazil *, int *, frazil_error *));
}

static void reading(void)
{
    NAME(frazil_err, frazil_layout_parse, (const char *, size_t, frazil_layout *, frazil_error *));
    NAME(frazil_err, frazil_id_compose, (const frazil_layout *, const frazil_fields *, uint64_t *, frazil_error *));
    NAME(frazil_err, frazil_id_decompose, (const frazil_layout *, uint64_t, frazil_fields *, frazil_error *));
    NAME(uint64_t, frazil_id_first, (const frazil_layout *, int64_t));
    NAME(frazil_err, frazil_id_range,
         (const frazil_layout *, int64_t, int64_t, uint64_t *, uint64_t *, frazil_error *));
    NAME(frazil_err, frazil_id_format, (frazil_text, uint64_t, char *, size_t, size_t *));
    NAME(frazil_err, frazil_id_parse, (frazil_text, const char *, size_t, uint64_t *, frazil_error *));
    NAME(void, frazil_sno_encode, (const frazil_sno *, char *));
    NAME(frazil_err, frazil_sno_decode, (const char *, size_t, frazil_sno *, frazil_error *));
    NAME(frazil_err, frazil_time_format, (int64_t, char *, size_t, size_t *));
    NAME(frazil_err, frazil_time_parse, (const char *, size_t, int64_t *, frazil_error *));
    NAME(const char *, frazil_strerror, (frazil_err));
    NAME(const char *, frazil_err_name, (frazil_err));
    NAME(frazil_err_class, frazil_err_classify, (frazil_err));
    NAME(const char *, frazil_version, (void));
    NAME(uint32_t, frazil_version_number, (void));
}

static int fits(void)
{
    return FRAZIL_VERSION_FITS(frazil_version_number());
}

#undef FRAZIL_VERSION_MAJOR
#undef FRAZIL_VERSION_MINOR
#define FRAZIL_VERSION_MAJOR 1
#define FRAZIL_VERSION_MINOR 0

/* The same in a program of 1.0.0: compilers warn of a number without a sign that is compared with 0. */
static int fits_first(uint32_t number)
{
    return FRAZIL_VERSION_FITS(number);
}

int main(void)
{
    opening();
    taking();
    looking();
    reading();
    printf("%d names\n", names);
    return names == 40 && fits() && fits_first(1000000) && !fits_first(2000000) ? 0 : 1;
}
