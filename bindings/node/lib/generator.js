// SPDX-License-Identifier: MIT
'use strict';

/** Generators, and all that the package exports; index.js selects the names. */

const { FrazilError, makeCore } = require('./core.js');
const { usage, toPairs, toSpec } = require('./options.js');
const native = require('./load.js').load();
const { setImmediate, setTimeout } = require('node:timers/promises');
const util = require('node:util');
const { isMainThread } = require('node:worker_threads');

native.setup(FrazilError);
// process.exit waits for the threads of libuv's pool, of which one may wait for ids.
process.once('exit', () => native.stopTakes(isMainThread));

const core = makeCore(native);
const wanted = require('../package.json').version;
if (core.version.split('.', 2).join('.') !== wanted.split('.', 2).join('.')) {
  throw new Error(`frazil ${wanted} for Node found libfrazil ${core.version}; run 'npm rebuild frazil'`);
}

// The addon writes the results of its fast functions here: reading them costs less than creating a bigint in the addon.
const cell = new BigUint64Array(native.cell);
const bytes = new Uint8Array(native.cell);
const CELL_RETRY_NS = 1;
const SNO_SIZE = 10;
// Each sno becomes text, so this many take about 0.3 ms; then other tasks get a turn.
const SNOS_AT_A_TIME = 1024;

const isLittleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;
const HEALTH_STATES = ['serving', 'needs_grant', 'behind', 'fenced', 'exhausted', 'stopped'];
// A waiting call retries at least this often, as a clock that was behind can be set forward.
const TIMER_MOST_MS = 1000;
// A loop over ids that never has to wait gives other tasks a turn after this many.
const IDS_OF_A_TURN = 1024;
const inspectCustom = Symbol.for('nodejs.util.inspect.custom');

let externalOf;

function checkCount(n) {
  if (!Number.isSafeInteger(n) || n < 0)
    throw usage(`how many ids to take must be a whole number from 0 on, and is ${util.inspect(n)}`);
}

/** A clock for tests that moves only when told to. */
class ManualClock {
  #external;

  constructor(time) {
    this.#external = native.clockNew(time);
  }

  set(time) {
    native.clockSet(this.#external, time);
  }

  /** Advances the clock by the given milliseconds. */
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

/** Turns each opening into one text, as shared generators are found by their spec. */
function toSharedSpec(specOrOptions) {
  if (specOrOptions === null || typeof specOrOptions !== 'object') return specOrOptions ?? '';
  if (specOrOptions.clock instanceof ManualClock) {
    throw usage('a shared generator is found by its spec, which cannot hold a clock: use open');
  }
  return toSpec(specOrOptions, core.Layout);
}

// Only code that has this symbol can make a generator.
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

    // Closures, so that they can be passed on without the generator, as in Array.from({ length: 3 }, ids.next).
    this.next = (options) => {
      if (options?.block) nextWaiting();
      else next();
      return cell[0];
    };
    this.tryNext = () => (tryNext() === undefined ? cell[0] : null);
    this.nextString = (options) => {
      if (options === undefined || options === null) return nextText();
      const form = typeof options === 'string' ? options : (options.form ?? 'dec');
      native.format(0n, form); // throws before an id is taken
      return native.format(this.next(options), form);
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

  /** Is nextBuffer(), but returns null where tryNext() would; for the flake-idgen drop-in. */
  [tryNextBuffer]() {
    return this.#tryNext() === undefined ? cellBuffer() : null;
  }

  /** Blocks while it waits, as a synchronous loop cannot return to the event loop. */
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
    if (this.#isRemote) return abortable(native.takeAsync(this.#external, ids, 0), signal);
    await this.#collect(
      n,
      signal,
      (from) => native.tryTake(this.#external, ids, from),
      () => native.fill(this.#external, new BigUint64Array(1), false),
      (from, passedMs) => native.takeAsync(this.#external, ids.subarray(from), passedMs),
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
    const addTexts = (packed, from, end) => {
      for (let i = from; i < end; i++) texts.push(native.snoEncode(packed.subarray(i * SNO_SIZE, (i + 1) * SNO_SIZE)));
    };
    const takeFrom = (from) => {
      const more = native.tryTakeSnos(this.#external, meta, piece.subarray(0, (n - from) * SNO_SIZE));
      addTexts(piece, 0, more);
      return more;
    };
    const explain = () => native.fillSnos(this.#external, meta, Buffer.allocUnsafe(SNO_SIZE), false);
    const takeRest = async (from, passedMs) => {
      const packed = Buffer.alloc((n - from) * SNO_SIZE);
      await native.takeSnosAsync(this.#external, meta, packed, passedMs);
      for (let i = 0; i < n - from; i += SNOS_AT_A_TIME) {
        if (i > 0) await setImmediate();
        addTexts(packed, i, Math.min(i + SNOS_AT_A_TIME, n - from));
      }
    };
    if (this.#isRemote) await abortable(takeRest(0, 0), signal);
    else await this.#collect(n, signal, takeFrom, explain, takeRest);
    return texts;
  }

  nextSnoAt(time, options) {
    return native.snoEncode(native.nextSnoAt(this.#external, time, options?.meta ?? 0));
  }

  /** Takes the ids that are free, and returns to the event loop until more are free. */
  async #collect(n, signal, takeFrom, explain, takeRest) {
    let since = performance.now();
    for (let taken = 0; taken < n; ) {
      let more;
      try {
        more = takeFrom(taken);
      } catch (error) {
        if (error.class !== 'fenced') throw error;
        // The grant may be being extended: a call that may wait knows whether that is worth waiting for.
        return abortable(takeRest(taken, Math.floor(performance.now() - since)), signal);
      }
      taken += more;
      if (taken === n) return;
      if (more > 0) {
        since = performance.now();
        await unlessAborted(setImmediate(undefined, { signal }), signal);
        continue;
      }
      const retryMs = pauseMs();
      // Throws with the reason, unless there is an id after all.
      if (performance.now() - since + retryMs > this.#maxWaitMs + 1) explain();
      await unlessAborted(setTimeout(retryMs, undefined, { signal }), signal);
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

  /** Each loop over what it returns goes on where the last one ended. */
  events() {
    const external = this.#external;
    let after = 0;
    return {
      *[Symbol.iterator]() {
        for (let read; (read = native.nextEvent(external, after)) !== undefined; ) {
          const { cursor, ...event } = read;
          after = cursor;
          yield event;
        }
      },
    };
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
    return Object.fromEntries(
      Object.entries(native.stats(this.#external)).map(([name, value]) => [
        name.replace(/_[a-z]/g, (letter) => letter[1].toUpperCase()),
        value,
      ]),
    );
  }

  health() {
    const health = native.health(this.#external);
    const state = HEALTH_STATES[health.state] ?? 'unknown';
    return { ...health, state, serving: state === 'serving' || state === 'needs_grant' };
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
    // A caller that needs the outcome awaits closeAsync(), also later.
    this.closeAsync().catch(() => {});
  }

  /** Closes once, however often it is called; each caller gets the promise with the outcome. */
  closeAsync() {
    return (this.#closing ??= Promise.resolve(native.closeAsync(this.#external)));
  }
}

// Node before 20.5 has no such symbols.
if (Symbol.dispose) Generator.prototype[Symbol.dispose] = Generator.prototype.close;
if (Symbol.asyncDispose) Generator.prototype[Symbol.asyncDispose] = Generator.prototype.closeAsync;

/** Returns the milliseconds after which to retry, as the last call without an id reported. */
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

/** Awaits a timer; a signal that ends it rejects with its own reason, which timers hide in an AbortError. */
async function unlessAborted(timer, signal) {
  try {
    await timer;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** Returns the promise, or rejects with the signal's reason if that comes first; the later result stays unused. */
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
