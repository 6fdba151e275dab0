// SPDX-License-Identifier: MIT
'use strict';

/** The outcome of a call as text, which is the same in Node and in a browser; and values as JSON that loses nothing. */

function replacer(key, value) {
  const given = this[key]; // before toJSON
  if (given instanceof Uint8Array) return { $bytes: Array.from(given) };
  if (given instanceof Float64Array) return { $doubles: Array.from(given) };
  if (given instanceof Date) return { $date: String(given.getTime()) };
  if (typeof value === 'bigint') return { $bigint: String(value) };
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return { $number: String(value) };
  return value === undefined ? { $undefined: true } : value;
}

function reviver(key, value) {
  if (value === null || typeof value !== 'object') return value;
  if ('$bytes' in value) return Uint8Array.from(value.$bytes);
  if ('$doubles' in value) return Float64Array.from(value.$doubles);
  if ('$date' in value) return new Date(Number(value.$date));
  if ('$bigint' in value) return BigInt(value.$bigint);
  if ('$number' in value) return Number(value.$number);
  return '$undefined' in value ? undefined : value;
}

function outcomeOf(call) {
  try {
    return JSON.stringify({ answer: call() }, replacer);
  } catch ({ name, message, code, class: errorClass, position }) {
    // The sentences of JavaScript's own errors are those of its engine.
    return JSON.stringify(name === 'FrazilError' ? { message, code, errorClass, position } : { name }, replacer);
  }
}

module.exports = { replacer, reviver, outcomeOf };
