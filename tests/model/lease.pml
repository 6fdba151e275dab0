/* SPDX-License-Identifier: MIT */
/*
 * The lease protocol for the model checker Spin: the rules L1 to L11 of src/lease/lease.h, as its code follows them,
 * for one worker id or for two.  Every interleaving of what follows is looked at.
 *
 * With MEMBERS two of the generators are processes that share a lease (share=host): a page holds their grant.  A member
 * looks at it, asks as others do, and puts the answer there unless another member was faster.  It may be killed or
 * stopped at any step, and another process may join.  The last one to leave takes the grant off the page, and then
 * gives it back.  A third generator competes, or is a copy of their host.
 *
 * Generators read their clock, look at the coordinator, ask it to swap the worker's record, and hear the answer; before
 * each request is carried out they may be held up for as long as there is time.  Its answer may be lost, it may be
 * carried out late, or twice, or never.  Generators crash, give the worker id back, and are copied.  The coordinator
 * is wiped, or falls back to an older copy of itself with another clock; an operator makes the namespace again, and
 * frees the worker id by hand.
 *
 * An answer is heard when it is given.  Hearing it later makes no difference: nothing in between can depend on it, and
 * the oracle's notes of who was granted what would be the same.
 *
 * The promise (I1, I2): no tick is ever granted to two.  A tick counts as granted from the moment in which its owner
 * has seen the answer, for ever: he may have crashed after issuing it, or issue it late, whatever his clock shows.
 *
 * Names are those of src/lease.  What a configuration has is set by the macros below; a variant leaves out, or changes,
 * one rule, and must fail.  tests/model/check.sh runs them all, and docs/TRUST.md says what they show.
 */

#ifndef NODES
#define NODES 2
#endif
#ifndef WORKERS
#define WORKERS 1 /* worker ids; of 2, a look shows the namespace and one of them, as a sample of a large pool does */
#endif
#ifndef TIME
#define TIME 6 /* the last tick that true time reaches */
#endif
#ifndef HORIZON
#define HORIZON 2
#endif
#ifndef SKEW
#define SKEW 1 /* max_skew; generators' clocks may be ahead by more: what must be found out */
#endif
#ifndef CLOCK_AHEAD
#define CLOCK_AHEAD (SKEW + 1)
#endif
#ifndef CLOCK_BEHIND
#define CLOCK_BEHIND 1
#endif
#ifndef COPIES
#define COPIES 0 /* 1: the last node is no process of its own, but a machine resumed a second time */
#endif
#ifndef LATE
#define LATE 0 /* 1: a request may be carried out when nobody waits for it any more */
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef RELEASES
#define RELEASES 0
#endif
#ifndef WIPES
#define WIPES 0
#endif
#ifndef FALLBACKS
#define FALLBACKS 0 /* 1: the coordinator may be replaced, once, by one with an older copy */
#endif
#ifndef MEMBERS
#define MEMBERS 0 /* 1: of three nodes the first two share page 0; the third has a page, and with it a lease, of its own */
#endif
#ifndef OPERATORS
#define OPERATORS 0 /* so many run frazil lease init */
#endif
#ifndef HAS_NAMESPACE
#define HAS_NAMESPACE 1 /* 0: at the beginning there is none */
#endif

/* ---- what a variant does otherwise -------------------------------------- */

#ifdef QUARANTINE_SHORT
#define QUARANTINE (HORIZON + 2 * SKEW - 1)
#else
#define QUARANTINE (HORIZON + 2 * SKEW) /* L6 */
#endif
#ifdef L9_WITHOUT_SKEW
#define MARGIN 0
#else
#define MARGIN (2 * SKEW) /* L9 */
#endif

/*
 * What the operator says of the namespace that was lost (frazil lease init horizon=, max_skew=): the truth, or
 * SAID_LESS ticks too few.  LOOKS: nobody takes a worker id before each holder has looked at the new namespace, for
 * which there is time in the least quarantine (L10).
 */
#ifndef SAID_LESS
#define SAID_LESS 0
#endif
#define SAID_QUARANTINE (QUARANTINE - SAID_LESS)

#define CLOSED 255

/* ---- the coordinator ------------------------------------------------------ */

typedef Record {
    byte version; /* 0: does not exist */
    byte until;
    byte token;
    bit released
}

typedef Space {
    byte version;
    byte token;
    byte quarantine;
    byte incarnation;
    bit raised /* by a holder of the namespace before */
}

Record record[WORKERS], old_record[WORKERS];
Space space, old_space;

byte time;
byte ahead;       /* the coordinator's clock, ahead of true time */
byte incarnation;
byte crashes, releases, wipes, fallbacks, spaces;
bit has_copy; /* old_* are what it would fall back to */
bit copied;   /* the host of members has a copy */

#define COORDINATOR_TICK (time + ahead)

/* ---- generators ----------------------------------------------------------- */

mtype = {ABSENT, IDLE, ASKED, TAKEN, HEARD, LEAVING};
mtype = {NONE, DOUBT, BURNED, LOST};
mtype = {OWN, TAKE, GUARD};

typedef Node {
    mtype phase;
    byte token;
    byte now_tick; /* of the request under way */
#if WORKERS > 1
    byte worker;       /* of the grant held, or in trouble */
    byte asked_worker; /* of the request */
#endif
    /* the grant held; version 0: none */
    byte version;
    byte floor; /* only where it is given back */
    byte until;
    mtype trouble;
    /* the namespace as it was read last */
    bit known;
    bit stale;
    byte space_token;
    byte quarantine;
    byte incarnation;
    /* what was asked for */
    mtype asked;
    byte expected;
    byte asked_floor;
    byte asked_until;
    byte asked_incarnation;
    bit fresh;
    bit own;
    byte answered_version /* of a taking that waits for its second look; of a grant that is not on the page yet */
#if MEMBERS
    ;
    bit knows;   /* which version the record has in which the grant stands (fz_lease_knows_record) */
    bit outdated /* the page has changed since the member looked at it, or it has not looked yet */
#endif
}

Node node[NODES];

#if MEMBERS
/* The page that members share: the grant in force. */
typedef Page {
    byte worker;
    byte version; /* 0: none */
    byte floor;
    byte until;
    byte space_token
}

Page page[2];

#define PAGE_OF(i) ((i) == 2)
#define PAGE page[PAGE_OF(i)]
#define KNOWS ME.knows
#define KNOW ME.knows = 1
#else
#define KNOWS true
#define KNOW skip
#endif

#if WORKERS > 1
#define WORKER_OF(n) n.worker
#define ASKED_WORKER_OF(n) n.asked_worker
#define LATE_WORKER late.worker
#define SET_WORKER(place, w) place = w
#else
#define WORKER_OF(n) 0
#define ASKED_WORKER_OF(n) 0
#define LATE_WORKER 0
#define SET_WORKER(place, w) skip
#endif

/* A request that its sender does not wait for any more, and that may still be carried out. */
typedef Late {
    bit there;
#if WORKERS > 1
    byte worker;
#endif
    byte expected;
    byte until;
    byte token;
    bit released
}

Late late;

/* ---- the oracle ----------------------------------------------------------- */

/*
 * One tick is watched: who was granted it?  So nothing else of the past needs to be kept.  Which one it is, is chosen
 * at the beginning; where that would be too many states, it is given.  It is one of worker id 0: the worker ids differ
 * by their numbers alone, so whatever can happen to a tick of the other one can happen to this one.
 */
#ifndef WATCHED
#define ANY_WATCHED
#define WATCHED watched
byte watched;
#endif
bit granted[NODES]; /* with MEMBERS: to those of a page */
bit gone;    /* to one who has crashed */
bit excused; /* to a machine, when it was copied */

#define IS_WATCHED(w, first, last) ((w) == 0 && (first) <= WATCHED && WATCHED <= (last))

#if MEMBERS
#define OWNER(i) PAGE_OF(i)
#define OTHERS(i) granted[1 - OWNER(i)]
#define SHARED_TOKEN(i) true
#elif NODES == 3
#define OTHERS(i) (gone | granted[((i) + 1) % 3] | granted[((i) + 2) % 3])
#define SHARED_TOKEN(i) (node[((i) + 1) % 3].token == node[i].token || node[((i) + 2) % 3].token == node[i].token)
#else
#define OTHERS(i) (gone | granted[((i) + 1) % 2])
#define SHARED_TOKEN(i) (node[((i) + 1) % 2].token == node[i].token)
#endif

#if !MEMBERS
#define OWNER(i) i
#endif

/* Hands ticks to a generator that has seen the answer, or to all who share its page. */
inline grant(i, at, first, last)
{
    if
    :: IS_WATCHED(at, first, last) ->
        assert(granted[OWNER(i)] || excused || !(OTHERS(i)));
        granted[OWNER(i)] = 1
    :: else -> skip
    fi
}

/* ---- swaps ---------------------------------------------------------------- */

/*
 * Versions are only ever compared for being the same, and never come back.  So one that no record has any more is as
 * good as any other such one, GONE, and few numbers are enough.
 */
#define GONE 255
#define FORGET(v, w) v = ((v) != 0 && (v) != record[w].version && (v) != old_record[w].version -> GONE : (v))

/* A request for such a version will never be carried out, so nobody cares what it asked for. */
inline forget_of(node_i)
{
    FORGET(node_i.version, WORKER_OF(node_i));
    FORGET(node_i.answered_version, ASKED_WORKER_OF(node_i));
    if
    :: node_i.asked != GUARD -> FORGET(node_i.expected, ASKED_WORKER_OF(node_i))
    :: else -> skip /* that is a version of the namespace */
    fi;
    if
    :: node_i.expected == GONE && node_i.phase == ASKED ->
        node_i.now_tick = 0;
        node_i.asked_floor = 0;
        node_i.asked_until = 0
    :: else -> skip
    fi
}

inline forget_versions()
{
    forget_of(node[0]);
    forget_of(node[1]);
#if NODES == 3
    forget_of(node[2]);
#endif
#if MEMBERS
    FORGET(page[0].version, page[0].worker);
    FORGET(page[1].version, page[1].worker);
#endif
    FORGET(late.expected, LATE_WORKER);
    if
    :: late.expected == GONE ->
        SET_WORKER(late.worker, 0); late.there = 0; late.expected = 0; late.until = 0; late.token = 0; late.released = 0
    :: else -> skip
    fi
}

inline swap(ret, at, expects, new_until, new_token, new_released)
{
    if
    :: record[at].version == expects ->
        record[at].version = 0;
        record[at].until = new_until;
        record[at].token = new_token;
        record[at].released = new_released;
        forget_versions();
        ret = (old_record[at].version == 1 -> 2 : 1);
        record[at].version = ret
    :: else -> ret = 0
    fi
}

/* ---- a call: local steps -------------------------------------------------- */

#define ME node[i]
#define HELD record[WORKER_OF(ME)]
#define HAS_NOT_LOOKED(n) (node[n].version != 0 && node[n].known && node[n].space_token != space.token)
#ifdef LOOKS
#define MAY_TAKE !HAS_NOT_LOOKED(1 - i)
#else
#define MAY_TAKE true
#endif
#define LATER(a, b) ((a) > (b) -> (a) : (b))
#define REACH (ME.now_tick + HORIZON)
#define AFTER_LOSSES (ME.until >= ME.quarantine)
#define SAME_INCARNATION(seen) (ME.incarnation == (seen))
#ifdef L5_ANY_CLOCK
#define CLOCK_TOO_FAR false
#else
#define CLOCK_TOO_FAR (ME.now_tick > COORDINATOR_TICK + SKEW) /* L5; one that is behind does no harm here */
#endif

#ifdef L9_WITHOUT_TIME
#define CERTAINLY_OURS(tick) true
#else
#define CERTAINLY_OURS(tick) ((tick) + MARGIN < ME.until)
#endif

/* The call has ended, or goes on with the next step: that makes no difference, each step finds a clock of its own. */
inline end_step()
{
    ME.phase = IDLE;
    ME.now_tick = 0;
    ME.asked = 0;
    ME.expected = 0;
    ME.asked_floor = 0;
    ME.asked_until = 0;
    ME.asked_incarnation = 0;
    ME.fresh = 0;
    ME.own = 0;
    SET_WORKER(ME.asked_worker, 0);
    ME.answered_version = 0;
#if MEMBERS
    if
    :: ME.outdated -> ME.trouble = NONE; ME.worker = 0
    :: else -> skip
    fi
#endif
}

/* What is not asked any more of a grant that is not simply extended is forgotten. */
inline in_trouble(what)
{
    ME.trouble = what;
#if !RELEASES
    ME.version = (ME.version != 0 -> GONE : 0);
    ME.until = (what == LOST || (!WIPES && !FALLBACKS) -> 0 : ME.until);
#endif
    skip
}

/* fz_namespace_check, of what is read now.  ok: it can be believed; otherwise the call ends, or begins a quarantine. */
inline namespace_check(ok)
{
    ok = false;
#ifdef L7_FRESH_START
    if
    :: space.version == 0 ->
        spaces++;
        space.version = spaces * 16;
        space.token = spaces;
        space.incarnation = incarnation
    :: else -> skip
    fi;
#endif
    if
    :: space.version == 0 || space.quarantine == CLOSED -> end_step() /* L7 */
#ifndef NO_QUARANTINE
    :: space.version != 0 && space.quarantine != CLOSED && space.incarnation != incarnation ->
        ME.asked = GUARD;
        ME.expected = space.version;
        ME.asked_until = LATER(space.quarantine, LATER(ME.now_tick, COORDINATOR_TICK) + QUARANTINE);
        ME.asked_incarnation = incarnation;
        ME.phase = ASKED
#endif
#if SAID_LESS && !defined(L10_SILENT)
    :: space.version != 0 && space.quarantine != CLOSED && space.incarnation == incarnation && HAS_NOT_LOOKED(i) &&
       !space.raised ->
        ME.asked = GUARD;
        ME.expected = space.version;
        ME.asked_until = LATER(space.quarantine, LATER(ME.now_tick, COORDINATOR_TICK) + QUARANTINE);
        ME.asked_incarnation = incarnation;
        ME.phase = ASKED
#endif
    :: else ->
        ME.known = 1;
        ME.stale = 0;
        ME.space_token = space.token;
        ME.quarantine = space.quarantine;
        ME.incarnation = incarnation;
        ok = true
    fi
}

/* Whether a worker id can be taken: never taken, our own, given back, or abandoned. */
#if MEMBERS
#define IN_TROUBLE(w) true /* L11: a record that bears the token of the lease is its members' to swap */
#else
#define IN_TROUBLE(w) ((ME.trouble == DOUBT || ME.trouble == BURNED) && WORKER_OF(ME) == (w))
#endif
#define IS_OWN(w) (record[w].version != 0 && !record[w].released && record[w].token == ME.token && IN_TROUBLE(w))
#define IS_FREE(w) (record[w].version == 0 || IS_OWN(w) || record[w].released || record[w].until < COORDINATOR_TICK)
#if WORKERS > 1
#define NONE_IS_FREE (!IS_FREE(0) && !IS_FREE(1))
#else
#define NONE_IS_FREE (!IS_FREE(0))
#endif

/* The sample shows no worker id that is free.  The generator looks further, and says "all are taken" of all alone. */
inline look_further()
{
#ifdef REFUSED_BY_A_SAMPLE
    assert(NONE_IS_FREE);
#endif
    end_step()
}

/* fz_lease_take: one look, and the swap that it leads to.  The look shows the worker id `at` beside the namespace. */
inline take(at, ok, floor, follows)
{
    namespace_check(ok);
    if
    :: ok ->
        ME.fresh = (record[at].version == 0);
        ME.own = IS_OWN(at);
        floor = (ME.fresh -> ME.quarantine : LATER(record[at].until, ME.quarantine)) + 1; /* L2 */
#ifdef CLASSIC
        floor = ME.now_tick; /* whoever's turn it is begins at once */
#endif
        follows = ME.own && ME.version != 0 && AFTER_LOSSES && !MEMBERS; /* L11: it may be what a copy goes on with */
#ifdef L9_TAKES_EARLY
        follows = true;
#endif
        if
        :: CLOCK_TOO_FAR -> end_step() /* compare_clocks */
        :: else ->
            if
            :: IS_FREE(at) && MAY_TAKE && floor <= REACH && (follows || floor <= COORDINATOR_TICK) -> /* L9 */
                ME.asked = TAKE;
                SET_WORKER(ME.asked_worker, at);
                ME.expected = record[at].version;
                ME.asked_floor = floor;
                ME.asked_until = REACH;
                ME.phase = ASKED
            :: !IS_FREE(at) -> look_further()
            :: else -> end_step()
            fi
        fi
    :: else -> skip
    fi;
    ok = false;
    floor = 0;
    follows = 0
}

/* read_own: after a swap without an answer, or of a grant that another member has put on the page. */
inline read_own()
{
    if
    :: incarnation != ME.incarnation -> ME.stale = 1
    :: else ->
        if
        :: HELD.version == ME.version -> ME.trouble = NONE; KNOW
        :: HELD.version != ME.version && HELD.version != 0 && !HELD.released && HELD.token == ME.token ->
#ifdef TRUSTS_OWN_TOKEN
            /* against L4 */
#if MEMBERS
            ME.asked = OWN;
            ME.asked_worker = ME.worker;
            ME.asked_until = HELD.until;
            ME.answered_version = HELD.version;
            ME.phase = HEARD
#else
            grant(i, WORKER_OF(ME), ME.until + 1, HELD.until);
            ME.until = HELD.until;
            ME.version = HELD.version;
            ME.trouble = NONE
#endif
#else
            in_trouble(BURNED) /* L4 */
#endif
        :: else -> in_trouble(LOST)
        fi
    fi
}

/* Extends without a gap: swap_own up to its request. */
inline ask_own()
{
    if
    :: !AFTER_LOSSES && !CERTAINLY_OURS(ME.now_tick) -> in_trouble(BURNED) /* L6 */
    :: else ->
        if
        :: REACH > ME.until ->
#ifdef L1_WITHOUT_ANSWER
            grant(i, WORKER_OF(ME), ME.until + 1, REACH);
#endif
            ME.asked = OWN;
            SET_WORKER(ME.asked_worker, WORKER_OF(ME));
            ME.expected = ME.version;
            ME.asked_until = REACH;
            ME.phase = ASKED
        :: else -> end_step()
        fi
    fi
}

/* The answer to an extension: the end of swap_own. */
inline hear_own(version_given)
{
    if
#if MEMBERS
    :: version_given == 0 -> ME.trouble = DOUBT /* L11: another member may have swapped it */
#else
    :: version_given == 0 -> in_trouble(LOST) /* L3 */
#endif
    :: version_given != 0 && (CLOCK_TOO_FAR ||
        !((SAME_INCARNATION(incarnation) && AFTER_LOSSES) ||
          CERTAINLY_OURS(LATER(ME.now_tick, COORDINATOR_TICK)))) -> in_trouble(BURNED) /* L5, L6, L9 */
    :: else ->
        if
        :: !SAME_INCARNATION(incarnation) -> ME.stale = 1
        :: else -> skip
        fi;
#if MEMBERS
        ME.answered_version = version_given;
        ME.phase = HEARD
#else
        grant(i, WORKER_OF(ME), ME.until + 1, ME.asked_until);
        ME.until = ME.asked_until;
        ME.version = version_given
#endif
    fi;
    if
    :: ME.phase != HEARD -> end_step()
    :: else -> skip
    fi
}

inline taken(version_given)
{
#if MEMBERS
    ME.answered_version = version_given;
    ME.phase = HEARD
#else
    grant(i, ASKED_WORKER_OF(ME), ME.asked_floor, ME.asked_until);
    SET_WORKER(ME.worker, ASKED_WORKER_OF(ME));
    ME.version = version_given;
#if RELEASES
    ME.floor = ME.asked_floor;
#endif
    ME.until = ME.asked_until;
    ME.trouble = NONE;
    end_step()
#endif
}

/* What was granted is of no use: nobody knows whose it is. */
inline burn()
{
    if
    :: ME.version == 0 ->
        SET_WORKER(ME.worker, ASKED_WORKER_OF(ME));
        in_trouble(BURNED)
    :: else -> skip
    fi;
    end_step()
}

#ifdef L8_WITHOUT_SECOND_LOOK
#define IS_FRESH false
#else
#define IS_FRESH ME.fresh
#endif

/* The answer to a taking: attempt. */
inline hear_take(version_given)
{
    if
    :: version_given == 0 ->
        if
        :: ME.own && !MEMBERS -> in_trouble(LOST) /* L3 */
        :: else -> skip
        fi;
        end_step()
#ifdef GRANTED_BEFORE_CHECKED
    :: version_given != 0 && !IS_FRESH -> taken(version_given)
#endif
    :: version_given != 0 &&
        (!SAME_INCARNATION(incarnation) || CLOCK_TOO_FAR) -> burn() /* L5, L6 */
    :: else ->
        if
        :: IS_FRESH -> ME.answered_version = version_given; ME.phase = TAKEN
        :: else -> taken(version_given)
        fi
    fi
}

/* L8: is it still the namespace that was looked at? */
inline namespace_stands()
{
    if
    :: space.version != 0 && space.token == ME.space_token && space.quarantine < ME.asked_floor &&
       SAME_INCARNATION(incarnation) -> taken(ME.answered_version)
    :: else -> burn()
    fi
}

/* ---- a call: requests ----------------------------------------------------- */

/* The coordinator carries the request out. */
inline carry_out(number)
{
    ME.phase = IDLE;
    if
    :: ME.asked == GUARD ->
        if
        :: space.version == ME.expected ->
            space.version++;
            space.quarantine = ME.asked_until;
            space.incarnation = ME.asked_incarnation;
#if SAID_LESS
            space.raised = 1
#else
            skip
#endif
        :: else -> skip
        fi
    :: else ->
#ifdef CLASSIC
        swap(number, ASKED_WORKER_OF(ME), ME.expected, COORDINATOR_TICK + HORIZON, ME.token, 0);
#else
        swap(number, ASKED_WORKER_OF(ME), ME.expected, ME.asked_until, ME.token, 0);
#endif
#ifdef IDEMPOTENT
        /* Against L3: a record with the own token is taken for the own grant. */
        if
        :: number == 0 && record[ASKED_WORKER_OF(ME)].version != 0 && record[ASKED_WORKER_OF(ME)].token == ME.token &&
            !record[ASKED_WORKER_OF(ME)].released ->
            number = record[ASKED_WORKER_OF(ME)].version;
            ME.asked_until = record[ASKED_WORKER_OF(ME)].until
        :: else -> skip
        fi
#endif
    fi
}

inline hear(number)
{
    if
    :: ME.asked == OWN -> hear_own(number)
    :: ME.asked == TAKE -> hear_take(number)
    :: else -> end_step()
    fi;
    number = 0
}

/* No answer comes. */
inline no_answer()
{
    if
    :: ME.asked == OWN -> ME.trouble = DOUBT; end_step()
    :: ME.asked == TAKE -> burn()
    :: else -> end_step()
    fi
}

inline leave_late(at, expects, new_until, new_token, new_released)
{
    late.there = 1;
    SET_WORKER(late.worker, at);
    late.expected = expects;
    late.until = new_until;
    late.token = new_token;
    late.released = new_released
}

/* ---- ends of a process ---------------------------------------------------- */

inline forget_token(at)
{
    record[at].token = (record[at].token == ME.token -> 0 : record[at].token);
    old_record[at].token = (old_record[at].token == ME.token -> 0 : old_record[at].token)
}

/* Forgets everything.  The next one has a token that nobody else has: the old one is 0 from here on. */
inline forget_all()
{
    if
    :: !SHARED_TOKEN(i) ->
        forget_token(0);
#if WORKERS > 1
        forget_token(1);
#endif
        late.token = (late.token == ME.token -> 0 : late.token)
    :: else -> skip
    fi;
    gone = gone | granted[i];
    granted[i] = 0;
    SET_WORKER(ME.worker, 0);
    ME.version = 0;
    ME.floor = 0;
    ME.until = 0;
    ME.trouble = NONE;
    ME.known = 0;
    ME.stale = 0;
    ME.space_token = 0;
    ME.quarantine = 0;
    ME.incarnation = 0;
    ME.token = i + 1;
    end_step()
}

/* lease_release: what lies above the last tick used was never issued, and never will be. */
inline release(used)
{
    granted[i] = granted[i] && !IS_WATCHED(WORKER_OF(ME), used + 1, ME.until);
    if
    :: ME.version != GONE -> leave_late(WORKER_OF(ME), ME.version, used, 0, 1)
    :: else -> skip
    fi;
    forget_all();
    used = 0
}

/* ---- members ----------------------------------------------------------------- */

#if MEMBERS

/* Where nothing is lost the namespace need not be read again. */
#define MAY_BE_ANOTHER (WIPES || FALLBACKS)

/* fz_grant_ring_look, and what follows from another grant than before: fz_namespace_adopt and settle_namespace. */
inline look()
{
    ME.outdated = 0;
    ME.knows = 0;
    ME.trouble = NONE;
    ME.worker = PAGE.worker;
    ME.version = PAGE.version;
    ME.floor = PAGE.floor;
    ME.until = PAGE.until;
    grant(i, PAGE.worker, PAGE.floor, PAGE.until);
    if
    :: !ME.known || ME.space_token != PAGE.space_token ->
        ME.known = 1;
        ME.stale = MAY_BE_ANOTHER;
        ME.space_token = PAGE.space_token
    :: else -> skip
    fi
}

/* The page has changed: a member that looked before that looks again first, and what it is granted comes too late. */
inline outdate(n)
{
    if
    :: node[n].phase != ABSENT ->
        node[n].outdated = 1;
        node[n].knows = 0;
        node[n].trouble = NONE;
        node[n].worker = 0;
        node[n].version = 0;
        node[n].floor = 0;
        node[n].until = 0
    :: else -> skip
    fi
}

/* put_in_force: nobody uses what is granted to a member that looked at the page before others changed it. */
inline publish()
{
    if
    :: !ME.outdated ->
        if
        :: i != 2 -> outdate(1 - i)
        :: else -> skip
        fi;
        PAGE.worker = ME.asked_worker;
        PAGE.version = ME.answered_version;
        PAGE.floor = (ME.asked == TAKE -> ME.asked_floor : ME.floor);
        PAGE.until = ME.asked_until;
        PAGE.space_token = ME.space_token;
        look();
        ME.knows = 1
    :: else -> skip
    fi;
    end_step()
}

/* The process is no more. */
inline die()
{
    end_step();
    ME.phase = ABSENT;
    ME.worker = 0;
    ME.version = 0;
    ME.floor = 0;
    ME.until = 0;
    ME.trouble = NONE;
    ME.known = 0;
    ME.stale = 0;
    ME.space_token = 0;
    ME.quarantine = 0;
    ME.incarnation = 0;
    ME.knows = 0;
    ME.outdated = 0
}

#define IS_LAST ((i) == 2 || node[1 - (i)].phase == ABSENT)

/* fz_keeper_end: nobody finds the grant any more.  The word stays, so the tick that was used last is known. */
inline void_page()
{
    if
    :: i != 2 -> outdate(1 - i)
    :: else -> skip
    fi;
    PAGE.worker = 0;
    PAGE.version = 0;
    PAGE.floor = 0;
    PAGE.until = 0;
    PAGE.space_token = 0;
    die()
}

/* The last member leaves. */
inline leave(used)
{
    granted[OWNER(i)] = granted[OWNER(i)] && !IS_WATCHED(PAGE.worker, used + 1, PAGE.until);
    if
    :: PAGE.version != GONE -> leave_late(PAGE.worker, PAGE.version, used, 0, 1)
    :: else -> skip
    fi;
#ifdef RELEASES_FIRST
    ME.phase = LEAVING;
#else
    void_page();
#endif
    used = 0
}

#endif

#define COPY(field) node[NODES - 1].field = ME.field

/* The machine is resumed a second time.  What it had been told is excused: nobody can know of the other. */
inline copy()
{
    COPY(phase); COPY(token); COPY(now_tick); COPY(version); COPY(floor); COPY(until); COPY(trouble); COPY(known);
    COPY(stale); COPY(space_token); COPY(quarantine); COPY(incarnation); COPY(asked); COPY(expected); COPY(asked_floor);
    COPY(asked_until); COPY(asked_incarnation); COPY(fresh); COPY(own); COPY(answered_version);
#if WORKERS > 1
    COPY(worker); COPY(asked_worker);
#endif
#if MEMBERS
    COPY(knows); COPY(outdated);
    page[1].worker = page[0].worker; page[1].version = page[0].version; page[1].floor = page[0].floor;
    page[1].until = page[0].until; page[1].space_token = page[0].space_token;
    excused = excused | (ME.phase == HEARD && IS_WATCHED(ME.asked_worker, ME.until + 1, ME.asked_until)) |
        (ME.phase == HEARD && IS_WATCHED(ME.asked_worker, ME.asked_floor, ME.asked_until));
    copied = 1;
#endif
    excused = excused | granted[OWNER(i)];
    excused = excused | (ME.phase == TAKEN && IS_WATCHED(ASKED_WORKER_OF(ME), ME.asked_floor, ME.asked_until));
    if
    :: excused -> /* nothing can fail any more */
        node[0].phase = ABSENT;
        node[1].phase = ABSENT;
        node[NODES - 1].phase = ABSENT
    :: else -> skip
    fi
}

/* ---- processes ------------------------------------------------------------ */

/* One step of a call, with the time that its clock shows; if it looks for a worker id, the sample shows `at`. */
inline step(shown, at)
{
    ME.now_tick = shown;
    if
    :: ME.version != 0 && (!ME.known || ME.stale) -> namespace_check(ok); ok = false
    :: ME.version != 0 && ME.known && !ME.stale && (ME.trouble == DOUBT || (ME.trouble == NONE && !KNOWS)) -> read_own()
    :: ME.version != 0 && ME.known && !ME.stale && ME.trouble == NONE && KNOWS -> ask_own()
    :: else -> take(at, ok, number, yes)
    fi;
    if
    :: ME.phase == IDLE -> end_step()
    :: else -> skip
    fi
}

#if MEMBERS
#define IS_READY (ME.phase == IDLE && !ME.outdated)
/* The third has its answers at once, and hears each: what it may suffer else, the members suffer. */
#define FINISH finish()
inline finish()
{
    if
    :: i == 2 && ME.phase == ASKED -> carry_out(number); hear(number)
    :: else -> skip
    fi;
    if
    :: i == 2 && ME.phase == TAKEN -> namespace_stands()
    :: else -> skip
    fi;
    if
    :: i == 2 && ME.phase == HEARD -> publish()
    :: else -> skip
    fi
}
#else
#define IS_READY (ME.phase == IDLE)
#define FINISH skip
#endif

proctype generator(byte i)
{
    byte number;
    bool yes;
    bool ok;

    do
    /* Whether a clock was read long ago, or is behind, makes no difference. */
    :: d_step { IS_READY -> step(time, 0); FINISH }
    :: d_step { IS_READY && CLOCK_AHEAD > 0 -> step(time + CLOCK_AHEAD, 0) }
    :: d_step { IS_READY && CLOCK_BEHIND && time > 0 -> step(time - 1, 0) }
#if WORKERS > 1
    :: d_step { IS_READY -> step(time, 1); FINISH }
    :: d_step { IS_READY && CLOCK_AHEAD > 0 -> step(time + CLOCK_AHEAD, 1) }
    :: d_step { IS_READY && CLOCK_BEHIND && time > 0 -> step(time - 1, 1) }
#endif

    :: d_step { ME.phase == ASKED -> carry_out(number); hear(number) }
    :: d_step { ME.phase == ASKED -> carry_out(number); number = 0; no_answer() }
    :: d_step { ME.phase == ASKED -> no_answer() }
    :: d_step { ME.phase == ASKED && ME.asked != GUARD && ME.expected != GONE && LATE && !late.there ->
        leave_late(ASKED_WORKER_OF(ME), ME.expected, ME.asked_until, ME.token, 0); no_answer() }

    :: d_step { ME.phase == TAKEN -> namespace_stands() }
    :: d_step { ME.phase == TAKEN -> burn() }

#if MEMBERS
    :: d_step { ME.phase == IDLE && ME.outdated && PAGE.version != 0 -> look() }
    :: d_step { ME.phase == IDLE && ME.outdated && (PAGE.version == 0 || time > PAGE.until) -> ME.outdated = 0 }
    :: d_step { ME.phase == HEARD -> publish() }
    :: d_step { ME.phase != ABSENT && crashes < CRASHES -> crashes++; die() }
    :: d_step { ME.phase == ABSENT && !excused && (i != 2 || !COPIES || copied) -> ME.phase = IDLE; ME.outdated = 1 }
#if RELEASES
    :: d_step { ME.phase == IDLE && IS_LAST && PAGE.version != 0 && releases < RELEASES && !late.there ->
        releases++; number = PAGE.floor - 1; leave(number) }
    :: d_step { ME.phase == IDLE && IS_LAST && PAGE.version != 0 && releases < RELEASES && !late.there &&
        PAGE.until > PAGE.floor -> releases++; number = PAGE.floor; leave(number) }
    :: d_step { ME.phase == LEAVING -> void_page() }
#endif
#elif CRASHES
    :: d_step { ME.phase != ABSENT && crashes < CRASHES -> crashes++; forget_all() }
#endif
#if RELEASES && !MEMBERS
    :: d_step { ME.phase == IDLE && ME.version != 0 && releases < RELEASES && !late.there ->
        releases++; number = ME.floor - 1; release(number) }
    :: d_step { ME.phase == IDLE && ME.version != 0 && releases < RELEASES && !late.there && ME.until > ME.floor ->
        releases++; number = ME.floor; release(number) }
#endif
#if COPIES
    :: d_step { i != NODES - 1 && node[NODES - 1].phase == ABSENT && !copied -> copy() }
#endif
    od
}

proctype clock()
{
    do
    :: d_step { time < TIME -> time++ }
    :: else -> break
    od
}

/* What was sent long ago. */
proctype network()
{
    byte number;

    do
    :: d_step { late.there ->
        swap(number, LATE_WORKER, late.expected, late.until, late.token, late.released);
        number = 0 }
    :: d_step { late.there -> leave_late(0, 0, 0, 0, 0); late.there = 0 }
    od
}

#define LOSE_RECORD(r) r.version = 0; r.until = 0; r.token = 0; r.released = 0
#define COPY_RECORD(from, r) r.version = from.version; r.until = from.until; r.token = from.token; \
    r.released = from.released
#if WORKERS > 1
#define LOSE_RECORDS(r) LOSE_RECORD(r[0]); LOSE_RECORD(r[1])
#define COPY_RECORDS(from, r) COPY_RECORD(from[0], r[0]); COPY_RECORD(from[1], r[1])
#else
#define LOSE_RECORDS(r) LOSE_RECORD(r[0])
#define COPY_RECORDS(from, r) COPY_RECORD(from[0], r[0])
#endif
#define LOSE_ALL(r, s) LOSE_RECORDS(r); s.version = 0; s.token = 0; s.quarantine = 0; s.incarnation = 0; s.raised = 0
#define COPY_ALL(from, from_space, r, s) COPY_RECORDS(from, r); s.version = from_space.version; \
    s.token = from_space.token; s.quarantine = from_space.quarantine; s.incarnation = from_space.incarnation; \
    s.raised = from_space.raised

#if WIPES || FALLBACKS || defined(FREED_BY_HAND)
proctype misfortune()
{
    byte number;

    do
#if WIPES
    :: d_step { wipes < WIPES -> wipes++; LOSE_ALL(record, space); forget_versions() }
#endif
#if FALLBACKS
    :: d_step { !has_copy && fallbacks < FALLBACKS -> has_copy = 1; COPY_ALL(record, space, old_record, old_space) }
    :: atomic { has_copy ->
        fallbacks++;
        has_copy = 0;
        incarnation++;
        COPY_ALL(old_record, old_space, record, space);
        LOSE_ALL(old_record, old_space);
        forget_versions();
        /* A new coordinator, whose clock is within max_skew of the old one's. */
        if
        :: ahead = 0
        :: ahead = SKEW
        fi }
#endif
#ifdef FREED_BY_HAND
    :: d_step { record[0].version != 0 && !record[0].released && releases == 0 ->
        releases++;
        swap(number, 0, record[0].version, record[0].until, record[0].token, 1);
        number = 0 }
#endif
    od
}
#endif

/* frazil lease init: fz_lease_init, with the earliest time that its clock may show. */
proctype operator()
{
    byte tick, version;

end:
    do
    :: atomic { space.version == 0 -> tick = COORDINATOR_TICK };
#ifdef L8_OPENS_AT_ONCE
        d_step {
            if
            :: space.version == 0 -> spaces++; space.version = spaces * 16; space.token = spaces;
                space.quarantine = tick + SAID_QUARANTINE; space.incarnation = incarnation
            :: else -> skip
            fi;
            tick = 0 }
#else
        d_step {
            if
            :: space.version == 0 -> spaces++; version = spaces * 16; space.version = version; space.token = spaces;
                space.quarantine = CLOSED; space.incarnation = incarnation; tick = COORDINATOR_TICK
            :: else -> version = 0
            fi };
        d_step {
            if
            :: version != 0 && space.version == version ->
                space.version++; space.quarantine = tick + SAID_QUARANTINE; space.incarnation = incarnation
            :: else -> skip
            fi;
            tick = 0;
            version = 0 }
#endif
    od
}

init {
    byte i;

    atomic {
#if HAS_NAMESPACE
        space.version = 1;
#endif
#ifdef ANY_WATCHED
        watched = 1;
        do
        :: watched < TIME + HORIZON -> watched++
        :: break
        od;
#endif
#if MEMBERS
        /* All worker ids were taken before, as L8 is about others. */
        record[0].version = 1;
        record[0].released = 1;
        record[1].version = 1;
        record[1].released = 1;
#endif
        ahead = SKEW;
        for (i : 0 .. NODES - 1) {
            node[i].phase = (COPIES && i == NODES - 1 -> ABSENT : IDLE);
#if MEMBERS
            node[i].token = (PAGE_OF(i) && !COPIES -> 2 : 1);
#else
            node[i].token = i + 1;
#endif
            node[i].trouble = NONE;
            run generator(i)
        }
        i = 0;
        run clock();
        run network();
#if WIPES || FALLBACKS || defined(FREED_BY_HAND)
        run misfortune();
#endif
#if OPERATORS > 0
        run operator();
#endif
#if OPERATORS > 1
        run operator();
#endif
        skip
    }
}
