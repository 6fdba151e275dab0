// SPDX-License-Identifier: MIT
/// <reference types="node" />

/** An id as a bigint, as decimal digits, or as its 8 bytes. A number is refused: above 2^53 it has lost digits. */
export type IdLike = bigint | string | Uint8Array;
/** Unix milliseconds, or a Date. */
export type Time = number | Date;
/**
 * The text forms of 64-bit ids; `textForms` lists them. base58, base62 and base64url need a case-sensitive collation: under
 * another one, different ids are equal in a database.
 */
export type TextForm =
  | 'dec'
  | 'dec20'
  | 'hex'
  | 'crockford'
  | 'base36'
  | 'base58'
  | 'base62'
  | 'base64url'
  | 'bin'
  | 'bytes'
  | 'hex0x'
  | 'hexshort'
  | 'signed';

/** What the caller can do about an error: correct the call, retry it, use another generator, or give up. */
export type ErrorClass = 'usage' | 'retry' | 'fenced' | 'fatal';

/** The errors by name; docs/ERRORS.md has the cause and the remedy of each. */
export type ErrorCode =
  | 'FRAZIL_EINVAL'
  | 'FRAZIL_ESPEC'
  | 'FRAZIL_ELAYOUT'
  | 'FRAZIL_ERANGE'
  | 'FRAZIL_EPARSE'
  | 'FRAZIL_ECHECKSUM'
  | 'FRAZIL_EBUFFER'
  | 'FRAZIL_ENOWORKER'
  | 'FRAZIL_EWORKER'
  | 'FRAZIL_ESHORTLIFE'
  | 'FRAZIL_EKIND'
  | 'FRAZIL_ENOTBUILT'
  | 'FRAZIL_EREFUSED'
  | 'FRAZIL_ENAMESPACE'
  | 'FRAZIL_EAGAIN'
  | 'FRAZIL_EFULL'
  | 'FRAZIL_ECLOCK'
  | 'FRAZIL_EUNREACHABLE'
  | 'FRAZIL_EPOOL'
  | 'FRAZIL_ELEASE'
  | 'FRAZIL_EEXHAUSTED'
  | 'FRAZIL_ENOMEM'
  | 'FRAZIL_ESYS'
  | 'FRAZIL_ESTATE'
  | 'FRAZIL_ESTOPPED';

/** The error of a call that failed. Its message says what failed, where, and what to do next. */
export class FrazilError extends Error {
  /** For tests and mocks; the package creates the errors that it throws itself. */
  constructor(
    message: string,
    code: ErrorCode,
    errorClass: ErrorClass,
    retryMs?: number,
    behindMs?: number,
    position?: number,
    errno?: number,
  );
  /** The name of the error, such as 'FRAZIL_EAGAIN'. */
  readonly code: ErrorCode;
  /** What the caller can do about it. */
  readonly class: ErrorClass;
  /** For class retry: milliseconds after which the same call can succeed; 0 if unknown. */
  readonly retryMs: number;
  /** Milliseconds by which the clock is behind, if that is the reason; otherwise 0. */
  readonly behindMs: number;
  /** For a parse error: the offset of the first wrong byte. */
  readonly position?: number;
  /** The errno of the system call that failed. */
  readonly errno?: number;
}

/** A duration: milliseconds, text with a unit such as '10ms', or Infinity where a key may be unlimited. */
export type Duration = number | string;

/**
 * The keys of a spec, in camel case: `maxWait: 10` is `max_wait=10ms`. frazil.spec(5) lists all keys and their values.
 * open() refuses unknown keys.
 */
export interface Options {
  /** A spec to which the other keys are added. */
  spec?: string;
  /** The layout of ids: the name of a preset, bits such as '41/10/12', or a Layout. Default: 'frazil'. */
  layout?: string | Layout;
  /** Replaces the epoch of the layout: a Date, Unix milliseconds, or text such as '2026-01-01'. */
  epoch?: string | number | Date;
  /** Replaces the tick of the layout. */
  tick?: Duration;
  /** Sets the keys from onFull to start as another system has them: 'konayuki', 'sno', 'flake' and others. */
  behaviour?: string;
  /** The source of the worker id: a number (7 is 'fixed:7'), 'file-lock', 'ordinal', 'env:NAME', a coordinator's URL. */
  worker?: number | string;
  /** For snos, instead of worker: a number from 0 to 65535, or two bytes such as [65, 10] or 'A,10'. */
  partition?: number | string | readonly number[] | Uint8Array;
  /** The datacenter; worker then gives the number inside it. */
  datacenter?: number | string;
  /** A number added to the one that the worker source gives. */
  base?: number | string;
  /** How many numbers the worker source may give. */
  count?: number | string;
  /** The expected number of hosts, for 'ip-hash' and 'hostname-hash'. */
  expect?: number | string;
  /** Replaces the host's name. */
  hostname?: string;
  /** Replaces the host's address. */
  ip?: string;
  /** What a call does when the tick is full. */
  onFull?: 'wait' | 'lead' | 'error';
  /** What a call does after the clock went back. 'ticktock' is for snos only. */
  onBackward?: 'hold' | 'wait' | 'error' | 'ticktock';
  /** How far ahead of the clock ids may be stamped. */
  maxLead?: Duration;
  /** How long a call that waits may wait: take, loops, and calls with `block`. */
  maxWait?: Duration;
  /** How long opening may take. Default: 10 s. */
  openWait?: Duration;
  /** The first sequence number of a tick. */
  start?: 'zero' | 'random' | 'spread';
  /** The lowest sequence number. */
  seqMin?: number | string;
  /** The highest sequence number. */
  seqMax?: number | string;
  /** Where the state that prevents duplicates after a restart is kept: 'file' (the default), 'memory', or a URL. */
  state?: string;
  /** How many slots are taken at a time, if `state` is a URL. */
  batch?: number | string;
  /** The folder of the state files. By default each layout has a folder of its own. */
  namespace?: string;
  /** The directory of files that a reboot removes. */
  runDir?: string;
  /** The directory of files that survive a reboot. */
  stateDir?: string;
  /** The directory in which all users of this host record the worker ids that they hold. */
  hostDir?: string;
  /** How far the clocks of hosts that share a coordinator may differ, in whole milliseconds. */
  maxSkew?: Duration;
  /** What the generator does if it loses a leased worker id: 'move' to another one (the default) or 'stop'. */
  onLoss?: 'move' | 'stop';
  /** Which processes hold a leased worker id: this one, or all processes of the user on this host. */
  share?: 'process' | 'host';
  /** How far ahead the grants of a coordinator's namespace reach. */
  horizon?: Duration;
  /** How many worker ids a coordinator's namespace has. */
  workers?: number | string;
  /** What extends the grant of the worker id. Default: 'thread'. */
  keeper?: 'thread' | 'hook' | 'inline' | 'other';
  /** The clock: 'real' (the default); for tests 'frozen:TIME' or a ManualClock. */
  clock?: string | ManualClock;
  /** Allows a layout with less than ten years left. */
  allowShortLife?: boolean | 'yes' | 'no';
  /** A file of key=value pairs, one per line. */
  config?: string;
}

/** The fields of a 64-bit id. */
export interface Fields {
  /** The start of its tick. */
  unixMs: number;
  /** The whole worker number, including the datacenter. */
  worker: number;
  /** The number within the tick. */
  sequence: number;
  /** The datacenter; 0 if the layout does not split the worker. */
  datacenter: number;
  /** The worker number inside its datacenter; the worker itself if the layout does not split it. */
  workerInDatacenter: number;
}

/** The fields of a sno. */
export interface SnoFields {
  /** The start of its unit of 4 ms. */
  unixMs: number;
  /** 0 or 1: toggled when the clock went back. */
  ticktock: number;
  /** The metabyte, chosen by the caller. */
  meta: number;
  /** The partition of its generator; its first byte is the high one. */
  partition: number;
  /** The number within the unit. */
  sequence: number;
}

/** What a layout can hold. */
export interface LayoutDescription {
  /** The name of the preset, or 'custom'. */
  name: string;
  /** '64' for 64-bit ids, or 'sno'. */
  kind: '64' | 'sno';
  /** The length of a tick. */
  tickMs: number;
  /** Bits of the time. */
  timeBits: number;
  /** Bits of the worker, including those of the datacenter. */
  workerBits: number;
  /** Bits of the datacenter; 0 if there is none. */
  datacenterBits: number;
  /** Bits of the sequence. */
  sequenceBits: number;
  /** All bits together. */
  totalBits: number;
  /** How many worker ids there are. */
  workers: bigint;
  /** How many ids one worker can issue per tick. */
  idsPerTick: bigint;
  /** How many ids one worker can issue per second. */
  idsPerSecond: bigint;
  /** The first time that an id can have. */
  firstUnixMs: number;
  /** The last time that an id can have. */
  lastUnixMs: number;
  /** The largest id. */
  maxId: bigint;
  /** Whether later ids do not fit a signed 64-bit integer. */
  reachesSignBit: boolean;
  /** When ids stop fitting a signed 64-bit integer; 0 if never. */
  signBitUnixMs: number;
  /** Whether each id fits a JavaScript number. */
  fits53Bits: boolean;
}

/** What happens when a system moves from one layout to another. */
export interface Overlap {
  /** Whether a new id can equal an old one. */
  canCollide: boolean;
  /** Whether a new id can sort before an old one. */
  canMissort: boolean;
  /** The largest id that the old layout can have issued. */
  oldLast: bigint;
  /** The smallest id that the new layout can issue. */
  newFirst: bigint;
  /** Whether waiting makes the move safe. */
  everSafe: boolean;
  /** The time from which the move is safe. */
  safeUnixMs: number;
}

/** The positions of an id's fields, and the arithmetic on ids that needs only these. */
export class Layout {
  /** Reads the name of a preset, or a description such as '41/5+5/12 epoch=2026-01-01T00:00:00Z tick=1ms'. */
  constructor(text: string);
  /** The stable text of the layout, which `layout` reads back. */
  readonly fingerprint: string;
  /** Returns what the layout is and can hold. */
  describe(): LayoutDescription;
  /** Returns the fields of an id. Throws if the id does not fit this layout. */
  inspect(id: IdLike): Fields;
  /** Returns the id with these fields; the time is rounded down to its tick. */
  compose(fields: { unixMs: Time; worker?: number | null; sequence?: number | null }): bigint;
  /** Returns the whole worker number of a datacenter and a worker inside it. */
  workerOf(datacenter: number, worker: number): number;
  /** Returns the smallest and the largest id of these times, both included, for `WHERE id BETWEEN first AND last`. */
  range(from: Time, to: Time): { first: bigint; last: bigint };
  /** Returns the smallest id of the tick that contains this time. */
  firstId(time: Time): bigint;
  /** Returns whether equal fields give equal ids in both layouts. */
  equals(other: Layout | string): boolean;
  /** Returns whether ids can collide or sort wrongly if `after` replaces this layout at the given time. */
  overlap(after: Layout | string, since: Time): Overlap;
  /** Returns the fingerprint. */
  toString(): string;
  /** Returns the fingerprint. */
  toJSON(): string;
}

/** The fixed properties of a generator, and its place in the current tick. */
export interface GeneratorInfo {
  /** The worker id; for snos the partition. */
  worker: number;
  /** The lowest sequence number that the generator uses. */
  sequenceMin: number;
  /** The highest sequence number that the generator uses. */
  sequenceMax: number;
  /** The sequence number of the next id, if it were taken now. */
  sequence: number;
  /** How many sequence numbers of this tick are used. */
  length: number;
  /** How many sequence numbers a tick has. */
  capacity: number;
  /** Whether no generator has used this worker on this host since it booted. */
  stateIsNew: boolean;
  /** Where the state is kept: in this process, in files, or with the source of the worker id or of the slots. */
  state: 'memory' | 'file' | 'grant' | 'slots';
  /** For hashed worker ids: the probability that two hosts share a worker id, in parts per million. */
  collisionPpm: number;
  /** The fingerprint of the layout. */
  fingerprint: string;
}

/** The state of a generator now. */
export interface Health {
  /** 'serving' and 'needs_grant' issue ids; 'needs_grant' means that extending the grant failed or is overdue. */
  state: 'serving' | 'needs_grant' | 'behind' | 'fenced' | 'exhausted' | 'stopped' | 'unknown';
  /** Whether the generator issues ids, as its policies allow: for health checks. */
  serving: boolean;
  /** The worker id; for snos the partition. */
  worker: number;
  /** Whether the worker id is granted for a limited time. */
  needsGrant: boolean;
  /** The end of the grant: no id is issued for this time or later. null without a grant. */
  grantEndUnixMs: number | null;
  /** How often in a row extending the grant has failed. */
  failures: number;
  /** Why extending the grant last failed; null after a success. */
  lastFailure: FrazilError | null;
}

/**
 * Counters of the generator and of all processes that share it, by the manual's names in camel case. Plain numbers, so that JSON
 * can hold them.
 */
export interface Stats {
  /** Ids taken. */
  issued: number;
  /** Ticks of the clock that had no id left for a call. */
  full: number;
  /** How often the clock went back. */
  backwardSteps: number;
  /** The largest step back. */
  backwardMaxUs: number;
  /** How far the next id is ahead of the clock now. */
  leadUs: number;
  /** The furthest that any id was ahead of the clock. */
  leadMaxUs: number;
  /** Calls that had to wait. */
  waits: number;
  /** How long these calls waited in total. */
  waitedUs: number;
  /** How often the tick-tock bit of snos was toggled. */
  ticktocks: number;
  /** Grants that continued the previous one. */
  extensions: number;
  /** Grants that did not continue the previous one: another worker id, or a gap in time. */
  moves: number;
  /** Later versions may add counters. */
  [name: string]: number;
}

/**
 * The kinds of events: the worker id changed, or is lost; extending the grant failed; the clock went back; a tick was full; and what
 * opening warns of. frazil_next_event(3) describes each.
 */
export type EventKind =
  | 'moved'
  | 'lost'
  | 'extension-failed'
  | 'clock-back'
  | 'overflow'
  | 'warn-collision'
  | 'warn-short-life'
  | 'warn-early-clock'
  | 'warn-unclaimed';

/** Something that happened to a generator, for a program's log. */
export interface GeneratorEvent {
  /** What happened; '?' for a kind of a newer library. */
  kind: EventKind | '?';
  /** The reason, for kinds that have one; otherwise null. */
  code: ErrorCode | null;
  /** The worker id after the event; for snos the partition. */
  worker: number;
  /** The time of the event, on the generator's clock. */
  unixMs: number;
  /** The value that the kind describes; otherwise 0. */
  value: number;
  /** How many events were lost since the one read before. */
  missed: number;
}

/** Options of calls that take an id. */
export interface NextOptions {
  /** Wait up to the generator's max_wait, and block the event loop meanwhile. */
  block?: boolean | null;
}

/** Options of calls that take a sno. */
export interface SnoOptions extends NextOptions {
  /** The metabyte of the sno, chosen by the caller. */
  meta?: number | null;
}

/** A generator of ids, which `open` returns. */
export class Generator {
  private constructor();

  /** Returns an id. Throws a FrazilError of class retry if it would have to wait, unless `block` is true. */
  readonly next: (options?: NextOptions | null) => bigint;
  /** Returns an id, or null if next() would throw an error of class retry. */
  readonly tryNext: () => bigint | null;
  /** Returns an id as text, in decimal unless a form is given. A form beside `block` is the option `form`. */
  readonly nextString: (formOrOptions?: TextForm | (NextOptions & { form?: TextForm | null }) | null) => string;
  /** Returns an id as a number. Throws if a number cannot hold it. */
  readonly nextNumber: (options?: NextOptions | null) => number;
  /** Returns an id as 8 bytes, big-endian. */
  readonly nextBuffer: (options?: NextOptions | null) => Buffer;
  /** Fills the whole array with increasing ids, or throws and fills none of it. */
  fill(array: BigUint64Array, options?: NextOptions | null): BigUint64Array;
  /**
   * Returns n increasing ids. Waits by timers, at most max_wait between two ids. A wait for a coordinator, or for a grant that is
   * being extended, holds a thread of libuv's pool. Rejects with the reason of `signal` if that is aborted first.
   */
  take(n: number, options?: { signal?: AbortSignal | null } | null): Promise<BigUint64Array>;
  /** Returns an id for the given time, from a separate sequence. Text is read as by parseTime(). */
  nextAt(time: Time | string): bigint;
  /** Iterates over ids without end: `for (const id of ids)`. If a tick is full it waits like next({ block: true }). */
  [Symbol.iterator](): IterableIterator<bigint>;
  /** Iterates over ids without end: `for await (const id of ids)`. Waits as take() does. */
  [Symbol.asyncIterator](): AsyncIterableIterator<bigint>;

  /** Returns a sno; the generator must have layout=sno. */
  readonly nextSno: (options?: SnoOptions | null) => string;
  /** Fills the whole array with increasing snos, 10 bytes each. */
  fillSnos<T extends Uint8Array>(array: T, options?: SnoOptions | null): T;
  /** Returns n increasing snos. Waits as take() does. Rejects with the reason of `signal` if that is aborted first. */
  takeSnos(n: number, options?: { meta?: number | null; signal?: AbortSignal | null } | null): Promise<string[]>;
  /** Returns a sno for the given time. */
  nextSnoAt(time: Time | string, options?: { meta?: number | null } | null): string;

  /** Returns the fields of an id of this generator's layout. */
  inspect(id: IdLike): Fields;
  /** The layout of the ids. */
  readonly layout: Layout;
  /** The options as a spec: keys in a fixed order, defaults written out, passwords left out. */
  readonly spec: string;
  /** How many ids are left in this tick. */
  readonly available: number;
  /** Whether close() or closeAsync() was called. */
  readonly closed: boolean;
  /** Returns the properties of the generator. */
  info(): GeneratorInfo;
  /** Returns the counters. */
  stats(): Stats;
  /** Returns the state now, for health checks. Never waits. */
  health(): Health;

  /**
   * Returns a new reader of the generator's events, which begins with the oldest of the 64 that are kept. Each loop over it yields
   * the events that came since the last one, and does not wait.
   */
  events(): Iterable<GeneratorEvent>;
  /**
   * With keeper=hook: extends the grant if it is due. Returns the milliseconds until the next call is due; Infinity: never. While
   * the coordinator does not answer, the present grant stands and nothing is thrown: health().lastFailure says why.
   */
  keep(): number;
  /** Makes all calls fail from now on. The generator must still be closed. */
  stop(): void;
  /** Closes the generator. A thread then releases the worker id, and the process does not exit before that. */
  close(): void;
  /** Closes the generator, and resolves when the worker id is released. All calls return the same promise. */
  closeAsync(): Promise<void>;
  /** Calls close(), for `using`. */
  [Symbol.dispose](): void;
  /** Calls closeAsync(), for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A clock for tests that moves only when told to: `open({ clock, state: 'memory' })`. */
export class ManualClock {
  /** Creates a clock that shows this time. */
  constructor(time: Time);
  /** Sets the time: a step, forward or back. */
  set(time: Time): void;
  /** Advances the clock by the given milliseconds. */
  advance(ms: number): void;
  /** Advances the clock by the given nanoseconds. */
  advanceNs(ns: number | bigint): void;
}

/** Options whose keys may also be null; a key that is undefined or null counts as not given. */
export type Given<T> = { [K in keyof T]: T[K] | null };

/** Opens a generator from a spec such as "layout=twitter worker=fixed:7", or from its keys. Reads and writes files. */
export function open(spec?: string | Given<Options> | null): Generator;
/** Opens a generator in a thread, as a coordinator may be slow to answer. */
export function openAsync(spec?: string | Given<Options> | null): Promise<Generator>;
/** Opens a generator that all threads of this process share if their specs mean the same. */
export function openShared(spec?: string | Given<Options> | null): Generator;

/** Reads the text of a layout; the same as new Layout(text). */
export function layout(text: string): Layout;

/** The version of the library. */
export const version: string;
/** The names of all text forms. */
export const textForms: readonly TextForm[];
/** Returns an id as text, in decimal unless `form` names another form. */
export function format(id: IdLike, form?: TextForm | null): string;
/** Returns the id that a text of this form stands for. */
export function parse(text: string, form?: TextForm | null): bigint;
/** Returns an id as 8 bytes, big-endian. */
export function toBytes(id: IdLike): Buffer;
/** Returns the id of 8 bytes, big-endian. */
export function fromBytes(bytes: Uint8Array): bigint;

/** Returns the shard of an id as konayuki computes it: CRC-32 of the decimal digits, modulo shards. */
export function shard(id: IdLike, shards: number): number;
/** Returns a worker number as konayuki computes it: CRC-32 of the host's name or address, modulo workers. */
export function hashWorker(text: string, workers: number): number;
/** Returns the probability that two of `hosts` hosts share a hashed worker number, in parts per million. */
export function collisionPpm(hosts: number, workers: number | bigint): number;

/** Scrambles an id as konayuki documents it: neighbouring ids look unrelated. It hides nothing from an attacker. */
export function kasumi(id: IdLike, salt: number | bigint): bigint;
/** Returns a scrambled id as short text; `checked` adds check digits. */
export function scramble(id: IdLike, salt: number | bigint, options?: { checked?: boolean | null } | null): string;
/** Returns the id of a scrambled text. */
export function unscramble(text: string, salt: number | bigint, options?: { checked?: boolean | null } | null): bigint;
/** Returns a new salt for the scrambler. Keep it: scrambled ids cannot be read without it. */
export function newSalt(): number;

/** Returns a time as RFC 3339 in UTC with milliseconds. */
export function formatTime(time: Time): string;
/** Returns the Unix milliseconds of an RFC 3339 time, a date, or a whole number. */
export function parseTime(text: string): number;

/** A sno as its 16 characters or its 10 bytes. */
export type SnoLike = string | Uint8Array;

/** Functions for snos: 80-bit ids of 10 bytes, or of 16 characters that sort in the same order. */
export const sno: {
  /** Returns the sno with these fields; the time is rounded down to its unit. */
  compose(fields: {
    unixMs: Time;
    ticktock?: number | null;
    meta?: number | null;
    partition?: number | null;
    sequence?: number | null;
  }): Buffer;
  /** Returns the fields of a sno. */
  inspect(id: SnoLike): SnoFields;
  /** Returns the 16 characters of a sno. */
  encode(id: SnoLike): string;
  /** Returns the 10 bytes of a sno's text. */
  decode(text: string): Buffer;
  /** Returns the smallest and the largest sno of these times, both included. */
  range(from: Time, to: Time): { first: Buffer; last: Buffer };
  /** Returns a UUID of version 8, which sorts as the sno does. */
  toUuid(id: SnoLike): string;
  /** Returns the sno of a UUID from toUuid(), given as text or 16 bytes. */
  fromUuid(uuid: string | Uint8Array): Buffer;
  /** Returns the JSON value of a sno: a string, or null for the zero sno. */
  toJson(id: SnoLike): string;
  /** Returns the sno of a JSON value from toJson(). */
  fromJson(json: string): Buffer;
  /** Returns the sno of a database column: 10 bytes, 16 characters, or nothing (null, empty) for the zero sno. */
  fromColumn(value: Uint8Array | string | null | undefined): Buffer;
  /** Returns a partition as text, such as 'A,10'. */
  formatPartition(partition: number): string;
  /** Returns the partition of text such as 'A,10' or '16650'. */
  parsePartition(text: string): number;
};
