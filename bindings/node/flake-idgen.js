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
const places = new Map(); // by id and epoch: which masks open there, see placeOf

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

/**
 * The place of an id and epoch. Its first mask is the first one that is opened in this process. Generators of the others count for
 * themselves, as in flake-idgen, so the numbers that two masks allow are given out twice.
 */
function placeOf(id, epoch, seqMax) {
  const key = `${id} ${epoch}`;
  const place = places.get(key) ?? { key, first: seqMax, openings: 0, isOpen: false, isOne: true };
  places.set(key, place);
  if (seqMax !== place.first && place.isOne) {
    place.isOne = false;
    warn(
      `two FlakeIds have the id ${id} and different masks, up to ${place.first} and up to ${seqMax}: in one millisecond ` +
        'both can make the same id. Give them the same mask, or different ids.',
      'FRAZIL_FLAKE_MASKS',
    );
  }
  return place;
}

/** Masks of one id need a folder each: the library refuses bounds of one worker that overlap, also to other processes. */
function specAt(place, id, epoch, seqMax) {
  const spec = `layout=flake behaviour=flake worker=fixed:${id} epoch=${epoch} seq_max=${seqMax}`;
  return seqMax === place.first ? spec : `${spec} namespace=flake-idgen-${epoch}-${seqMax}`;
}

/**
 * Counts an opening of a place until the function that it returns is told how it ended. The first mask is forgotten if no opening
 * of it succeeds, so that the next one shares the ids of other processes.
 */
function beginOpening(place) {
  place.openings++;
  return (isOpen) => {
    place.openings--;
    place.isOpen ||= isOpen;
    if (place.isOne && !place.isOpen && place.openings === 0) places.delete(place.key);
  };
}

/** A FlakeId has no options for places: the advice of an error names the variables of the environment that do the same. */
function withVariables(error) {
  error.message = error.message.replace(/\b(state|state_dir|run_dir|host_dir)=(\w*)/g, (_, key, value) => {
    const variable = `FRAZIL_${key.toUpperCase()}`;
    return value === '' ? variable : `${variable}=${value}`;
  });
  return error;
}

/** An error of frazil in the words of flake-idgen. */
function translate(error) {
  const { code, behindMs } = error;
  if (code !== 'FRAZIL_EFULL' && code !== 'FRAZIL_ECLOCK') return withVariables(error);
  const message =
    code === 'FRAZIL_EFULL'
      ? FULL
      : `Clock moved backwards. Refusing to generate id for ${Math.ceil(behindMs)} milliseconds`;
  return Object.assign(new FrazilError(message, code, error.class, error.retryMs, behindMs), { cause: error });
}

class FlakeId {
  #seqMax;
  #generator;
  #waiting = []; // callbacks whose ids the present millisecond no longer has
  #first = 0; // the first of them

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
  }

  /** Its place, and the spec that opens it there now. */
  #at() {
    const place = placeOf(this.id, this.epoch, this.#seqMax);
    return { place, spec: specAt(place, this.id, this.epoch, this.#seqMax) };
  }

  #openNow() {
    const { place, spec } = this.#at();
    const open = known(spec);
    if (open) return open;
    const end = beginOpening(place);
    let generator;
    try {
      generator = openShared(spec);
    } catch (error) {
      throw translate(error);
    } finally {
      end(generator !== undefined);
    }
    return keep(spec, generator);
  }

  next(callback) {
    if (callback) {
      this.#call(callback);
      return undefined;
    }
    this.#generator ??= this.#openNow();
    try {
      return this.#generator.nextBuffer();
    } catch (error) {
      throw translate(error);
    }
  }

  /** Callbacks get their ids in the order of the calls, and never before the call has returned. */
  #call(callback) {
    if (typeof callback !== 'function') {
      throw new TypeError('the callback of next must be a function');
    }
    this.#generator ??= known(this.#at().spec);
    if (this.#waiting.length === 0 && this.#generator && this.#deliver(callback)) return;
    this.#waiting.push(callback);
    if (this.#waiting.length > 1) return;
    if (this.#generator) this.#pause();
    else this.#open();
  }

  /** Opening takes files and their locks, and so a thread. */
  #open() {
    const { place, spec } = this.#at();
    const end = beginOpening(place);
    openSharedAsync(spec).then(
      (generator) => {
        end(true);
        this.#generator ??= known(spec) ?? keep(spec, generator);
        this.#resume();
      },
      (error) => {
        end(false);
        const callbacks = this.#waiting;
        this.#waiting = [];
        const translated = translate(error);
        for (const callback of callbacks) process.nextTick(callback, translated);
      },
    );
  }

  /** False: there is no id now. */
  #deliver(callback) {
    let id;
    try {
      id = this.#generator[tryNextBuffer]();
    } catch (error) {
      process.nextTick(callback, translate(error));
      return true;
    }
    if (id === null) return false;
    process.nextTick(callback, null, id);
    return true;
  }

  #pause() {
    setTimeout(() => this.#resume(), pauseMs());
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
