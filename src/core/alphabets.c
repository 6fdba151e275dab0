/* SPDX-License-Identifier: MIT */
#include "alphabets.h"

/*
 * Each alphabet is one list of (value, character), from which both of its
 * directions are made, so that they cannot disagree.
 */
/* clang-format off */
#define DIGITS_0_TO_9(X) \
    X(0, '0') X(1, '1') X(2, '2') X(3, '3') X(4, '4') X(5, '5') X(6, '6') X(7, '7') X(8, '8') X(9, '9')
#define LOWER_FROM_10(X) \
    X(10, 'a') X(11, 'b') X(12, 'c') X(13, 'd') X(14, 'e') X(15, 'f') X(16, 'g') X(17, 'h') X(18, 'i') X(19, 'j') \
    X(20, 'k') X(21, 'l') X(22, 'm') X(23, 'n') X(24, 'o') X(25, 'p') X(26, 'q') X(27, 'r') X(28, 's') X(29, 't') \
    X(30, 'u') X(31, 'v') X(32, 'w') X(33, 'x') X(34, 'y') X(35, 'z')
#define UPPER_FROM_10(X) \
    X(10, 'A') X(11, 'B') X(12, 'C') X(13, 'D') X(14, 'E') X(15, 'F') X(16, 'G') X(17, 'H') X(18, 'I') X(19, 'J') \
    X(20, 'K') X(21, 'L') X(22, 'M') X(23, 'N') X(24, 'O') X(25, 'P') X(26, 'Q') X(27, 'R') X(28, 'S') X(29, 'T') \
    X(30, 'U') X(31, 'V') X(32, 'W') X(33, 'X') X(34, 'Y') X(35, 'Z')
#define LOWER_FROM_36(X) \
    X(36, 'a') X(37, 'b') X(38, 'c') X(39, 'd') X(40, 'e') X(41, 'f') X(42, 'g') X(43, 'h') X(44, 'i') X(45, 'j') \
    X(46, 'k') X(47, 'l') X(48, 'm') X(49, 'n') X(50, 'o') X(51, 'p') X(52, 'q') X(53, 'r') X(54, 's') X(55, 't') \
    X(56, 'u') X(57, 'v') X(58, 'w') X(59, 'x') X(60, 'y') X(61, 'z')
#define CROCKFORD_LETTERS(X) \
    X(10, 'A') X(11, 'B') X(12, 'C') X(13, 'D') X(14, 'E') X(15, 'F') X(16, 'G') X(17, 'H') X(18, 'J') X(19, 'K') \
    X(20, 'M') X(21, 'N') X(22, 'P') X(23, 'Q') X(24, 'R') X(25, 'S') X(26, 'T') X(27, 'V') X(28, 'W') X(29, 'X') \
    X(30, 'Y') X(31, 'Z')
/* Letters that look like digits: Crockford reads them as those. */
#define CROCKFORD_LOOKALIKES(X) X(1, 'I') X(1, 'L') X(0, 'O')
#define HEX_LETTERS(X) X(10, 'A') X(11, 'B') X(12, 'C') X(13, 'D') X(14, 'E') X(15, 'F')
#define BASE58_ALL(X) \
    X(0, '1') X(1, '2') X(2, '3') X(3, '4') X(4, '5') X(5, '6') X(6, '7') X(7, '8') X(8, '9') X(9, 'a') \
    X(10, 'b') X(11, 'c') X(12, 'd') X(13, 'e') X(14, 'f') X(15, 'g') X(16, 'h') X(17, 'i') X(18, 'j') X(19, 'k') \
    X(20, 'm') X(21, 'n') X(22, 'o') X(23, 'p') X(24, 'q') X(25, 'r') X(26, 's') X(27, 't') X(28, 'u') X(29, 'v') \
    X(30, 'w') X(31, 'x') X(32, 'y') X(33, 'z') X(34, 'A') X(35, 'B') X(36, 'C') X(37, 'D') X(38, 'E') X(39, 'F') \
    X(40, 'G') X(41, 'H') X(42, 'J') X(43, 'K') X(44, 'L') X(45, 'M') X(46, 'N') X(47, 'P') X(48, 'Q') X(49, 'R') \
    X(50, 'S') X(51, 'T') X(52, 'U') X(53, 'V') X(54, 'W') X(55, 'X') X(56, 'Y') X(57, 'Z')
#define BASE64URL_ALL(X) \
    X(0, 'A') X(1, 'B') X(2, 'C') X(3, 'D') X(4, 'E') X(5, 'F') X(6, 'G') X(7, 'H') X(8, 'I') X(9, 'J') \
    X(10, 'K') X(11, 'L') X(12, 'M') X(13, 'N') X(14, 'O') X(15, 'P') X(16, 'Q') X(17, 'R') X(18, 'S') X(19, 'T') \
    X(20, 'U') X(21, 'V') X(22, 'W') X(23, 'X') X(24, 'Y') X(25, 'Z') X(26, 'a') X(27, 'b') X(28, 'c') X(29, 'd') \
    X(30, 'e') X(31, 'f') X(32, 'g') X(33, 'h') X(34, 'i') X(35, 'j') X(36, 'k') X(37, 'l') X(38, 'm') X(39, 'n') \
    X(40, 'o') X(41, 'p') X(42, 'q') X(43, 'r') X(44, 's') X(45, 't') X(46, 'u') X(47, 'v') X(48, 'w') X(49, 'x') \
    X(50, 'y') X(51, 'z') X(52, '0') X(53, '1') X(54, '2') X(55, '3') X(56, '4') X(57, '5') X(58, '6') X(59, '7') \
    X(60, '8') X(61, '9') X(62, '-') X(63, '_')
/* clang-format on */

#define CHARACTER(value, c) [value] = c,
/* One above the value, so that the zero that fills a table says "none". */
#define VALUE(value, c) [c] = value + 1,
#define VALUE_IN_LOWER_CASE(value, c) [c | 0x20] = value + 1,

FZ_PRIVATE const struct fz_alphabet fz_crockford = {
    .digits = {DIGITS_0_TO_9(CHARACTER) CROCKFORD_LETTERS(CHARACTER)},
    .values = {DIGITS_0_TO_9(VALUE) CROCKFORD_LETTERS(VALUE) CROCKFORD_LETTERS(VALUE_IN_LOWER_CASE)
                   CROCKFORD_LOOKALIKES(VALUE) CROCKFORD_LOOKALIKES(VALUE_IN_LOWER_CASE)},
};

FZ_PRIVATE const struct fz_alphabet fz_hex = {
    .digits = {DIGITS_0_TO_9(CHARACTER) HEX_LETTERS(CHARACTER)},
    .values = {DIGITS_0_TO_9(VALUE) HEX_LETTERS(VALUE) HEX_LETTERS(VALUE_IN_LOWER_CASE)},
};

FZ_PRIVATE const struct fz_alphabet fz_base36 = {
    .digits = {DIGITS_0_TO_9(CHARACTER) LOWER_FROM_10(CHARACTER)},
    .values = {DIGITS_0_TO_9(VALUE) LOWER_FROM_10(VALUE)},
};

FZ_PRIVATE const struct fz_alphabet fz_base58 = {
    .digits = {BASE58_ALL(CHARACTER)},
    .values = {BASE58_ALL(VALUE)},
};

FZ_PRIVATE const struct fz_alphabet fz_base62 = {
    .digits = {DIGITS_0_TO_9(CHARACTER) UPPER_FROM_10(CHARACTER) LOWER_FROM_36(CHARACTER)},
    .values = {DIGITS_0_TO_9(VALUE) UPPER_FROM_10(VALUE) LOWER_FROM_36(VALUE)},
};

FZ_PRIVATE const struct fz_alphabet fz_base64url = {
    .digits = {BASE64URL_ALL(CHARACTER)},
    .values = {BASE64URL_ALL(VALUE)},
};
