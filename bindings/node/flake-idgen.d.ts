// SPDX-License-Identifier: MIT
/// <reference types="node" />

/** The interface of npm's flake-idgen 1.4, over frazil. */
declare class FlakeId {
  /** Throws a FrazilError where a value is out of its range. */
  constructor(options?: FlakeId.Options);

  /** The options as they were given. */
  readonly options: FlakeId.Options;
  /** From 0 to 1023. */
  readonly id: number;
  /** The upper five bits of the id; undefined where the option `id` was given. */
  readonly datacenter?: number;
  /** The lower five bits of the id; undefined where the option `id` was given. */
  readonly worker?: number;
  /** Unix milliseconds that are subtracted from the time. */
  readonly epoch: number;
  /** The mask of the sequence number. */
  readonly seqMask: number;

  /** Eight bytes, the highest first. Throws where the millisecond is full, or the clock has gone back. */
  next(): Buffer;
  /** Calls back after this call has returned, in the order of the calls, as soon as there is an id. */
  next(callback: (error: Error | null, id: Buffer) => void): void;
}

declare namespace FlakeId {
  /** null and undefined are not given. */
  interface Options {
    /** From 0 to 1023, in place of datacenter and worker. */
    id?: number | string | null;
    /** From 0 to 31. */
    datacenter?: number | string | null;
    /** From 0 to 31. */
    worker?: number | string | null;
    /** Unix milliseconds that are subtracted from the time; 0 where it is not given. */
    epoch?: number | Date | null;
    /** 0xfff where it is not given. */
    seqMask?: number | null;
  }
}

export = FlakeId;
