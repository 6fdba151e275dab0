// SPDX-License-Identifier: MIT
'use strict';

/**
 * Goal of this test: no promise holds the event loop for a millisecond. A busy machine takes the processor away at any moment,
 * so no turn of the loop is timed. How many ids are made between two turns is counted, and what so many cost is measured.
 */

const assert = require('node:assert/strict');
const { createHook } = require('node:async_hooks');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { setImmediate } = require('node:timers/promises');

const { open, openShared, sno } = require('frazil');
const { scratch } = require('./lib/scratch.js');

const on = scratch('event-loop');
const usedMs = buildClock();
const millions = 2_000_000;
const roomy = 'layout=31/1/31 tick=1s worker=fixed:1 state=memory';

function buildClock() {
  const addon = path.join(on.folder('clock'), 'cputime.node');
  const headers = path.resolve(fs.realpathSync(process.execPath), '../../include/node');
  const source = path.join(__dirname, 'lib', 'cputime.c');
  // Without a sanitizer's libraries, which may be preloaded here.
  const env = { ...process.env, LD_PRELOAD: '' };
  execFileSync(process.env.CC ?? 'cc', ['-shared', '-fPIC', '-isystem', headers, '-o', addon, source], { env });
  return require(addon);
}

/** The most ids that a generator issues between two turns of the loop, until the call's promise is settled. */
async function mostInATurn(generator, call) {
  let most = 0;
  let isOver = false;
  let before = generator.stats().issued;
  const look = () => {
    const now = generator.stats().issued;
    most = Math.max(most, Number(now - before));
    before = now;
  };
  const over = call().finally(() => (isOver = true));
  look();
  while (!isOver) {
    await setImmediate();
    look();
  }
  await over;
  return most;
}

const mostMs = /asan/.test(process.env.LD_PRELOAD ?? '') ? 20 : 1; // each object takes longer with ASan

/** The processor's time of a call, in milliseconds, at its best: the compiler and the garbage collector work as well. */
function bestMs(call) {
  const tries = [];
  do {
    const before = usedMs();
    call();
    tries.push(usedMs() - before);
  } while (tries.at(-1) >= mostMs && tries.length < 30);
  return Math.min(...tries);
}

test('what is issued in one turn is counted as one', async () => {
  const generator = open(roomy);
  const words = new BigUint64Array(100_000);
  const later = () => setImmediate().then(() => generator.fill(words));
  assert.equal(await mostInATurn(generator, async () => generator.fill(words)), words.length);
  assert.equal(await mostInATurn(generator, later), words.length);
  generator.close();
});

test('take of millions gives others a turn in between', async () => {
  const generator = open(roomy);
  const most = await mostInATurn(generator, () => generator.take(millions));
  assert.ok(most < millions / 10, `${most} ids in one turn`);
  assert.ok(bestMs(() => generator.take(most)) < mostMs); // the piece is taken before take returns
  generator.close();
});

test('takeSnos gives others a turn in between', async () => {
  const generator = open('layout=sno partition=1 state=memory');
  let all;
  const most = await mostInATurn(generator, async () => (all = await generator.takeSnos(30_000)));
  assert.ok(most < 30_000 / 10, `${most} snos in one turn`);
  assert.equal(new Set(all).size, 30_000);
  assert.deepEqual([...all].sort(), all);
  assert.equal(sno.inspect(all[29_999]).partition, 1);
  assert.ok(bestMs(() => generator.takeSnos(most)) < mostMs);
  generator.close();
});

test('opening and closing are done in a thread, and so is what may ask a disk for each id', async () => {
  const works = [];
  const hook = createHook({ init: (id, type) => type === 'frazil' && works.push(type) }).enable();
  const { openAsync } = require('frazil');
  const spec = on('worker=fixed:1 keeper=inline');
  for (const generator of [open(spec), openShared(spec), await openAsync(spec)]) {
    works.length = 0;
    assert.equal(new Set(await generator.take(100)).size, 100);
    assert.equal(works.length, 1);
    await generator.closeAsync();
    assert.equal(works.length, 2);
  }
  hook.disable();
});

test('a shared generator waits no longer than its max_wait', { timeout: 300_000 }, async () => {
  const noon = Date.now() - 12 * 3_600_000;
  const generator = openShared(`layout=31/20/1 epoch=${noon} tick=24h worker=fixed:5 state=memory max_wait=5ms`);
  await assert.rejects(generator.take(3), { code: 'FRAZIL_EAGAIN', class: 'retry' });
  generator.close();
});
