// SPDX-License-Identifier: MIT
'use strict';

/** Options in JavaScript's own values, as keys and values of a spec: `{ worker: 7, maxWait: 10 }` is "worker=fixed:7 max_wait=10ms". */

const { FrazilError } = require('./core.js');

const DURATIONS = new Set(['tick', 'maxLead', 'maxWait', 'openWait', 'horizon', 'maxSkew']);

function usage(message) {
  return new FrazilError(message, 'FRAZIL_EINVAL', 'usage');
}

/** Milliseconds with the largest unit that keeps them whole; a spec has no fractions. */
function duration(name, ms) {
  if (ms === Infinity) return 'unlimited';
  const ns = Math.round(ms * 1e6);
  if (!Number.isSafeInteger(ns) || ns < 0) {
    throw usage(
      `${name} is a duration: a number of milliseconds from 0 to 9007199254, or a text as '10ms', and not ${ms}`,
    );
  }
  return ns % 1e6 === 0 ? `${ns / 1e6}ms` : `${ns}ns`;
}

function whole(name, value) {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return String(value);
  throw usage(`${name} must be a whole number, and is ${value}`);
}

function date(name, value) {
  if (Number.isNaN(value.getTime())) throw usage(`${name} is an invalid Date`);
  return value.toISOString();
}

function toText(name, value, Layout) {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && DURATIONS.has(name)) return duration(name, value);
  if (typeof value === 'number' || typeof value === 'bigint') {
    return name === 'worker' ? `fixed:${whole(name, value)}` : whole(name, value);
  }
  if (value instanceof Date) return date(name, value);
  if (value instanceof Layout) return value.fingerprint;
  const isArray = Array.isArray(value) || value instanceof Uint8Array;
  if (name === 'partition' && isArray) return Array.from(value).join();
  const kinds = name === 'partition' ? 'text, number nor array of two bytes' : 'text, number, boolean, Date nor Layout';
  const hint = name === 'worker' && isArray ? '; the two bytes of a sno are its partition' : '';
  throw usage(`the value of ${name} is neither ${kinds}${hint}`);
}

/** Keys and values in turn, `maxWait` as `max_wait`. Undefined and null are not given. */
function toPairs(options, Layout) {
  const pairs = [];
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || name === 'spec') continue;
    const key = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    pairs.push(key, toText(name, value, Layout));
  }
  return pairs;
}

/** The same as one text. Keys are words; values are quoted, as they may hold anything. */
function toSpec(options, Layout) {
  const pairs = toPairs(options, Layout);
  const words = options.spec ? [options.spec] : [];
  for (let i = 0; i < pairs.length; i += 2) {
    if (!/^[a-z_]+$/.test(pairs[i])) throw usage('options: unknown key: the name of an option is a word, as maxWait');
    words.push(`${pairs[i]}='${pairs[i + 1].replace(/[\\']/g, '\\$&')}'`);
  }
  return words.join(' ');
}

module.exports = { usage, toPairs, toSpec };
