// SPDX-License-Identifier: MIT
'use strict';

/**
 * Run before a test, by `node --require`: appends to the file that RECORD names each call of the test that needs no generator,
 * and what the addon answered. chromium.test.mjs asks a browser the same.
 */

const fs = require('node:fs');

const frazil = require('frazil');
const { replacer, outcomeOf } = require('./outcome.js');

const calls = new Set();
const textOf = new WeakMap();
const layoutText = (layout) => textOf.get(layout) ?? layout.fingerprint;

function recorded(of, name, call) {
  return function (...given) {
    const plain = given.map((value) => (value instanceof frazil.Layout ? layoutText(value) : value));
    const layout = of === 'layout' ? layoutText(this) : null;
    const before = JSON.stringify({ of, layout, name, given: plain }, replacer).slice(0, -1);
    let answer;
    let thrown;
    const outcome = outcomeOf(() => {
      try {
        return (answer = call.apply(this, given));
      } catch (error) {
        throw (thrown = error);
      }
    });
    calls.add(`${before},"outcome":${JSON.stringify(outcome)}}`);
    if (thrown !== undefined) throw thrown;
    if (answer instanceof frazil.Layout) textOf.set(answer, given[0]);
    return answer;
  };
}

const own = { ...frazil };
for (const [name, value] of Object.entries(own)) {
  if (typeof value === 'function' && !/^([A-Z]|open|newSalt)/.test(name)) own[name] = recorded('frazil', name, value);
}
own.sno = Object.fromEntries(Object.entries(frazil.sno).map(([name, call]) => [name, recorded('sno', name, call)]));
for (const name of ['describe', 'inspect', 'compose', 'workerOf', 'range', 'firstId', 'equals', 'overlap']) {
  frazil.Layout.prototype[name] = recorded('layout', name, frazil.Layout.prototype[name]);
}
require.cache[require.resolve('frazil')].exports = own;

process.on('exit', () => fs.appendFileSync(process.env.RECORD, [...calls, ''].join('\n')));
