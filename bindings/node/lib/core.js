// SPDX-License-Identifier: MIT
'use strict';

/**
 * The part of frazil that needs no generator: layouts, text forms, snos. `native` has the functions of the library, from
 * the addon in Node and from WebAssembly in browsers.
 */

/** The error of a call that failed. */
class FrazilError extends Error {
  /**
   * The argument list is that of `make_error` in src/errors.c.
   *
   * @param {string} message what failed, where, and what would be right
   * @param {string} code as "FRAZIL_EAGAIN"
   * @param {'usage' | 'retry' | 'fenced' | 'fatal'} errorClass what the caller can do about it
   * @param {number} retryMs for class retry: milliseconds after which the same call can succeed; 0 if unknown
   * @param {number} behindMs by how much the clock is behind
   * @param {number} position of a text that was read: characters before what is wrong; -1 where there is none
   * @param {number} errno of the system call that failed; 0 where none did
   */
  constructor(message, code, errorClass, retryMs = 0, behindMs = 0, position = -1, errno = 0) {
    super(message);
    this.code = code;
    this.class = errorClass;
    this.retryMs = retryMs;
    this.behindMs = behindMs;
    if (position >= 0) this.position = position;
    if (errno !== 0) this.errno = errno;
  }
}
// On the prototype, as the errors of Node have it, so that a stack trace begins with it.
Object.defineProperty(FrazilError.prototype, 'name', { value: 'FrazilError', configurable: true, writable: true });

const encoded = (text) => new TextEncoder().encode(text);

function makeCore(native) {
  let bytesOf;

  /** The positions of an id's fields, and the arithmetic on ids that needs only these. */
  class Layout {
    #bytes;
    #text;

    constructor(text) {
      // A generator hands over the bytes of its own layout, which no user of the package can get.
      this.#bytes = typeof text === 'string' ? native.parseLayout(text) : native.layoutOf(text);
    }

    /** The stable text of the layout, which `layout` reads back. */
    get fingerprint() {
      return (this.#text ??= native.fingerprint(this.#bytes));
    }

    describe() {
      return native.describe(this.#bytes);
    }

    inspect(id) {
      return native.decompose(this.#bytes, id);
    }

    compose({ unixMs, worker, sequence }) {
      return native.compose(this.#bytes, unixMs, worker ?? 0, sequence ?? 0);
    }

    workerOf(datacenter, worker) {
      return native.workerOf(this.#bytes, datacenter, worker);
    }

    range(from, to) {
      return native.range(this.#bytes, from, to);
    }

    firstId(time) {
      return native.firstId(this.#bytes, time);
    }

    equals(other) {
      return native.equal(this.#bytes, bytesOf(other));
    }

    overlap(after, since) {
      return native.overlap(this.#bytes, bytesOf(after), since);
    }

    toString() {
      return this.fingerprint;
    }

    toJSON() {
      return this.fingerprint;
    }

    /** What console.log shows; browsers pass over it. */
    [Symbol.for('nodejs.util.inspect.custom')]() {
      return `Layout '${this.fingerprint}'`;
    }

    static {
      bytesOf = (other) => (typeof other === 'string' ? new Layout(other) : other).#bytes;
    }
  }

  const sno = Object.freeze({
    compose: ({ unixMs, ticktock, meta, partition, sequence }) =>
      native.snoCompose(unixMs, ticktock ?? 0, meta ?? 0, partition ?? 0, sequence ?? 0),
    inspect: (id) => native.snoDecompose(id),
    encode: (id) => native.snoEncode(id),
    decode: (text) => native.snoDecode(text),
    range: (from, to) => native.snoRange(from, to),
    toUuid: (id) => native.snoToUuid(id),
    fromUuid: (uuid) => (typeof uuid === 'string' ? native.snoParseUuid(uuid) : native.snoFromUuidBytes(uuid)),
    toJson: (id) => native.snoToJson(id),
    fromJson: (json) => native.snoFromJson(json),
    // Ten bytes, 16 characters, or nothing, which is the zero sno: in each binding.
    fromColumn: (value) => native.snoFromColumn(typeof (value ?? '') === 'string' ? encoded(value ?? '') : value),
    formatPartition: (partition) => native.formatPartition(partition),
    parsePartition: (text) => native.parsePartition(text),
  });

  return {
    Layout,
    layout: (text) => new Layout(text),
    sno,
    version: native.version(),
    textForms: Object.freeze(native.textForms()),
    format: (id, form) => native.format(id, form ?? 'dec'),
    parse: (text, form) => native.parse(text, form ?? 'dec'),
    toBytes: (id) => native.toBytes(id),
    fromBytes: (bytes) => native.fromBytes(bytes),
    shard: (id, shards) => native.shard(id, shards),
    hashWorker: (text, workers) => native.hashWorker(text, workers),
    collisionPpm: (hosts, workers) => native.collisionPpm(hosts, workers),
    kasumi: (id, salt) => native.kasumi(id, salt),
    scramble: (id, salt, options) => native.scramble(id, salt, options?.checked ?? false),
    unscramble: (text, salt, options) => native.unscramble(text, salt, options?.checked ?? false),
    formatTime: (time) => native.formatTime(time),
    parseTime: (text) => native.parseTime(text),
  };
}

module.exports = { FrazilError, makeCore };
