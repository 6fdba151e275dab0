// SPDX-License-Identifier: MIT
'use strict';

/** The interface of npm's flake-idgen 1.4 over frazil: README.md says what differs, and why. */

const { FrazilError, openShared, openSharedAsync, tryNextBuffer, pauseMs } = require('./lib/generator.js');

const SEQUENCE_MOST = 0xfff;
const FULL = 'Sequence exceeded its maximum value. Provide callback function to handle sequence overflow';

/* ---- options ------------------------------------------------------------------------------ */

/** A whole number in its range: those out of it were cut off silently once, and so two generators could be one. */
function whole(name, given, most) {
  const value = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  if (Number.isSafeInteger(value) && value >= 0 && value <= most) return value;
  throw new FrazilError(
    `${name} must be a whole number from 0 to ${most}, and is ${String(given)}`,
    'FRAZIL_ERANGE',
    'usage',
  );
}

/** The highest sequence number under a mask: counting up ends where the next number loses a bit to it. */
function highest(mask) {
  const seqMax = (~mask & (mask + 1)) - 1;
  if (seqMax > 0) return seqMax;
  throw new FrazilError(
    `seqMask 0x${mask.toString(16)} allows a single id in each millisecond, as its lowest bit is not set: give 2^k - 1`,
    'FRAZIL_ERANGE',
    'usage',
  );
}

/* ---- warnings -------------------------------------------------------------------------------- */

let hasWarnedOfId = false;

function warn(message, code) {
  process.emitWarning(message, { type: 'FrazilWarning', code });
}

function warnOfId() {
  if (hasWarnedOfId) return;
  hasWarnedOfId = true;
  warn(
    'a FlakeId without id, datacenter and worker has the id 0: another host, or container, that does the same makes the ' +
      'same ids. Give each of them an id of its own, from 0 to 1023.',
    'FRAZIL_FLAKE_ID_0',
  );
}

/* ---- generators ------------------------------------------------------------------------------ */

// All FlakeIds of a thread that mean the same have one generator, which is closed when the last of them is gone.
const generators = new Map();
const closed = new FinalizationRegistry((spec) => {
  if (generators.get(spec)?.deref() === undefined) generators.delete(spec);
});

function known(spec) {
  return generators.get(spec)?.deref();
}

function keep(spec, generator) {
  generators.set(spec, new WeakRef(generator));
  closed.register(generator, spec);
  return generator;
}

/** A FlakeId has no options for places: the advice of an error names the variables of the environment that do the same. */
function withVariables(error) {
  error.message = error.message.replace(/\b(state|state_dir|run_dir|host_dir)=(\w*)/g, (_, key, value) => {
    const variable = `FRAZIL_${key.toUpperCase()}`;
    return value === '' ? variable : `${variable}=${value}`;
  });
  return error;
}

function full(cause) {
  return Object.assign(new FrazilError(FULL, 'FRAZIL_EFULL', 'retry', cause?.retryMs ?? 1), cause && { cause });
}

/** An error of frazil in the words of flake-idgen. */
function translate(error) {
  const { code, behindMs } = error;
  if (code === 'FRAZIL_EFULL') return full(error);
  if (code !== 'FRAZIL_ECLOCK') return withVariables(error);
  const message = `Clock moved backwards. Refusing to generate id for ${Math.ceil(behindMs)} milliseconds`;
  return Object.assign(new FrazilError(message, code, error.class, error.retryMs, behindMs), { cause: error });
}

/** An id's last twelve bits. */
const sequenceOf = (id) => ((id[6] & 0x0f) << 8) | id[7];

/** Its first 42 bits. */
const timeOf = (id) => Math.floor(id.readUIntBE(0, 6) / 64);

class FlakeId {
  #seqMax;
  #spec;
  #generator;
  #fullMs = -1; // a millisecond whose numbers are above the mask by now
  #waiting = []; // callbacks whose ids the present millisecond no longer has
  #first = 0; // the first of them
  #retryMs = 1; // when to try again for them

  constructor(options) {
    this.options = options || {};
    const { id = null, datacenter = null, worker = null, epoch, seqMask } = this.options; // null is not given
    if (id !== null) {
      this.id = whole('id', id, 1023);
    } else {
      if (datacenter === null && worker === null) warnOfId();
      this.datacenter = whole('datacenter', datacenter ?? 0, 31);
      this.worker = whole('worker', worker ?? 0, 31);
      this.id = (this.datacenter << 5) | this.worker;
    }
    this.epoch = whole('epoch', epoch instanceof Date ? epoch.getTime() : (epoch ?? 0), 8.64e15);
    this.seqMask = whole('seqMask', seqMask || SEQUENCE_MOST, SEQUENCE_MOST);
    this.#seqMax = highest(this.seqMask);
    // All masks of an id count in one sequence, also in other processes: an id is made once.
    this.#spec = `layout=flake behaviour=flake worker=fixed:${this.id} epoch=${this.epoch} seq_max=${SEQUENCE_MOST}`;
  }

  #openNow() {
    const open = known(this.#spec);
    if (open) return open;
    try {
      return keep(this.#spec, openShared(this.#spec));
    } catch (error) {
      throw translate(error);
    }
  }

  /** The id if the mask allows it, or null: none is asked for then until the next millisecond, as others use those above it. */
  #masked(id) {
    if (id === null || sequenceOf(id) <= this.#seqMax) return id;
    this.#fullMs = timeOf(id) + this.epoch;
    return null;
  }

  #isFull() {
    return this.#fullMs !== -1 && this.#fullMs === Date.now();
  }

  next(callback) {
    if (callback) {
      this.#call(callback);
      return undefined;
    }
    this.#generator ??= this.#openNow();
    if (this.#isFull()) throw full();
    let id;
    try {
      id = this.#generator.nextBuffer();
    } catch (error) {
      throw translate(error);
    }
    if (this.#masked(id) === null) throw full();
    return id;
  }

  /** Callbacks get their ids in the order of the calls, and never before the call has returned. */
  #call(callback) {
    if (typeof callback !== 'function') {
      throw new TypeError('the callback of next must be a function');
    }
    this.#generator ??= known(this.#spec);
    if (this.#waiting.length === 0 && this.#generator && this.#deliver(callback)) return;
    this.#waiting.push(callback);
    if (this.#waiting.length > 1) return;
    if (this.#generator) this.#pause();
    else this.#open();
  }

  /** Opening takes files and their locks, and so a thread. */
  #open() {
    openSharedAsync(this.#spec).then(
      (generator) => {
        this.#generator ??= known(this.#spec) ?? keep(this.#spec, generator);
        this.#resume();
      },
      (error) => {
        const callbacks = this.#waiting;
        this.#waiting = [];
        const translated = translate(error);
        for (const callback of callbacks) process.nextTick(callback, translated);
      },
    );
  }

  /** False: there is no id now. */
  #deliver(callback) {
    this.#retryMs = 1; // the mask's: it allows ids in the next millisecond
    if (this.#isFull()) return false;
    let id;
    try {
      id = this.#generator[tryNextBuffer]();
    } catch (error) {
      process.nextTick(callback, translate(error));
      return true;
    }
    if (id === null) this.#retryMs = pauseMs();
    if (this.#masked(id) === null) return false;
    process.nextTick(callback, null, id);
    return true;
  }

  #pause() {
    setTimeout(() => this.#resume(), this.#retryMs);
  }

  #resume() {
    while (this.#first < this.#waiting.length && this.#deliver(this.#waiting[this.#first])) this.#first++;
    if (this.#first < this.#waiting.length) {
      this.#pause();
      return;
    }
    this.#waiting = [];
    this.#first = 0;
  }
}

module.exports = FlakeId;
