// SPDX-License-Identifier: MIT
/// <reference types="node" />

/** An id as a bigint, as decimal digits, or as its 8 bytes. A number is refused: above 2^53 it has lost digits. */
export type IdLike = bigint | string | Uint8Array;
/** Unix milliseconds, or a Date. */
export type Time = number | Date;
/** The text forms of 64-bit ids; `textForms` lists them. */
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

/** What the caller can do about an error: mend the call, try again, go elsewhere, or give up. */
export type ErrorClass = 'usage' | 'retry' | 'fenced' | 'fatal';

/** The errors by name; docs/ERRORS.md has each with its cause and cure. */
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

/** Why a call of frazil failed. Its message says what, where, and what would be right. */
export class FrazilError extends Error {
  /** For tests and stand-ins: the package itself makes those that it throws. */
  constructor(
    message: string,
    code: ErrorCode,
    errorClass: ErrorClass,
    retryMs?: number,
    behindMs?: number,
    position?: number,
    errno?: number,
  );
  /** Which error it is, as 'FRAZIL_EAGAIN'. */
  readonly code: ErrorCode;
  /** What the caller can do about it. */
  readonly class: ErrorClass;
  /** Of class retry: after so many milliseconds the same call can succeed; 0 where that is not known. */
  readonly retryMs: number;
  /** By how many milliseconds the clock is behind, where that is the reason; else 0. */
  readonly behindMs: number;
  /** Of a text that was read: how many bytes stand before what is wrong. */
  readonly position?: number;
  /** Of the system call that failed. */
  readonly errno?: number;
}

/** A time span: a number of milliseconds, Infinity where there may be no limit, or text with its unit, as '10ms'. */
export type Duration = number | string;

/**
 * The keys of a spec, in camel case: `maxWait: 10` is `max_wait=10ms`. frazil.spec(5) has all of them with their
 * values, and open refuses one that it does not know.
 */
export interface Options {
  /** A spec that the other keys are added to. */
  spec?: string;
  /** What ids look like: the name of a preset, bits as '41/10/12', or a Layout. 'frazil' unless given. */
  layout?: string | Layout;
  /** Replaces the epoch of the layout: a Date, Unix milliseconds, or text as '2026-01-01'. */
  epoch?: string | number | Date;
  /** Replaces the tick of the layout. */
  tick?: Duration;
  /** Sets the keys from onFull to start at once, as another system has them: 'konayuki', 'sno', 'flake' and others. */
  behaviour?: string;
  /** Where the worker id comes from: a number (7 is 'fixed:7'), 'file-lock', 'ordinal', 'env:NAME', a coordinator's URL. */
  worker?: number | string;
  /** For snos, in place of worker: a number from 0 to 65535, or two bytes, as [65, 10] or 'A,10'. */
  partition?: number | string | readonly number[] | Uint8Array;
  /** The datacenter; worker then gives the number inside it. */
  datacenter?: number | string;
  /** Is added to the number of the worker's source. */
  base?: number | string;
  /** How many numbers the worker's source may give. */
  count?: number | string;
  /** How many hosts there are, for 'ip-hash' and 'hostname-hash'. */
  expect?: number | string;
  /** Stands for the host's name. */
  hostname?: string;
  /** Stands for the host's address. */
  ip?: string;
  /** When a tick is full. */
  onFull?: 'wait' | 'lead' | 'error';
  /** When the clock went back. 'ticktock' is for snos. */
  onBackward?: 'hold' | 'wait' | 'error' | 'ticktock';
  /** How far ahead of the clock ids may be stamped. */
  maxLead?: Duration;
  /** How long a call may wait that is allowed to: take, loops, and calls with block. */
  maxWait?: Duration;
  /** How long opening may take; 10 s unless given. */
  openWait?: Duration;
  /** The first sequence number of a tick. */
  start?: 'zero' | 'random' | 'spread';
  /** The lowest sequence number. */
  seqMin?: number | string;
  /** The highest sequence number. */
  seqMax?: number | string;
  /** What keeps ids from being repeated after a restart: 'file' unless given; 'memory'; or a URL. */
  state?: string;
  /** With a URL as state: how many slots are taken at a time. */
  batch?: number | string;
  /** The folder of the state's files; unless given each layout has one of its own. */
  namespace?: string;
  /** Where files lie that are gone after a boot. */
  runDir?: string;
  /** Where files lie that stay. */
  stateDir?: string;
  /** Where all users of this host tell each other which worker ids they have. */
  hostDir?: string;
  /** How far the clocks of those who share a coordinator may differ, in whole milliseconds. */
  maxSkew?: Duration;
  /** When a leased worker id is lost: move to another one, unless 'stop' is given. */
  onLoss?: 'move' | 'stop';
  /** Who holds a leased worker id: this process, or all processes of the user on this host. */
  share?: 'process' | 'host';
  /** How far the grants of a coordinator's namespace reach ahead. */
  horizon?: Duration;
  /** How many worker ids a coordinator's namespace has. */
  workers?: number | string;
  /** Who extends the grant of the worker id: a thread unless given. */
  keeper?: 'thread' | 'hook' | 'inline' | 'other';
  /** 'real' unless given; 'frozen:TIME', or a ManualClock, for tests. */
  clock?: string | ManualClock;
  /** Opens a layout with less than ten years left. */
  allowShortLife?: boolean | 'yes' | 'no';
  /** A file of such pairs, one a line. */
  config?: string;
}

/** The fields of a 64-bit id. */
export interface Fields {
  /** The start of its tick. */
  unixMs: number;
  /** The whole number, datacenter included. */
  worker: number;
  /** The number within the tick. */
  sequence: number;
  /** 0 where the layout does not split the worker. */
  datacenter: number;
  /** The worker itself where the layout does not split it. */
  workerInDatacenter: number;
}

/** The fields of a sno. */
export interface SnoFields {
  /** The start of its unit of 4 ms. */
  unixMs: number;
  /** 0 or 1: toggled when the clock went back. */
  ticktock: number;
  /** A byte of the caller's. */
  meta: number;
  /** Who made it: its first byte is the high one. */
  partition: number;
  /** The number within the unit. */
  sequence: number;
}

/** What a layout can hold. */
export interface LayoutDescription {
  /** The name of the preset, or 'custom'. */
  name: string;
  /** 64-bit ids, or snos. */
  kind: '64' | 'sno';
  /** How long a tick is. */
  tickMs: number;
  /** Bits of the time. */
  timeBits: number;
  /** Bits of the worker, those of the datacenter included. */
  workerBits: number;
  /** Bits of the datacenter; 0 where there is none. */
  datacenterBits: number;
  /** Bits of the sequence. */
  sequenceBits: number;
  /** All bits together. */
  totalBits: number;
  /** How many worker ids there are. */
  workers: bigint;
  /** How many ids one worker has in a tick. */
  idsPerTick: bigint;
  /** How many ids one worker has in a second. */
  idsPerSecond: bigint;
  /** The first time that ids can have. */
  firstUnixMs: number;
  /** The last time that ids can have. */
  lastUnixMs: number;
  /** The largest id. */
  maxId: bigint;
  /** Whether ids will not fit a signed 64-bit integer some day. */
  reachesSignBit: boolean;
  /** When that begins; 0 where it never happens. */
  signBitUnixMs: number;
  /** Whether each id fits a number of JavaScript. */
  fits53Bits: boolean;
}

/** What happens when a system moves from one layout to another. */
export interface Overlap {
  /** Whether a new id can equal an old one. */
  canCollide: boolean;
  /** Whether a new id can sort before an old one. */
  canMissort: boolean;
  /** The largest id that the old layout can have made. */
  oldLast: bigint;
  /** The smallest id of the new one. */
  newFirst: bigint;
  /** Whether waiting makes the move safe. */
  everSafe: boolean;
  /** From when on it is safe. */
  safeUnixMs: number;
}

/** Where the fields of an id lie, and the arithmetic that needs nothing else. */
export class Layout {
  /** Reads a preset's name, or a description as '41/5+5/12 epoch=2026-01-01T00:00:00Z tick=1ms'. */
  constructor(text: string);
  /** Its stable text, which `layout` reads again. */
  readonly fingerprint: string;
  /** What it is and can hold. */
  describe(): LayoutDescription;
  /** The fields of an id. Throws where it is none of this layout. */
  inspect(id: IdLike): Fields;
  /** The id of these fields; the time is rounded down to its tick. */
  compose(fields: { unixMs: Time; worker?: number; sequence?: number }): bigint;
  /** The whole worker number of a datacenter and the number inside it. */
  workerOf(datacenter: number, worker: number): number;
  /** The smallest and the largest id of these times, both included, for `WHERE id BETWEEN first AND last`. */
  range(from: Time, to: Time): { first: bigint; last: bigint };
  /** The smallest id of the tick of this time. */
  firstId(time: Time): bigint;
  /** Whether equal fields give equal ids. */
  equals(other: Layout | string): boolean;
  /** Whether ids can collide, or sort wrongly, if `after` takes the place of this layout at a time. */
  overlap(after: Layout | string, since: Time): Overlap;
  /** The fingerprint. */
  toString(): string;
  /** The fingerprint. */
  toJSON(): string;
}

/** What a generator is. */
export interface GeneratorInfo {
  /** Its worker id; of snos the partition. */
  worker: number;
  /** The lowest sequence number that it takes. */
  sequenceMin: number;
  /** The highest sequence number that it takes. */
  sequenceMax: number;
  /** The next id's, if it were taken now. */
  sequence: number;
  /** How many sequence numbers of this tick are used. */
  length: number;
  /** How many a tick has. */
  capacity: number;
  /** No generator had this worker on this host since its boot. */
  stateIsNew: boolean;
  /** Where its state is kept: in this process, in files, by whoever grants the worker id, or by whoever gives the slots. */
  state: 'memory' | 'file' | 'grant' | 'slots';
  /** Of hashed worker ids: how likely two hosts have the same one, in parts per million. */
  collisionPpm: number;
  /** The stable text of its layout. */
  fingerprint: string;
}

/** How a generator is now. */
export interface Health {
  /** It gives ids when it is 'serving' or 'needs_grant', which says that extending its grant has failed or is overdue. */
  state: 'serving' | 'needs_grant' | 'behind' | 'fenced' | 'exhausted' | 'stopped' | 'unknown';
  /** Its worker id; of snos the partition. */
  worker: number;
  /** Whether its worker id is granted for a time. */
  needsGrant: boolean;
  /** No id is given for this time or a later one; null without a grant. */
  grantEndUnixMs: number | null;
  /** How often extending the grant failed, in a row. */
  failures: number;
  /** Why it failed last; null after a success. */
  lastFailure: FrazilError | null;
}

/** What happened so far, to the generator and all processes that share it. Plain numbers, fit for JSON. */
export interface Stats {
  /** Ids taken. */
  issued: number;
  /** Ticks of the clock that had no id left for a call. */
  full: number;
  /** How often the clock was seen to go back. */
  backward_steps: number;
  /** The largest of these steps. */
  backward_max_us: number;
  /** How far the next id is ahead of the clock now. */
  lead_us: number;
  /** The furthest that any id was stamped ahead. */
  lead_max_us: number;
  /** Calls that had to wait. */
  waits: number;
  /** For how long, together. */
  waited_us: number;
  /** How often the tick-tock bit of snos was toggled. */
  ticktocks: number;
  /** Grants that continued the one before. */
  extensions: number;
  /** Grants that did not: another worker id, or ticks left out. */
  moves: number;
  /** Later versions may count more. */
  [name: string]: number;
}

/** Options of calls that make an id. */
export interface NextOptions {
  /** Wait up to the generator's max_wait, and block the event loop meanwhile. */
  block?: boolean | null;
}

/** Options of calls that make a sno. */
export interface SnoOptions extends NextOptions {
  /** The metabyte of a sno, a byte of the caller's. */
  meta?: number | null;
}

/** A source of ids: `open` makes one. */
export class Generator {
  private constructor();

  /** An id. Throws a FrazilError of class retry where it would have to wait, unless `block` is true. */
  readonly next: (options?: NextOptions | null) => bigint;
  /** An id, or null where next would throw an error of class retry. */
  readonly tryNext: () => bigint | null;
  /** An id as text: decimal digits unless `form` says another. */
  readonly nextString: (options?: (NextOptions & { form?: TextForm | null }) | null) => string;
  /** An id as a number. Throws where a number cannot hold it. */
  readonly nextNumber: (options?: NextOptions | null) => number;
  /** An id as 8 bytes, the highest first. */
  readonly nextBuffer: (options?: NextOptions | null) => Buffer;
  /** Fills the whole array with increasing ids, or throws and fills none of it. */
  fill(array: BigUint64Array, options?: NextOptions | null): BigUint64Array;
  /** So many increasing ids. Waits in the event loop, as long as there come any within max_wait. */
  take(n: number, options?: { signal?: AbortSignal | null } | null): Promise<BigUint64Array>;
  /** An id for a time of the caller's, from a sequence of its own. Text is read as parseTime() does. */
  nextAt(time: Time | string): bigint;
  /** Ids without end, for `for (const id of ids)`. Where a tick is full it waits as next({ block: true }) does. */
  [Symbol.iterator](): IterableIterator<bigint>;
  /** Ids without end, for `for await (const id of ids)`. Waits in the event loop, as take does. */
  [Symbol.asyncIterator](): AsyncIterableIterator<bigint>;

  /** A sno, of a generator with layout=sno. */
  readonly nextSno: (options?: SnoOptions | null) => string;
  /** Fills the whole array with increasing snos, 10 bytes each. */
  fillSnos<T extends Uint8Array>(array: T, options?: SnoOptions | null): T;
  /** So many increasing snos. Waits in the event loop, as take does. */
  takeSnos(n: number, options?: { meta?: number | null; signal?: AbortSignal | null } | null): Promise<string[]>;
  /** A sno for a time of the caller's. */
  nextSnoAt(time: Time | string, options?: { meta?: number | null } | null): string;

  /** The fields of an id of this generator's layout. */
  inspect(id: IdLike): Fields;
  /** The layout of its ids. */
  readonly layout: Layout;
  /** What its options mean: keys in one order, defaults written out, passwords left out. */
  readonly spec: string;
  /** How many ids are left in this tick. */
  readonly available: number;
  /** Whether close or closeAsync was called. */
  readonly closed: boolean;
  /** What it is. */
  info(): GeneratorInfo;
  /** What happened so far. */
  stats(): Stats;
  /** How it is now, for health checks. Waits for nobody. */
  health(): Health;

  /** With keeper=hook: extends the grant if it is time to, and says in how many milliseconds it will be. */
  keep(): number;
  /** All calls fail from now on; it must still be closed. */
  stop(): void;
  /** Closes it: from now on it gives no ids. A thread gives the worker id back, and the process ends after that. */
  close(): void;
  /** Closes it, and fulfils when the worker id has been given back. All calls of it return one promise. */
  closeAsync(): Promise<void>;
  /** For `using`: close. */
  [Symbol.dispose](): void;
  /** For `await using`: closeAsync. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** A clock that moves only when it is told to, for tests: `open({ clock, state: 'memory' })`. */
export class ManualClock {
  /** A clock that shows this time. */
  constructor(time: Time);
  /** Sets it: a step, forward or back. */
  set(time: Time): void;
  /** Lets so many milliseconds pass. */
  advance(ms: number): void;
  /** Lets so many nanoseconds pass. */
  advanceNs(ns: number | bigint): void;
}

/** A key that is undefined or null is not given. */
export type Given<T> = { [K in keyof T]: T[K] | null };

/** Opens a generator from a spec, as "layout=twitter worker=fixed:7", or from its keys. Reads and writes files. */
export function open(spec?: string | Given<Options> | null): Generator;
/** The same in a thread: a coordinator may take its time to answer. */
export function openAsync(spec?: string | Given<Options> | null): Promise<Generator>;
/** One generator for all openings of this process, in whichever thread, whose specs mean the same. */
export function openShared(spec?: string | Given<Options> | null): Generator;

/** Reads a layout's text; the same as new Layout(text). */
export function layout(text: string): Layout;

/** The version of the library. */
export const version: string;
/** The names of all text forms. */
export const textForms: readonly TextForm[];
/** An id as text: decimal digits unless `form` says another. */
export function format(id: IdLike, form?: TextForm): string;
/** The id of such a text. */
export function parse(text: string, form?: TextForm): bigint;
/** An id as 8 bytes, the highest first. */
export function toBytes(id: IdLike): Buffer;
/** The id of such bytes. */
export function fromBytes(bytes: Uint8Array): bigint;

/** CRC-32 of the decimal digits, modulo shards, as konayuki has it. */
export function shard(id: IdLike, shards: number): number;
/** CRC-32 of a host's name or address, modulo workers, as konayuki has it. */
export function hashWorker(text: string, workers: number): number;
/** How likely it is that two of so many hosts get the same worker by hash, in parts per million. */
export function collisionPpm(hosts: number, workers: number | bigint): number;

/** The scrambler that konayuki documents: neighbouring ids look unlike; it hides nothing from an attacker. */
export function kasumi(id: IdLike, salt: number | bigint): bigint;
/** A scrambled id as short text; `checked` adds check digits. */
export function scramble(id: IdLike, salt: number | bigint, options?: { checked?: boolean }): string;
/** The id of such a text. */
export function unscramble(text: string, salt: number | bigint, options?: { checked?: boolean }): bigint;
/** A new salt for the scrambler: keep it, ids can be read with it alone. */
export function newSalt(): number;

/** RFC 3339 in UTC with milliseconds. */
export function formatTime(time: Time): string;
/** Unix milliseconds of RFC 3339, a date, or a whole number. */
export function parseTime(text: string): number;

/** A sno as its 16 characters or its 10 bytes. */
export type SnoLike = string | Uint8Array;

/** Snos: 80-bit ids, of 10 bytes, or of 16 characters that sort alike. */
export const sno: {
  /** The sno of these fields; the time is rounded down to its unit. */
  compose(fields: { unixMs: Time; ticktock?: number; meta?: number; partition?: number; sequence?: number }): Buffer;
  /** The fields of a sno. */
  inspect(id: SnoLike): SnoFields;
  /** Its 16 characters. */
  encode(id: SnoLike): string;
  /** The 10 bytes of such a text. */
  decode(text: string): Buffer;
  /** The smallest and the largest sno of these times, both included. */
  range(from: Time, to: Time): { first: Buffer; last: Buffer };
  /** A UUID of version 8, which sorts as the sno does. */
  toUuid(id: SnoLike): string;
  /** The sno of such a UUID, as text or 16 bytes. */
  fromUuid(uuid: string | Uint8Array): Buffer;
  /** Its JSON value: a string, or null for the zero sno. */
  toJson(id: SnoLike): string;
  /** The sno of such a JSON value. */
  fromJson(json: string): Buffer;
  /** The sno of a database column: its 10 bytes, its 16 characters, or nothing (null or empty), which is the zero sno. */
  fromColumn(value: Uint8Array | string | null | undefined): Buffer;
  /** A partition as text: 'A,10'. */
  formatPartition(partition: number): string;
  /** The partition of such a text, or of a number as text. */
  parsePartition(text: string): number;
};
