// SPDX-License-Identifier: MIT
/// <reference types="node" />

/** The interface of npm's flake-idgen 1.4, over frazil. */
declare class FlakeId {
  /** Creates a generator. Throws a FrazilError if a value is out of range. */
  constructor(options?: FlakeId.Options);

  /** The options as they were given. */
  readonly options: FlakeId.Options;
  /** The worker number, from 0 to 1023. */
  readonly id: number;
  /** The upper five bits of the id; undefined if the option `id` was given. */
  readonly datacenter?: number;
  /** The lower five bits of the id; undefined if the option `id` was given. */
  readonly worker?: number;
  /** Unix milliseconds that are subtracted from the time. */
  readonly epoch: number;
  /** The mask of the sequence number. */
  readonly seqMask: number;

  /** Returns eight bytes, big-endian. Throws if the millisecond is full or the clock has gone back. */
  next(): Buffer;
  /** Calls back as soon as there is an id, after this call has returned, and in the order of the calls. */
  next(callback: (error: Error | null, id: Buffer) => void): void;
}

declare namespace FlakeId {
  /** Options of a generator; null and undefined count as not given. */
  interface Options {
    /** The worker number, from 0 to 1023, instead of datacenter and worker. */
    id?: number | string | null;
    /** The datacenter, from 0 to 31. */
    datacenter?: number | string | null;
    /** The worker in its datacenter, from 0 to 31. */
    worker?: number | string | null;
    /** Unix milliseconds that are subtracted from the time. Default: 0. */
    epoch?: number | Date | null;
    /** The mask of the sequence number. Default: 0xfff. */
    seqMask?: number | null;
  }
}

export = FlakeId;
