/* SPDX-License-Identifier: MIT */
#include "story.h"

#include <stdio.h>
#include <string.h>

#include "world.h"

static const char *const sentences[EVENTS_TOTAL] = {
#define EVENT_SENTENCE(identifier, sentence) sentence,
    EVENTS(EVENT_SENTENCE)
#define FAULT_SENTENCE(identifier, class_, sentence) sentence,
        FAULTS(FAULT_SENTENCE) FLEET_FAULTS(FAULT_SENTENCE) MEMBERS_FAULTS(FAULT_SENTENCE)
            USERS_FAULTS(FAULT_SENTENCE)};

static const char *const fault_names[FAULTS_TOTAL] = {
#define FAULT_NAME(identifier, class_, sentence) #identifier,
    FAULTS(FAULT_NAME) FLEET_FAULTS(FAULT_NAME) MEMBERS_FAULTS(FAULT_NAME) USERS_FAULTS(FAULT_NAME)};

static const char *const fault_classes[FAULTS_TOTAL] = {
#define FAULT_CLASS(identifier, class_, sentence) class_,
    FAULTS(FAULT_CLASS) FLEET_FAULTS(FAULT_CLASS) MEMBERS_FAULTS(FAULT_CLASS) USERS_FAULTS(FAULT_CLASS)};

static struct {
    bool aloud;
    uint64_t hash;
    uint64_t struck[FAULTS_TOTAL];
} story;

void story_begin(bool aloud)
{
    memset(&story, 0, sizeof story);
    story.aloud = aloud;
    story.hash = UINT64_C(0xcbf29ce484222325);
}

/* FNV-1a over the number's bytes, the lowest first, so that every machine comes to the same. */
static void mix(uint64_t number)
{
    for (unsigned shift = 0; shift < 64; shift += 8)
        story.hash = (story.hash ^ (number >> shift & 0xff)) * UINT64_C(0x100000001b3);
}

static void print_place(void)
{
    unsigned host;
    unsigned pid;
    unsigned thread;

    printf("%14.6f s  ", (double)world_now() / 1e9);
    if (world_place(&host, &pid, &thread))
        printf("h%u p%u.%u  ", host, pid, thread);
    else
        printf("world    ");
}

void tell(enum event event, uint64_t a, uint64_t b, uint64_t c)
{
    unsigned host = 0;
    unsigned pid = 0;
    unsigned thread = 0;

    world_place(&host, &pid, &thread);
    mix(event);
    mix(world_now());
    mix((uint64_t)host << 40 | (uint64_t)pid << 8 | thread);
    mix(a);
    mix(b);
    mix(c);
    if (event >= FIRST_FAULT)
        story.struck[event - FIRST_FAULT]++;
    if (!story.aloud)
        return;
    print_place();
    if (event >= FIRST_FAULT)
        printf("** %s ** ", fault_class(event));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    printf(sentences[event], (unsigned long long)a, (unsigned long long)b, (unsigned long long)c);
#pragma GCC diagnostic pop
    putchar('\n');
}

void tell_aside(const char *sentence)
{
    if (!story.aloud)
        return;
    print_place();
    printf("   \"%s\"\n", sentence);
}

uint64_t story_hash(void)
{
    return story.hash;
}

uint64_t story_struck(enum event fault)
{
    return story.struck[fault - FIRST_FAULT];
}

const char *fault_name(enum event fault)
{
    return fault_names[fault - FIRST_FAULT];
}

const char *fault_class(enum event fault)
{
    return fault_classes[fault - FIRST_FAULT];
}
