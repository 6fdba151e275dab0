/* SPDX-License-Identifier: MIT */
#include "lib/spec_spelling.h"

#include <inttypes.h>

#include "frazil.h"
#include "lib/scratch.h"
#include "lib/test.h"

enum { VALUE_SIZE = URL_TEXT_SIZE };

static const char worker_variable[] = "PAIRS_WORKER";

/* The text of each key; empty: it is not said. */
struct said {
    char value[FZ_KEYS_TOTAL][VALUE_SIZE];
    uint64_t *random;
    const char *folder;
};

#define SAY(said, key, ...) snprintf((said)->value[FZ_KEY_##key], VALUE_SIZE, __VA_ARGS__)

static bool toss(struct said *said)
{
    return url_pick(said->random, 2) == 0;
}

static void write_time(char ret[FRAZIL_TIME_SIZE], int64_t unix_ms, bool as_number)
{
    if (as_number)
        snprintf(ret, FRAZIL_TIME_SIZE, "%" PRId64, unix_ms);
    else
        assert_int_equal(frazil_time_format(unix_ms, ret, FRAZIL_TIME_SIZE, NULL), FRAZIL_OK);
}

/* The fields from high to low, with as many bits for the datacenter. */
static void write_bits(struct said *said, const frazil_layout *l, unsigned datacenter_bits, char ret[64])
{
    char worker[24];
    unsigned rest = l->worker_bits - datacenter_bits;

    if (datacenter_bits > 0)
        snprintf(worker, sizeof worker, "%u+%u", datacenter_bits, rest);
    else
        snprintf(worker, sizeof worker, "%u", rest);
    if (l->sequence_above_worker)
        snprintf(ret, 64, "%u/%us/%sw", l->time_bits, l->sequence_bits, worker);
    else
        snprintf(ret, 64, toss(said) ? "%u/%s/%u" : "%u/%sw/%us", l->time_bits, worker, l->sequence_bits);
}

static bool has_bits_of(const frazil_layout *preset, const frazil_layout *l, unsigned datacenter_bits)
{
    return preset->kind == l->kind && preset->time_bits == l->time_bits && preset->worker_bits == l->worker_bits &&
           preset->sequence_bits == l->sequence_bits && preset->sequence_above_worker == l->sequence_above_worker &&
           preset->datacenter_bits == datacenter_bits;
}

/* A preset with these bits, whatever its epoch and tick, or NULL. */
static const frazil_layout *any_preset(struct said *said, const frazil_layout *l, unsigned datacenter_bits)
{
    size_t n = 0;

    while (frazil_layout_preset(n) != NULL)
        n++;
    size_t first = url_pick(said->random, (unsigned)n);
    for (size_t i = 0; i < n; i++) {
        const frazil_layout *preset = frazil_layout_preset((first + i) % n);
        if (has_bits_of(preset, l, datacenter_bits))
            return preset;
    }
    return NULL;
}

/* Epoch and tick: where they must be said, in the text of the layout or as keys. */
static void say_times(struct said *said, const frazil_layout *l, const frazil_layout *beside)
{
    char epoch[FRAZIL_TIME_SIZE];
    char *layout = said->value[FZ_KEY_LAYOUT];

    write_time(epoch, l->epoch_unix_ms, toss(said));
    if (l->epoch_unix_ms != beside->epoch_unix_ms || toss(said)) {
        if (layout[0] != '\0' && toss(said))
            snprintf(layout + strlen(layout), VALUE_SIZE - strlen(layout), " epoch=%s", epoch);
        else
            SAY(said, EPOCH, "%s", epoch);
    }
    if (l->tick_ms != beside->tick_ms || toss(said)) {
        if (layout[0] != '\0' && toss(said))
            snprintf(layout + strlen(layout), VALUE_SIZE - strlen(layout), " tick=%ums", l->tick_ms);
        else
            SAY(said, TICK, toss(said) ? "%ums" : "%u000us", l->tick_ms);
    }
}

static void say_layout(struct said *said, const frazil_layout *l, unsigned datacenter_bits)
{
    const frazil_layout *preset = any_preset(said, l, datacenter_bits);
    const frazil_layout *usual = frazil_layout_preset(0);
    char bits[64];

    if (l->kind == FRAZIL_LAYOUT_SNO) {
        SAY(said, LAYOUT, "sno");
        return;
    }
    write_bits(said, l, datacenter_bits, bits);
    if (has_bits_of(usual, l, datacenter_bits) && toss(said)) {
        say_times(said, l, usual);
    } else if (preset != NULL && toss(said)) {
        SAY(said, LAYOUT, "%s", preset->name);
        say_times(said, l, preset);
    } else {
        SAY(said, LAYOUT, "%s", bits);
        say_times(said, l, usual); /* bits alone have its epoch and its tick */
    }
}

/* A way that can say this worker id. */
static enum spec_way choose_way(struct said *said, const struct spec_meaning *meaning)
{
    bool is_sno = meaning->layout.kind == FRAZIL_LAYOUT_SNO;
    enum spec_way way = meaning->way;

    while (way == SPEC_ANY) {
        way = (enum spec_way)url_pick(said->random, SPEC_HASH);
        if ((way == SPEC_PARTITION && !is_sno) || (way == SPEC_DATACENTER && is_sno) ||
            (way == SPEC_OCTET && (meaning->worker > 255 || meaning->layout.worker_bits < SPEC_OCTET_BITS)))
            way = SPEC_ANY;
    }
    return way;
}

static void say_partition(struct said *said, uint32_t partition)
{
    unsigned high = partition >> 8;

    if (toss(said))
        SAY(said, PARTITION, "%u", partition);
    else
        SAY(said, PARTITION, "%u,%u", high, partition & 255);
}

static void say_worker(struct said *said, const struct spec_meaning *meaning, enum spec_way way,
                       unsigned datacenter_bits)
{
    uint32_t worker = meaning->worker;
    unsigned low_bits = meaning->layout.worker_bits - datacenter_bits;
    uint32_t low = worker & ((UINT32_C(1) << low_bits) - 1);
    uint32_t base = 0;
    static unsigned hosts;

    if (way == SPEC_BASE)
        base = url_pick(said->random, low + 1);
    if (way == SPEC_BASE)
        SAY(said, BASE, "%u", base);
    if (datacenter_bits > 0 && (way == SPEC_DATACENTER || worker != low))
        SAY(said, DATACENTER, "%u", worker >> low_bits);
    switch (way) {
    case SPEC_ORDINAL:
        SAY(said, WORKER, "ordinal");
        SAY(said, HOSTNAME, "%s-%u", hosts++ % 2 == 0 ? "orders" : "eu-orders", low);
        return;
    case SPEC_OCTET:
        SAY(said, WORKER, "ip-last-octet");
        SAY(said, IP, "10.0.%u.%u", hosts++ % 250, low);
        return;
    case SPEC_PARTITION:
        say_partition(said, worker);
        return;
    case SPEC_HASH:
        SAY(said, WORKER, "ip-hash");
        SAY(said, IP, "10.0.0.%u", 1 + worker % 200);
        SAY(said, EXPECT, "%u", 2 + meaning->choice[FZ_KEY_EXPECT]);
        return;
    case SPEC_VARIABLE: {
        char number[16];
        snprintf(number, sizeof number, "%u", low);
        assert_int_equal(setenv(worker_variable, number, 1), 0);
        SAY(said, WORKER, "env:%s", worker_variable);
        return;
    }
    default:
        SAY(said, WORKER, "fixed:%u", low - base);
    }
}

static void say_choices(struct said *said, const struct spec_meaning *meaning)
{
    const struct spec_choice *choice;

    for (size_t i = 0; (choice = spec_choice(i)) != NULL; i++) {
        const char *text = choice->values[meaning->choice[choice->key]][url_pick(said->random, SPEC_SPELLINGS)];
        bool by_behaviour = spec_is_policy(choice->key) && meaning->choice[FZ_KEY_BEHAVIOUR] != 0;
        if ((choice->shapes >> meaning->shape & 1) == 0 || text == NULL || by_behaviour)
            continue;
        snprintf(said->value[choice->key], VALUE_SIZE, "%s%s", text[0] == '@' ? said->folder : "",
                 text + (text[0] == '@' ? 1 : 0));
    }
}

/* Either end first; what is the layout's own end need not be said. */
static void say_bounds(struct said *said, const struct spec_meaning *meaning)
{
    bool is_default = meaning->seq_min == 0 && meaning->seq_max == spec_top(&meaning->layout);
    bool swapped = meaning->seq_min != 0 && toss(said);
    uint64_t first = swapped ? meaning->seq_max : meaning->seq_min;
    uint64_t last = swapped ? meaning->seq_min : meaning->seq_max;

    if (is_default && toss(said))
        return;
    if (first != 0 || toss(said))
        SAY(said, SEQ_MIN, "%" PRIu64, first);
    if (last != spec_top(&meaning->layout) || toss(said))
        SAY(said, SEQ_MAX, "%" PRIu64, last);
}

static void say_all(struct said *said, const struct spec_meaning *meaning)
{
    static char url[URL_TEXT_SIZE];
    enum spec_shape shape = meaning->shape;
    bool is_leased = shape == SPEC_LEASE || shape == SPEC_ALONE;
    bool is_sno = meaning->layout.kind == FRAZIL_LAYOUT_SNO;
    enum spec_way way = is_leased ? SPEC_ANY : choose_way(said, meaning);
    unsigned datacenter_bits = 0;

    /* An address needs all bits, and a hash is one of as many numbers as there are. */
    if (way == SPEC_DATACENTER || (!is_sno && way != SPEC_HASH && way != SPEC_OCTET && toss(said)))
        datacenter_bits = 1 + url_pick(said->random, meaning->layout.worker_bits - 1U);
    say_choices(said, meaning);
    say_layout(said, &meaning->layout, datacenter_bits);
    say_bounds(said, meaning);
    if (shape == SPEC_SLOTS || is_leased)
        url_say(&meaning->url, said->folder, said->random, url);
    if (is_leased)
        SAY(said, WORKER, "%s", url);
    else
        say_worker(said, meaning, way, datacenter_bits);
    if (shape == SPEC_SLOTS)
        SAY(said, STATE, "%s", meaning->line != NULL ? meaning->line : url);
    else if (shape == SPEC_FILES || shape == SPEC_MEMORY)
        SAY(said, STATE, "%s", shape == SPEC_FILES ? "file" : "memory");
    if (shape == SPEC_LEASE || (shape == SPEC_ALONE && toss(said)))
        SAY(said, SHARE, "%s", shape == SPEC_LEASE ? "host" : "process");
}

/* ---- where it stands -------------------------------------------------------------------- */

struct text {
    char *at;
    size_t size;
    size_t len;
};

static void append(struct text *text, char c)
{
    assert_true(text->len + 1 < text->size);
    text->at[text->len++] = c;
    text->at[text->len] = '\0';
}

/* KEY=VALUE, in quotes where it needs them, and now and then where it does not. */
static void append_pair(struct text *text, struct said *said, enum fz_key key, char before)
{
    const char *value = said->value[key];
    bool quoted = strpbrk(value, " '") != NULL || toss(said);

    if (text->len > 0)
        append(text, before);
    for (const char *c = fz_key_name(key); *c != '\0'; c++)
        append(text, *c);
    append(text, '=');
    if (quoted)
        append(text, '\'');
    for (; *value != '\0'; value++) {
        if (quoted && (*value == '\'' || *value == '\\'))
            append(text, '\\');
        append(text, *value);
    }
    if (quoted)
        append(text, '\'');
}

enum place { IN_SPEC, IN_OPTION, IN_CONFIG, IN_ENVIRONMENT, IN_PLACES };

/*
 * A place for a key.  A program that says anything says what ids look like: then the environment does not.  Config
 * files may always say it.
 */
static enum place place_of_key(struct said *said, enum fz_key key, bool by_program, bool in_spec, bool has_config)
{
    enum place place;

    do {
        place = (enum place)url_pick(said->random, IN_PLACES);
    } while ((!by_program && place <= IN_OPTION) || (in_spec && place == IN_OPTION) ||
             (!has_config && place == IN_CONFIG) || (by_program && place == IN_ENVIRONMENT && fz_key_is_of_ids(key)));
    return place;
}

static void say_in(struct said *said, enum place place, enum fz_key key, struct spec_spelling *ret, struct text *spec,
                   struct text *config)
{
    char variable[FZ_KEY_VARIABLE_SIZE];
    frazil_error why;

    switch (place) {
    case IN_SPEC:
        append_pair(spec, said, key, ' ');
        return;
    case IN_CONFIG:
        append_pair(config, said, key, '\n');
        return;
    case IN_ENVIRONMENT:
        fz_key_variable(key, variable);
        assert_int_equal(setenv(variable, said->value[key], 1), 0);
        return;
    default:
        if (ret->options == NULL || frazil_options_set(ret->options, fz_key_name(key), said->value[key],
                                                       strlen(said->value[key]), &why) != FRAZIL_OK)
            fail_msg("%s=%s: %s", fz_key_name(key), said->value[key], why.message);
    }
}

void spec_set(const struct spec_meaning *meaning, const char *folder, bool in_spec, uint64_t *random,
              struct spec_spelling *ret)
{
    static struct said said;
    static char lines[8192];
    static unsigned configs;
    char name[32];
    struct text spec = {.at = ret->spec, .size = sizeof ret->spec};
    struct text config = {.at = lines, .size = sizeof lines};
    frazil_error why;

    snprintf(ret->host_dir, sizeof ret->host_dir, "%s", getenv("FRAZIL_HOST_DIR"));
    assert_int_equal(unsetenv("FRAZIL_HOST_DIR"), 0);
    memset(&said, 0, sizeof said);
    said.random = random;
    said.folder = folder;
    ret->spec[0] = lines[0] = '\0';
    ret->options = NULL;
    if (!in_spec)
        assert_int_equal(frazil_options_open(&ret->options, &why), FRAZIL_OK);
    say_all(&said, meaning);
    bool by_program = !meaning->from_config && url_pick(random, 4) != 0;
    bool has_config = meaning->from_config || toss(&said);
    unsigned first = url_pick(random, FZ_KEYS_TOTAL);
    bool backwards = toss(&said);
    for (unsigned i = 0; i < FZ_KEYS_TOTAL; i++) {
        enum fz_key key = (enum fz_key)((first + (backwards ? FZ_KEYS_TOTAL - i : i)) % FZ_KEYS_TOTAL); /* any order */
        if (said.value[key][0] != '\0')
            say_in(&said, meaning->from_config ? IN_CONFIG : place_of_key(&said, key, by_program, in_spec, has_config),
                   key, ret, &spec, &config);
    }
    if (config.len > 0) {
        snprintf(name, sizeof name, "config-%u", configs++ % 4);
        SAY(&said, CONFIG, "%s", scratch_path(folder, name));
        append(&config, '\n');
        scratch_write(said.value[FZ_KEY_CONFIG], lines, config.len);
        say_in(&said, by_program ? IN_SPEC : IN_ENVIRONMENT, FZ_KEY_CONFIG, ret, &spec, &config);
    }
    if (!in_spec && frazil_options_spec(ret->options, ret->spec, spec.len, &why) != FRAZIL_OK)
        fail_msg("%s: %s", ret->spec, why.message);
}

void spec_unset(struct spec_spelling *spelling)
{
    char variable[FZ_KEY_VARIABLE_SIZE];

    for (int key = 0; key < FZ_KEYS_TOTAL; key++) {
        fz_key_variable((enum fz_key)key, variable);
        assert_int_equal(unsetenv(variable), 0);
    }
    assert_int_equal(setenv("FRAZIL_HOST_DIR", spelling->host_dir, 1), 0);
    assert_int_equal(unsetenv(worker_variable), 0);
    frazil_options_close(spelling->options);
    spelling->options = NULL;
}
