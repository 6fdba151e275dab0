// SPDX-License-Identifier: MIT
'use strict';

/** Goal of this test: `frazil/flake-idgen` is what programs for flake-idgen expect, and mends what was unsafe. */

const assert = require('node:assert/strict');
const { spawn, spawnSync } = require('node:child_process');
const { test } = require('node:test');

const { scratch, throwing } = require('./lib/scratch.js');

const on = scratch('flake');
Object.assign(process.env, on.env);
const FlakeId = require('frazil/flake-idgen');
const { ManualClock, layout, open } = require('frazil');

const flake = layout('flake');

/** So many callbacks' ids, in the order in which they came. */
function collect(generator, n) {
  return new Promise((resolve, reject) => {
    const ids = [];
    for (let i = 0; i < n; i++) {
      generator.next((error, id) => {
        if (error) reject(error);
        else if (ids.push([i, id]) === n) resolve(ids);
      });
    }
  });
}

test('an id is a Buffer of eight bytes, with time, datacenter and worker', () => {
  const before = Date.now();
  const id = new FlakeId({ datacenter: 9, worker: 7 }).next();
  const { unixMs, datacenter, workerInDatacenter } = flake.inspect(id);
  assert.ok(Buffer.isBuffer(id) && id.length === 8);
  assert.deepEqual([datacenter, workerInDatacenter], [9, 7]);
  assert.ok(unixMs >= before && unixMs <= Date.now());
});

test('the epoch is subtracted from the time', () => {
  const epoch = 1300000000000;
  const before = Date.now();
  const { unixMs } = layout(`flake epoch=${epoch}`).inspect(new FlakeId({ id: 100, epoch }).next());
  assert.ok(unixMs >= before && unixMs <= Date.now());
  assert.deepEqual(new FlakeId({ id: 100, epoch: new Date(epoch) }).epoch, epoch);
});

test('properties are those of the options', () => {
  const byId = new FlakeId({ id: 100 });
  assert.deepEqual([byId.id, byId.datacenter, byId.worker], [100, undefined, undefined]);
  const byParts = new FlakeId({ datacenter: 9, worker: 7 });
  assert.deepEqual([byParts.id, byParts.datacenter, byParts.worker], [295, 9, 7]);
  assert.deepEqual([byParts.epoch, byParts.seqMask], [0, 0xfff]);
  assert.deepEqual(byParts.options, { datacenter: 9, worker: 7 });
  assert.equal(new FlakeId({ id: '17' }).id, 17);
  const nulls = new FlakeId({ id: null, datacenter: 9, worker: 7, epoch: null, seqMask: null });
  assert.deepEqual([nulls.id, nulls.epoch, nulls.seqMask], [295, 0, 0xfff]);
});

test('a value out of its range is refused, and not cut off', () => {
  const wrong = [{ id: 1024 }, { id: -1 }, { id: NaN }, { id: '' }, { id: 1.5 }, { datacenter: 32 }];
  wrong.push({ worker: 32 }, { worker: 'x' }, { id: 1, epoch: NaN }, { id: 1, epoch: 0.5 }, { id: 1, seqMask: 0x1000 });
  for (const options of wrong) {
    throwing(() => new FlakeId(options), 'FRAZIL_ERANGE', 'usage', /must be a whole number from 0 to/);
  }
});

test('ids increase, with and without callbacks', async () => {
  const generator = new FlakeId({ id: 5 });
  const ids = [];
  for (let full = 0; ids.length < 9000 && full < 1e7; ) {
    try {
      ids.push(generator.next().toString('hex'));
    } catch (error) {
      full++;
      assert.equal(
        error.message,
        'Sequence exceeded its maximum value. Provide callback function to handle sequence overflow',
      );
      assert.equal(error.code, 'FRAZIL_EFULL');
      assert.ok(error.retryMs <= 1 && error.cause.code === 'FRAZIL_EFULL');
    }
  }
  for (const [, id] of await collect(generator, 9000)) ids.push(id.toString('hex'));
  assert.equal(new Set(ids).size, 18000);
  assert.deepEqual(ids.toSorted?.() ?? [...ids].sort(), ids);
});

test('callbacks come in the order of the calls, after the call has returned, over full milliseconds', async () => {
  const generator = new FlakeId({ id: 6, seqMask: 0x0f });
  let isSync = true;
  generator.next(() => assert.ok(!isSync));
  isSync = false;
  const ids = await collect(generator, 500);
  assert.deepEqual(
    ids.map(([i]) => i),
    ids.map((_, i) => i),
  );
  for (const [, id] of ids) assert.ok(flake.inspect(id).sequence <= 15);
  assert.equal(new Set(ids.map(([, id]) => id.toString('hex'))).size, 500);
});

test('a callback does not overtake those that wait when the next millisecond begins', async () => {
  const generator = new FlakeId({ id: 8, seqMask: 0x0f });
  generator.next(); // opens it
  const ids = await collect(generator, 10_000); // in one turn, which lasts for some milliseconds
  assert.deepEqual(
    ids.map(([i]) => i),
    ids.map((_, i) => i),
  );
});

test('a call that finds a full tick says when the next one begins', () => {
  const { pauseMs, tryNextBuffer } = require('./node_modules/frazil/lib/generator.js');
  const clock = new ManualClock(Date.UTC(2026, 4, 1));
  const full = open({ layout: '35/27/1 epoch=2026-01-01 tick=200ms', worker: 1, clock, state: 'memory', maxLead: 0 });
  full.fill(new BigUint64Array(2));
  assert.equal(full.tryNext(), null);
  assert.equal(pauseMs(), 200);
  clock.advance(150);
  assert.equal(full[tryNextBuffer](), null);
  assert.equal(pauseMs(), 50);
  full.close();
});

test('callbacks of a mask do not wait as long as another generator has to', async () => {
  const clock = new ManualClock(Date.now());
  const other = open({ layout: 'flake', worker: 'fixed:35', clock, state: 'memory' });
  other.next();
  clock.set(Date.now() - 60_000);
  const generator = new FlakeId({ id: 36, seqMask: 0x01 });
  generator.next(); // opens it
  assert.equal(other.tryNext(), null);
  const began = performance.now();
  await collect(generator, 12);
  const ms = performance.now() - began;
  other.close();
  assert.ok(ms < 2000, `${ms} ms`);
});

test('a callback that throws does not take the ids of others', async () => {
  const { status, stdout } = run(`
    const FlakeId = require('frazil/flake-idgen');
    const generator = new FlakeId({ id: 7, seqMask: 0x03 });
    let errors = 0, ids = 0;
    process.on('uncaughtException', () => errors++);
    for (let i = 0; i < 40; i++) generator.next(() => { if (i % 2) throw new Error('mine'); ids++; });
    process.on('exit', () => console.log(errors, ids));`);
  assert.deepEqual([status, stdout], [0, '20 20\n']);
});

test('an error that no waiting mends goes to the callback', () => {
  const { stdout } = run(
    `new (require('frazil/flake-idgen'))({ id: 8 }).next((error, id) => console.log(error.code, id))`,
    { FRAZIL_RUN_DIR: '/dev/null/nowhere' },
  );
  assert.equal(stdout, 'FRAZIL_ESYS undefined\n');
  const wrong = { FRAZIL_RUN_DIR: '/dev/null/nowhere' };
  for (const next of ['next()', 'next((error) => { throw error; })']) {
    const { stderr } = run(`new (require('frazil/flake-idgen'))({ id: 8 }).${next}`, wrong);
    assert.match(stderr, /name another with FRAZIL_RUN_DIR, or .* with FRAZIL_STATE=memory/);
  }
  assert.throws(() => new FlakeId({ id: 8 }).next('no function'), TypeError);
});

test('instances that mean the same never repeat each other', () => {
  const generators = Array.from({ length: 8 }, () => new FlakeId({ id: 9 }));
  const ids = generators.flatMap((generator) => Array.from({ length: 100 }, () => generator.next().toString('hex')));
  assert.equal(new Set(ids).size, 800);
});

test('a mask is a highest sequence number', () => {
  for (const [i, [seqMask, most]] of [
    [0x01, 1],
    [0x05, 1],
    [0x0f, 15],
    [0x7ff, 2047],
  ].entries()) {
    const generator = new FlakeId({ id: 20 + i, seqMask });
    const seen = new Set();
    for (let calls = 0; calls < 3000; calls++) {
      try {
        seen.add(flake.inspect(generator.next()).sequence);
      } catch (error) {
        assert.equal(error.code, 'FRAZIL_EFULL');
      }
    }
    assert.ok(Math.max(...seen) <= most, `mask ${seqMask}: ${Math.max(...seen)}`);
    // A slow machine may find a new millisecond before it has used up 2048 ids.
    assert.ok(most > 15 || seen.size === most + 1, `mask ${seqMask}: ${seen.size}`);
  }
});

test('a mask without its lowest bit is refused: it would allow one id a millisecond', () => {
  for (const seqMask of [0xff0, 2])
    throwing(() => new FlakeId({ id: 1, seqMask }), 'FRAZIL_ERANGE', 'usage', /lowest bit/);
});

test('an instance without an id warns once of what that risks', () => {
  const { stderr, stdout } = run(`
    const FlakeId = require('frazil/flake-idgen');
    const generators = [new FlakeId(), new FlakeId({})];
    console.log(generators.map(({ id, datacenter, worker }) => [id, datacenter, worker].join()).join(' '));`);
  assert.equal(stdout, '0,0,0 0,0,0\n');
  assert.equal(stderr.match(/FRAZIL_FLAKE_ID_0/g)?.length, 1);
  assert.equal(run(`new (require('frazil/flake-idgen'))({ worker: 1 }).next()`).stderr, '');
});

test('masks of one id never make an id twice, in one process and in others', async () => {
  const all = [0xfff, 0x0f, 0xff].map((seqMask) => new FlakeId({ id: 33, seqMask }));
  const child = start(`
    const FlakeId = require('frazil/flake-idgen');
    const all = [0xff, 0xfff].map((seqMask) => new FlakeId({ id: 33, seqMask }));
    ${takeUntil} takeUntil((ids) => ids.length >= 2000, all).then((ids) => console.log(ids.join(' ')));`);
  let isOver = false;
  child.then(() => (isOver = true));
  const here = await takeUntil(() => isOver, all);
  const { status, stdout, stderr } = await child;
  assert.equal(status, 0, stderr);
  assert.equal(stderr, '');
  const ids = [...here, ...stdout.trim().split(' ')];
  assert.ok(ids.length > 2000, `${ids.length} ids`);
  assert.equal(new Set(ids).size, ids.length);
});

test('a mask that is used up leaves the numbers above it to others', () => {
  const [narrow, wide] = [new FlakeId({ id: 34, seqMask: 0x0f }), new FlakeId({ id: 34 })];
  const timeOf = (generator) => flake.inspect(generator.next()).unixMs;
  let left;
  for (let round = 0; left === undefined && round < 10000; round++) {
    const before = timeOf(wide);
    let refused = 0;
    for (let i = 0; i < 100; i++) {
      try {
        narrow.next();
      } catch (error) {
        assert.equal(error.code, 'FRAZIL_EFULL');
        assert.ok(error.retryMs > 0);
        refused++;
      }
    }
    const { unixMs, sequence } = flake.inspect(wide.next());
    if (unixMs === before && refused > 80) left = sequence;
  }
  assert.ok(left < 80, `the next number is ${left}`);
});

/** Ids of all these instances in turn, until there are enough. */
async function takeUntil(isEnough, all) {
  const ids = [];
  for (; !isEnough(ids); await new Promise(setImmediate)) {
    for (let i = 0; i < 20; i++) {
      for (const generator of all) {
        try {
          ids.push(generator.next().toString('hex'));
        } catch (error) {
          if (error.code !== 'FRAZIL_EFULL') throw error;
        }
      }
    }
  }
  return ids;
}

/** A program in a process of its own, beside this one. */
function start(program) {
  const child = spawn(process.execPath, ['-e', program], { env: on.env, cwd: __dirname });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (text) => (said[name] += text));
  return new Promise((resolve) => child.on('close', (status) => resolve({ ...said, status })));
}

/** A program in a process of its own. */
function run(program, env = {}) {
  return spawnSync(process.execPath, ['-e', program], {
    encoding: 'utf8',
    env: { ...on.env, ...env },
    cwd: __dirname,
  });
}
