// SPDX-License-Identifier: MIT
'use strict';

/** Generators, and all that the package shows: index.js says which of it. */

const { FrazilError, makeCore } = require('./core.js');
const { usage, toPairs, toSpec } = require('./options.js');
const native = require('./load.js').load();
const { setImmediate, setTimeout } = require('node:timers/promises');

native.setup(FrazilError);

const core = makeCore(native);
const wanted = require('../package.json').version;
if (core.version.split('.', 2).join('.') !== wanted.split('.', 2).join('.')) {
  throw new Error(`frazil ${wanted} for Node found libfrazil ${core.version}; run 'npm rebuild frazil'`);
}

// The addon writes here what its fast functions would return: reading it costs less than having a bigint made there.
const cell = new BigUint64Array(native.cell);
const bytes = new Uint8Array(native.cell);
const CELL_RETRY_NS = 1;
const SNO_SIZE = 10;
// In some 0.3 ms, as each is made a text: others get their turn in between.
const SNOS_AT_A_TIME = 1024;

const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const HEALTH_STATES = ['serving', 'needs_grant', 'behind', 'fenced', 'exhausted', 'stopped'];
// Who waits looks again after so long at the latest, as a clock that was behind can be set forward.
const TIMER_MOST_MS = 1000;
// A loop over ids that never waits gives others a turn after so many.
const IDS_OF_A_TURN = 1024;
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

let externalOf;

function checkCount(n) {
  if (!Number.isSafeInteger(n) || n < 0) throw usage('how many ids to take must be a whole number');
}

/** A clock that moves only when it is told to, for tests. */
class ManualClock {
  #external;

  constructor(time) {
    this.#external = native.clockNew(time);
  }

  set(time) {
    native.clockSet(this.#external, time);
  }

  /** Lets so many milliseconds pass. */
  advance(ms) {
    this.advanceNs(Math.round(ms * 1e6));
  }

  advanceNs(ns) {
    native.clockAdvance(this.#external, ns);
  }

  static {
    externalOf = (clock) => clock.#external;
  }
}

function toRequest(specOrOptions) {
  if (specOrOptions === undefined || specOrOptions === null) return [undefined];
  if (typeof specOrOptions === 'string') return [specOrOptions];
  if (typeof specOrOptions !== 'object') {
    throw usage('a generator is opened from a spec, a string, or from an object with its keys');
  }
  const { spec, clock, ...keys } = specOrOptions;
  const isManual = clock instanceof ManualClock;
  const pairs = toPairs(isManual ? keys : { ...keys, clock }, core.Layout);
  return [spec ?? undefined, pairs, isManual ? externalOf(clock) : undefined];
}

/** Shared generators are found by their spec, and so each opening becomes one text. */
function toSharedSpec(specOrOptions) {
  if (specOrOptions === null || typeof specOrOptions !== 'object') return specOrOptions ?? '';
  if (specOrOptions.clock instanceof ManualClock) {
    throw usage('a shared generator is found by its spec, which cannot hold a clock: use open');
  }
  return toSpec(specOrOptions, core.Layout);
}

// Who has this made the generator itself.
const key = Symbol('frazil');
const tryNextBuffer = Symbol('tryNextBuffer');

class Generator {
  #external;
  #tryNext;
  #maxWaitMs;
  #isRemote;
  #spec;
  #layout;
  #closing;

  constructor(given, handle) {
    if (given !== key) throw usage('a generator is made by open');
    const { external, next, nextWaiting, tryNext, nextText, maxWaitMs, isRemote, spec } = handle;
    this.#external = external;
    this.#tryNext = tryNext;
    this.#maxWaitMs = maxWaitMs;
    this.#isRemote = isRemote;
    this.#spec = spec;

    // Functions of their own, so that they can be handed on alone, as in Array.from({ length: 3 }, ids.next).
    this.next = (options) => {
      if (options?.block) nextWaiting();
      else next();
      return cell[0];
    };
    this.tryNext = () => (tryNext() === undefined ? cell[0] : null);
    this.nextString = (options) => {
      if (!options) return nextText();
      return native.format(this.next(options), options.form ?? 'dec');
    };
    this.nextNumber = (options) => {
      const id = Number(this.next(options));
      if (Number.isSafeInteger(id)) return id;
      throw new FrazilError(
        'this id does not fit a number of JavaScript, which is exact up to 2^53: use next() or nextString(), or a layout ' +
          'that fits, as js53',
        'FRAZIL_ERANGE',
        'usage',
      );
    };
    this.nextBuffer = (options) => {
      cell[0] = this.next(options);
      return cellBuffer();
    };
    this.nextSno = (options) => native.snoEncode(this.fillSnos(Buffer.allocUnsafe(SNO_SIZE), options));
  }

  /** For the drop-in of flake-idgen: nextBuffer that returns null where tryNext would. */
  [tryNextBuffer]() {
    return this.#tryNext() === undefined ? cellBuffer() : null;
  }

  /** A loop that is not asynchronous cannot let others run while it waits, and so it waits where it is. */
  *[Symbol.iterator]() {
    for (;;) yield this.next({ block: true });
  }

  async *[Symbol.asyncIterator]() {
    for (let i = 1; ; i++) {
      yield (await this.take(1))[0];
      if (i % IDS_OF_A_TURN === 0) await setImmediate();
    }
  }

  fill(array, options) {
    return native.fill(this.#external, array, options?.block ?? false);
  }

  async take(n, options) {
    const signal = options?.signal ?? undefined;
    checkCount(n);
    signal?.throwIfAborted();
    const ids = new BigUint64Array(n);
    if (this.#isRemote) return abortable(native.takeAsync(this.#external, ids), signal);
    await this.#collect(
      n,
      signal,
      (from) => native.tryTake(this.#external, ids, from),
      () => native.fill(this.#external, new BigUint64Array(1), false),
    );
    return ids;
  }

  fillSnos(array, options) {
    return native.fillSnos(this.#external, options?.meta ?? 0, array, options?.block ?? false);
  }

  async takeSnos(n, options) {
    const meta = options?.meta ?? 0;
    const signal = options?.signal ?? undefined;
    checkCount(n);
    signal?.throwIfAborted();
    const texts = [];
    const piece = Buffer.allocUnsafe(Math.min(n, SNOS_AT_A_TIME) * SNO_SIZE);
    const takeFrom = (from) => {
      const more = native.tryTakeSnos(this.#external, meta, piece.subarray(0, (n - from) * SNO_SIZE));
      for (let i = 0; i < more; i++) texts.push(native.snoEncode(piece.subarray(i * SNO_SIZE, (i + 1) * SNO_SIZE)));
      return more;
    };
    const explain = () => native.fillSnos(this.#external, meta, Buffer.allocUnsafe(SNO_SIZE), false);
    await this.#collect(n, signal, takeFrom, explain);
    return texts;
  }

  nextSnoAt(time, options) {
    return native.snoEncode(native.nextSnoAt(this.#external, time, options?.meta ?? 0));
  }

  /** Takes what is free, and goes back to the event loop until there is more. */
  async #collect(n, signal, takeFrom, explain) {
    let since = performance.now();
    for (let taken = 0; taken < n; ) {
      const more = takeFrom(taken);
      taken += more;
      if (taken === n) return;
      if (more > 0) {
        since = performance.now();
        await setImmediate(undefined, { signal });
        continue;
      }
      const retryMs = pauseMs();
      // Throws with the reason, unless there is an id after all.
      if (performance.now() - since + retryMs > this.#maxWaitMs + 1) explain();
      await setTimeout(retryMs, undefined, { signal });
    }
  }

  nextAt(time) {
    return native.nextAt(this.#external, time);
  }

  get layout() {
    return (this.#layout ??= new core.Layout(this.#external));
  }

  inspect(id) {
    return this.layout.inspect(id);
  }

  get spec() {
    return this.#spec;
  }

  get closed() {
    return this.#closing !== undefined;
  }

  get available() {
    return native.available(this.#external);
  }

  info() {
    return { ...native.info(this.#external), fingerprint: this.layout.fingerprint };
  }

  stats() {
    return native.stats(this.#external);
  }

  health() {
    const health = native.health(this.#external);
    return { ...health, state: HEALTH_STATES[health.state] ?? 'unknown' };
  }

  keep() {
    const ms = native.keep(this.#external);
    return ms < 0 ? Infinity : ms;
  }

  [inspectCustom](depth, options, inspect) {
    const { closed } = this;
    const shown = closed ? { spec: this.spec, closed } : { spec: this.spec, state: this.health().state };
    return `Generator ${inspect(shown, options)}`;
  }

  stop() {
    native.stop(this.#external);
  }

  close() {
    // Who wants to know how it went waits for closeAsync, also later.
    this.closeAsync().catch(() => {});
  }

  /** However often it is called, there is one end, and each caller learns when it has come and how it went. */
  closeAsync() {
    return (this.#closing ??= Promise.resolve(native.closeAsync(this.#external)));
  }
}

// Node before 20.5 has no such symbols.
if (Symbol.dispose) Generator.prototype[Symbol.dispose] = Generator.prototype.close;
if (Symbol.asyncDispose) Generator.prototype[Symbol.asyncDispose] = Generator.prototype.closeAsync;

/** After how many milliseconds to come back, as the last call that gave no id has said. */
function pauseMs() {
  return Math.min(Math.max(Math.ceil(Number(cell[CELL_RETRY_NS]) / 1e6), 1), TIMER_MOST_MS);
}

/** The id in the cell, highest byte first. */
function cellBuffer() {
  const buffer = Buffer.allocUnsafe(8);
  if (isLittleEndian) {
    buffer[0] = bytes[7];
    buffer[1] = bytes[6];
    buffer[2] = bytes[5];
    buffer[3] = bytes[4];
    buffer[4] = bytes[3];
    buffer[5] = bytes[2];
    buffer[6] = bytes[1];
    buffer[7] = bytes[0];
  } else buffer.writeBigUInt64BE(cell[0]);
  return buffer;
}

/** The promise, or the signal's reason if that comes first; what the promise then brings stays unused. */
function abortable(promise, signal) {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function open(specOrOptions) {
  return new Generator(key, native.open(...toRequest(specOrOptions)));
}

async function openAsync(specOrOptions) {
  return new Generator(key, await native.openAsync(...toRequest(specOrOptions)));
}

function openShared(specOrOptions) {
  return new Generator(key, native.openShared(toSharedSpec(specOrOptions)));
}

async function openSharedAsync(specOrOptions) {
  return new Generator(key, await native.openSharedAsync(toSharedSpec(specOrOptions)));
}

module.exports = {
  core,
  native,
  Generator,
  ManualClock,
  FrazilError,
  open,
  openAsync,
  openShared,
  openSharedAsync,
  tryNextBuffer,
  pauseMs,
};
