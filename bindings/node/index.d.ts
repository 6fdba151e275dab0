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

/** Why a call of frazil failed. Its message says what, where, and what would be right. */
export class FrazilError extends Error {
  constructor(
    message: string,
    code: string,
    errorClass: ErrorClass,
    retryMs?: number,
    behindMs?: number,
    position?: number,
    errno?: number,
  );
  /** As "FRAZIL_EAGAIN". */
  readonly code: string;
  readonly class: ErrorClass;
  /** Of class retry: after so many milliseconds the same call can succeed; 0 where that is not known. */
  readonly retryMs: number;
  /** FRAZIL_ECLOCK: by how many milliseconds the clock is behind; else 0. */
  readonly behindMs: number;
  /** Of a text that was read: how many bytes stand before what is wrong. */
  readonly position?: number;
  /** Of the system call that failed. */
  readonly errno?: number;
}

/**
 * The keys of a spec, in camel case: `maxWait: '10ms'` is `max_wait=10ms`. frazil.spec(5) has all of them with their
 * values, and open refuses one that it does not know.
 */
export interface Options {
  /** A spec that the other keys are added to. */
  spec?: string;
  layout?: string | Layout;
  epoch?: string | number;
  tick?: string;
  behaviour?: string;
  worker?: string;
  partition?: string | number;
  datacenter?: number | string;
  base?: number | string;
  count?: number | string;
  expect?: number | string;
  hostname?: string;
  ip?: string;
  onFull?: 'wait' | 'lead' | 'error';
  onBackward?: 'hold' | 'wait' | 'error' | 'ticktock';
  maxLead?: string;
  maxWait?: string;
  openWait?: string;
  start?: 'zero' | 'random' | 'spread';
  seqMin?: number | string;
  seqMax?: number | string;
  state?: string;
  batch?: number | string;
  namespace?: string;
  runDir?: string;
  stateDir?: string;
  hostDir?: string;
  maxSkew?: string;
  onLoss?: 'move' | 'stop';
  share?: 'process' | 'host';
  horizon?: string;
  workers?: number | string;
  keeper?: 'thread' | 'hook' | 'inline' | 'other';
  clock?: string | ManualClock;
  allowShortLife?: boolean | 'yes' | 'no';
  config?: string;
}

/** The fields of a 64-bit id. */
export interface Fields {
  unixMs: number;
  /** The whole number, datacenter included. */
  worker: number;
  sequence: number;
  datacenter: number;
  workerInDatacenter: number;
}

/** The fields of a sno. */
export interface SnoFields {
  unixMs: number;
  ticktock: number;
  meta: number;
  partition: number;
  sequence: number;
}

/** What a layout can hold. */
export interface LayoutDescription {
  name: string;
  kind: '64' | 'sno';
  tickMs: number;
  timeBits: number;
  workerBits: number;
  datacenterBits: number;
  sequenceBits: number;
  totalBits: number;
  workers: bigint;
  idsPerTick: bigint;
  idsPerSecond: bigint;
  firstUnixMs: number;
  lastUnixMs: number;
  maxId: bigint;
  reachesSignBit: boolean;
  /** 0 where that never happens. */
  signBitUnixMs: number;
  fits53Bits: boolean;
}

/** What happens when a system moves from one layout to another. */
export interface Overlap {
  canCollide: boolean;
  canMissort: boolean;
  oldLast: bigint;
  newFirst: bigint;
  everSafe: boolean;
  safeUnixMs: number;
}

/** Where the fields of an id lie, and the arithmetic that needs nothing else. */
export class Layout {
  constructor(text: string);
  /** Its stable text, which `layout` reads again. */
  readonly fingerprint: string;
  describe(): LayoutDescription;
  inspect(id: IdLike): Fields;
  compose(fields: { unixMs: Time; worker?: number; sequence?: number }): bigint;
  workerOf(datacenter: number, worker: number): number;
  /** The smallest and the largest id of these times, both included, for `WHERE id BETWEEN first AND last`. */
  range(from: Time, to: Time): { first: bigint; last: bigint };
  /** The smallest id of the tick of this time. */
  firstId(time: Time): bigint;
  equals(other: Layout | string): boolean;
  overlap(after: Layout | string, since: Time): Overlap;
  toString(): string;
  toJSON(): string;
}

export interface GeneratorInfo {
  worker: number;
  sequenceMin: number;
  sequenceMax: number;
  sequence: number;
  length: number;
  capacity: number;
  stateIsNew: boolean;
  /** Where its state is kept: in this process, in files, by whoever grants the worker id, or by whoever gives the slots. */
  state: 'memory' | 'file' | 'grant' | 'slots';
  collisionPpm: number;
  fingerprint: string;
}

export interface Health {
  state: 'serving' | 'needs-grant' | 'behind' | 'fenced' | 'exhausted' | 'stopped' | 'unknown';
  worker: number;
  needsGrant: boolean;
  grantEndUnixMs: number | null;
  failures: number;
  lastFailure: FrazilError | null;
}

export interface NextOptions {
  /** Wait up to the generator's max_wait, and block the event loop meanwhile. */
  block?: boolean;
}

export interface SnoOptions extends NextOptions {
  /** The metabyte of a sno, a byte of the caller's. */
  meta?: number;
}

/** A source of ids: `open` makes one. */
export class Generator {
  private constructor();

  /** An id. Throws a FrazilError of class retry where it would have to wait, unless `block` is true. */
  next(options?: NextOptions): bigint;
  /** An id, or null where next would throw an error of class retry. */
  tryNext(): bigint | null;
  /** An id as text: decimal digits unless `form` says another. */
  nextString(options?: NextOptions & { form?: TextForm }): string;
  /** An id as a number. Throws where a number cannot hold it. */
  nextNumber(options?: NextOptions): number;
  /** An id as 8 bytes, the highest first. */
  nextBuffer(options?: NextOptions): Buffer;
  /** Fills the whole array with increasing ids, or throws and fills none of it. */
  fill(array: BigUint64Array, options?: NextOptions): BigUint64Array;
  /** So many increasing ids. Waits in the event loop, as long as there come any within max_wait. */
  take(n: number, options?: { signal?: AbortSignal }): Promise<BigUint64Array>;
  /** An id for a time of the caller's, from a sequence of its own. Text is read as parseTime() does. */
  nextAt(time: Time | string): bigint;

  /** A sno, of a generator with layout=sno. */
  nextSno(options?: SnoOptions): string;
  /** Fills the whole array with increasing snos, 10 bytes each. */
  fillSnos<T extends Uint8Array>(array: T, options?: SnoOptions): T;
  takeSnos(n: number, options?: { meta?: number; signal?: AbortSignal }): Promise<string[]>;
  nextSnoAt(time: Time | string, options?: { meta?: number }): string;

  /** The fields of an id of this generator's layout. */
  inspect(id: IdLike): Fields;
  readonly layout: Layout;
  /** How many ids are left in this tick. */
  readonly available: number;
  info(): GeneratorInfo;
  stats(): Record<string, bigint>;
  health(): Health;

  /** With keeper=hook: extends the grant if it is time to, and says in how many milliseconds it will be. */
  keep(): number;
  /** All calls fail from now on; it must still be closed. */
  stop(): void;
  /** Closes it: from now on it gives no ids. A thread gives the worker id back, and the process ends after that. */
  close(): void;
  /** Closes it, and fulfils when the worker id has been given back. */
  closeAsync(): Promise<void>;
  [Symbol.dispose](): void;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A clock that moves only when it is told to, for tests: `open({ clock })`. */
export class ManualClock {
  constructor(time: Time);
  set(time: Time): void;
  advance(ms: number): void;
  advanceNs(ns: number | bigint): void;
}

/** A key that is undefined or null is not given. */
export type Given<T> = { [K in keyof T]: T[K] | null };

/** Opens a generator from a spec, as "layout=twitter worker=fixed:7", or from its keys. Reads and writes files. */
export function open(spec?: string | Given<Options> | null): Generator;
/** The same in a thread: a coordinator may take its time to answer. */
export function openAsync(spec?: string | Given<Options> | null): Promise<Generator>;
/** One generator for all openings of this process, in whichever thread, whose specs mean the same. */
export function openShared(spec?: string | null): Generator;

export function layout(text: string): Layout;

/** The version of the library. */
export const version: string;
export const textForms: readonly TextForm[];
export function format(id: IdLike, form?: TextForm): string;
export function parse(text: string, form?: TextForm): bigint;
export function toBytes(id: IdLike): Buffer;
export function fromBytes(bytes: Uint8Array): bigint;

/** CRC-32 of the decimal digits, modulo shards, as konayuki has it. */
export function shard(id: IdLike, shards: number): number;
/** CRC-32 of a host's name or address, modulo workers, as konayuki has it. */
export function hashWorker(text: string, workers: number): number;
/** How likely it is that two of so many hosts get the same worker by hash, in parts per million. */
export function collisionPpm(hosts: number, workers: number | bigint): number;

/** The scrambler that konayuki documents: neighbouring ids look unlike; it hides nothing from an attacker. */
export function kasumi(id: IdLike, salt: number | bigint): bigint;
export function scramble(id: IdLike, salt: number | bigint, options?: { checked?: boolean }): string;
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
  compose(fields: { unixMs: Time; ticktock?: number; meta?: number; partition?: number; sequence?: number }): Buffer;
  inspect(id: SnoLike): SnoFields;
  encode(id: SnoLike): string;
  decode(text: string): Buffer;
  range(from: Time, to: Time): { first: Buffer; last: Buffer };
  toUuid(id: SnoLike): string;
  fromUuid(uuid: string | Uint8Array): Buffer;
  toJson(id: SnoLike): string;
  fromJson(json: string): Buffer;
  fromColumn(bytes: Uint8Array): Buffer;
  formatPartition(partition: number): string;
  parsePartition(text: string): number;
};
