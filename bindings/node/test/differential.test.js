// SPDX-License-Identifier: MIT
'use strict';

/** Goal of this test: npm's flake-idgen and frazil give the same answers to the same calls at the same times. */

const assert = require('node:assert/strict');
const { test } = require('node:test');

const Theirs = require('flake-idgen');
const { open, FrazilError, ManualClock } = require('frazil');
const Ours = require('frazil/flake-idgen');

/** Numbers below n, the same in each run. */
function makeRandom(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** Calls it as at that time, for a program that asks Date.now. */
function at(unixMs, call) {
  const { now } = Date;
  Date.now = () => unixMs;
  try {
    return call();
  } finally {
    Date.now = now;
  }
}

const answer = (call) => {
  try {
    return call();
  } catch (error) {
    return error.message;
  }
};

/** The words of the drop-in for an error of a generator, as flake-idgen.js has them. */
function inTheirWords(error) {
  assert.ok(error instanceof FrazilError, error.stack);
  if (error.code === 'FRAZIL_EFULL') {
    return 'Sequence exceeded its maximum value. Provide callback function to handle sequence overflow';
  }
  assert.equal(error.code, 'FRAZIL_ECLOCK');
  return `Clock moved backwards. Refusing to generate id for ${error.behindMs} milliseconds`;
}

test('the same ids and the same errors over a clock that goes on, stands still and goes back', () => {
  const random = makeRandom(20261123);
  let ids = 0;
  let errors = 0;
  for (let round = 0; round < 60; round++) {
    const [datacenter, worker] = [random(32), random(32)];
    const epoch = [0, 1300000000000, 1767225600000][random(3)];
    const seqMask = [0xfff, 0x0f, 0x01, 0x05][random(4)];
    let now = 1767225600000 + random(2 ** 31);
    const clock = new ManualClock(now);
    const theirs = new Theirs({ datacenter, worker, epoch, seqMask });
    // The drop-in has no clock of its own: the same spec with one stands for it.
    const seqMax = [0xfff, 0x0f, 0x01, 0x01][[0xfff, 0x0f, 0x01, 0x05].indexOf(seqMask)];
    const spec = `layout=flake behaviour=flake worker=fixed:${datacenter * 32 + worker} epoch=${epoch} seq_max=${seqMax}`;
    const ours = open({ spec, clock, state: 'memory' });
    for (let step = 0; step < 300; step++) {
      now += [0, 0, 0, 1, 1, 2, 50, -1, -3, 4][random(10)];
      clock.set(now);
      for (let calls = random(seqMask === 0xfff && step === 9 ? 5000 : 20); calls > 0; calls--) {
        const expected = at(now, () => answer(() => theirs.next().toString('hex')));
        let found;
        try {
          found = ours.nextBuffer().toString('hex');
        } catch (error) {
          found = inTheirWords(error);
        }
        assert.equal(found, expected, `round ${round}, step ${step}, at ${now}`);
        if (found.length === 16) ids++;
        else errors++;
      }
    }
    ours.close();
  }
  assert.ok(ids > 10000 && errors > 1000, `${ids} ids, ${errors} errors`);
});

test('the same properties for the same options', () => {
  const names = ['id', 'datacenter', 'worker', 'epoch', 'seqMask', 'options'];
  const all = [{ id: 0 }, { id: 1023 }, { datacenter: 31 }, { worker: 31 }, { datacenter: 9, worker: 7 }];
  all.push({ id: 5, datacenter: 1, worker: 2 }, { id: 5, epoch: 1300000000000 }, { id: 5, seqMask: 0x0f }, { id: '5' });
  for (const options of all) {
    const [theirs, ours] = [new Theirs(options), new Ours(options)];
    for (const name of names) assert.deepEqual(ours[name], theirs[name], `${name} of ${JSON.stringify(options)}`);
  }
});
