// SPDX-License-Identifier: MIT
'use strict';

/**
 * What an id costs in Node, for bindings/costs.sh: `node cost.js SPEC`, where frazil, flake-idgen and uuid are installed.
 * A line each: name, TAB, nanoseconds for an id. The best of many short pieces counts: the one that nothing disturbed.
 */

const { randomUUID } = require('node:crypto');

const FlakeId = require('flake-idgen');
const { open } = require('frazil');
const OurFlakeId = require('frazil/flake-idgen');
const uuid = require('uuid');

const ROUNDS = 100;
const BATCH = 10000;

const ids = open(process.argv[2]);
const batch = new BigUint64Array(BATCH);

/** Asks again while the millisecond has no more ids, as callers of flake-idgen have to. */
function insistent(generator) {
  return () => {
    for (;;) {
      try {
        return generator.next();
      } catch {
        continue;
      }
    }
  };
}

// Name, function, calls of a piece, ids of a call.
const cases = [
  ['Node, a call', () => ids.next(), 5000, 1],
  ['Node, tryNext()', () => ids.tryNext(), 5000, 1],
  ['Node, a call as text', () => ids.nextString(), 5000, 1],
  ['Node, a call as bytes', () => ids.nextBuffer(), 5000, 1],
  [`Node, batches of ${BATCH}`, () => ids.fill(batch), 20, BATCH],
  ['Node, frazil/flake-idgen, full ticks', insistent(new OurFlakeId({ id: 1 })), 5000, 1],
  ['flake-idgen, full ticks', insistent(new FlakeId({ id: 1 })), 5000, 1],
  ['crypto.randomUUID()', () => randomUUID(), 5000, 1],
  ["npm's uuid, v4()", () => uuid.v4(), 5000, 1],
  ["npm's uuid, v7()", () => uuid.v7(), 5000, 1],
];

/** A loop of its own for each: one for all would be compiled for none of them. */
function loop() {
  return new Function('call', 'calls', 'let last; for (let i = 0; i < calls; i++) last = call(); return last;');
}

const best = cases.map(() => Infinity);
const loops = cases.map(loop);
for (let round = 0; round < ROUNDS; round++) {
  cases.forEach(([, call, calls, size], i) => {
    const begun = process.hrtime.bigint();
    loops[i](call, calls);
    best[i] = Math.min(best[i], Number(process.hrtime.bigint() - begun) / calls / size);
  });
}
cases.forEach(([name], i) => console.log(`${name}\t${best[i].toFixed(3)}`));
