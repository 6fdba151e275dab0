/* SPDX-License-Identifier: MIT */
#include "nearest.h"

#include "lower.h"
#include "sentence.h"

/* No word that is offered is longer: a longer text is no slip of one. */
enum { WORD_MAX = 40, SHORT_WORD = 5, TINY_WORD = 2 };

struct fz_nearest fz_nearest_to(const char *text, size_t len)
{
    return (struct fz_nearest){.text = text, .len = len};
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static bool is_same_letter(char a, char b)
{
    return fz_lower(a) == fz_lower(b);
}

static bool changed_places(const char *a, const char *b)
{
    return is_same_letter(a[0], b[-1]) && is_same_letter(a[-1], b[0]);
}

/*
 * The edit distance with neighbours that changed places, row by row (Damerau's, where no letter is touched twice).
 * Three rows are enough, as an exchange looks two back.  Above most it only says that: two rows above it have no way
 * back, and most words are far apart.
 */
static unsigned distance(const char *a, size_t a_len, const char *b, size_t b_len, unsigned most)
{
    unsigned rows[3][WORD_MAX + 1];
    unsigned least_of_last = 0;

    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_len; i++) {
        unsigned *now = rows[i % 3];
        const unsigned *last = rows[(i + 2) % 3];
        unsigned least_of_row = now[0] = (unsigned)i;
        for (size_t j = 1; j <= b_len; j++) {
            unsigned replaced = last[j - 1] + !is_same_letter(a[i - 1], b[j - 1]);
            now[j] = least(replaced, 1 + least(last[j], now[j - 1]));
            if (i > 1 && j > 1 && changed_places(&a[i - 1], &b[j - 1]))
                now[j] = least(now[j], rows[(i + 1) % 3][j - 2] + 1);
            least_of_row = least(least_of_row, now[j]);
        }
        if (least(least_of_row, least_of_last) > most)
            return most + 1;
        least_of_last = least_of_row;
    }
    return rows[a_len % 3][b_len];
}

/* How many slips a word of that length may have. */
static unsigned slips_max(size_t len)
{
    return len <= SHORT_WORD ? 1 : 2;
}

void fz_nearest_offer(struct fz_nearest *search, const char *word)
{
    size_t len = fz_text_len(word);

    if (search->len == 0 || search->len > WORD_MAX || len > WORD_MAX)
        return;
    /* A letter too few or too many is a slip, so most words need no look at their letters. */
    if ((len > search->len ? len - search->len : search->len - len) > slips_max(len))
        return;
    unsigned slips = distance(search->text, search->len, word, len, slips_max(len));
    if (slips > slips_max(len) || (len <= TINY_WORD && search->len != len))
        return;
    /* One of two letters is half of the word: only an exchange, or the case, is a slip there. */
    if (len <= TINY_WORD && slips > 0 && (len < TINY_WORD || !changed_places(&search->text[1], &word[1])))
        return;
    if (search->word == NULL || slips < search->distance) {
        search->word = word;
        search->distance = slips;
    }
}

void fz_nearest_say(struct fz_sentence *s, const struct fz_nearest *search, const char *otherwise)
{
    if (search->word == NULL) {
        fz_sentence_str(s, otherwise);
        return;
    }
    fz_sentence_str(s, ": did you mean ");
    fz_sentence_str(s, search->word);
    fz_sentence_char(s, '?');
}
