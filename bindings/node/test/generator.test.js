// SPDX-License-Identifier: MIT
'use strict';

/** Goal of this test: generators of Node do what index.d.ts says. Clocks are manual, so nothing here depends on speed. */

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const { getEventListeners } = require('node:events');
const { readdirSync, readFileSync } = require('node:fs');
const { constants } = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const { setImmediate } = require('node:timers/promises');

const {
  open,
  openAsync,
  openShared,
  layout,
  format,
  parse,
  parseTime,
  scramble,
  unscramble,
  sno,
  textForms,
  FrazilError,
  Generator,
  ManualClock,
} = require('frazil');
const FlakeId = require('frazil/flake-idgen');
const { scratch, throwing } = require('./lib/scratch.js');

const NOW = Date.UTC(2026, 4, 1);
const still = { worker: 'fixed:5', layout: '41/20/2', start: 'zero', state: 'memory', maxLead: '0ms' };
const on = scratch('generator');

test('an id is a bigint that increases, and its fields are those of the generator', () => {
  using(open(on('worker=fixed:7')), (generator) => {
    const ids = Array.from({ length: 1000 }, () => generator.next());
    ids.forEach((id, i) => assert.ok(i === 0 || id > ids[i - 1]));
    assert.equal(typeof ids[0], 'bigint');
    assert.equal(generator.inspect(ids[0]).worker, 7);
    assert.equal(generator.info().worker, 7);
    assert.equal(generator.stats().issued, 1000);
    assert.equal(generator.health().state, 'serving');
  });
});

test('all forms of an id continue one sequence', () => {
  using(open({ ...still, clock: new ManualClock(NOW) }), (generator) => {
    const first = generator.next();
    assert.equal(generator.nextString(), String(first + 1n));
    assert.equal(generator.nextBuffer().readBigUInt64BE(), first + 2n);
    assert.equal(generator.nextString({ form: 'crockford' }), format(first + 3n, 'crockford'));
  });
});

test('ids above 2^63 keep all their digits', () => {
  using(
    open({ layout: 'flake', worker: 'fixed:1', clock: new ManualClock(NOW), epoch: 0, state: 'memory' }),
    (generator) => {
      const id = generator.nextAt(Date.UTC(2100, 0, 1));
      assert.ok(id > 2n ** 63n);
      assert.equal(generator.inspect(String(id)).unixMs, Date.UTC(2100, 0, 1));
    },
  );
});

test('another time is a number, a Date or a text with its zone', () => {
  using(open({ layout: 'twitter', worker: 'fixed:1', clock: new ManualClock(NOW), state: 'memory' }), (generator) => {
    const unixMs = Date.UTC(2024, 0, 2, 3, 4, 5, 678);
    for (const same of [unixMs, new Date(unixMs), '2024-01-02T03:04:05.678Z', '2024-01-02T12:04:05.678+09:00'])
      assert.equal(generator.inspect(generator.nextAt(same)).unixMs, unixMs);
    assert.throws(() => generator.nextAt('2024-01-02T03:04:05'), /expected 'Z' or an offset/);
    assert.throws(() => generator.nextAt(new Date(NaN)), /invalid Date/);
  });
});

test('undefined and null are not given', () => {
  const folder = on.folder('null');
  const places = { runDir: folder, stateDir: folder, hostDir: on.folder('host') };
  using(open({ ...places, layout: 'twitter', worker: 'fixed:7' }), (generator) => {
    for (const none of [undefined, null]) {
      const options = { ...places, layout: 'twitter', worker: 'fixed:7', namespace: none, maxWait: none };
      using(open({ ...options, clock: none, spec: none, allowShortLife: none, onFull: none }), (other) => {
        assert.equal(other.info().fingerprint, generator.info().fingerprint);
      });
      throwing(() => open({ worker: none, state: 'memory' }), 'FRAZIL_ENOWORKER', 'usage');
      throwing(() => open(none), 'FRAZIL_ENOWORKER', 'usage');
      throwing(() => openShared(none), 'FRAZIL_ENOWORKER', 'usage');
    }
  });
  // A name that was not given is not the name "null", which would be a place of its own for the worker's state.
  using(open({ ...places, worker: 'fixed:8' }), () => {
    const before = readdirSync(folder);
    using(open({ ...places, worker: 'fixed:8', namespace: null }), () => assert.deepEqual(readdirSync(folder), before));
  });
});

test('an id that a number cannot hold throws, and names the string', () => {
  using(open({ ...still, layout: 'frazil', clock: new ManualClock(NOW) }), (generator) => {
    throwing(() => generator.nextNumber(), 'FRAZIL_ERANGE', 'usage', /nextString/);
  });
  using(open({ layout: 'js53', worker: 'fixed:1', clock: new ManualClock(NOW), state: 'memory' }), (generator) => {
    assert.ok(Number.isSafeInteger(generator.nextNumber()));
  });
});

test('next throws where it would wait, and tryNext returns null', () => {
  using(open({ ...still, clock: new ManualClock(NOW) }), (generator) => {
    for (let i = 0; i < 4; i++) assert.equal(generator.available, 4 - i, String(generator.next()));
    const error = throwing(() => generator.next(), 'FRAZIL_EAGAIN', 'retry');
    assert.ok(error.retryMs > 0 && error.retryMs <= 1, `${error.retryMs}`);
    throwing(() => generator.nextString(), 'FRAZIL_EAGAIN', 'retry');
    throwing(() => generator.nextBuffer(), 'FRAZIL_EAGAIN', 'retry');
    assert.equal(generator.tryNext(), null);
  });
});

test('with block, next waits; the manual clock moves on meanwhile', () => {
  using(open({ ...still, clock: new ManualClock(NOW) }), (generator) => {
    for (let i = 0; i < 4; i++) generator.next();
    assert.equal(generator.inspect(generator.next({ block: true })).unixMs, NOW + 1);
  });
});

test('fill fills the whole array, or none of it', () => {
  using(open({ ...still, clock: new ManualClock(NOW) }), (generator) => {
    const three = generator.fill(new BigUint64Array(3));
    assert.deepEqual([three[1] - three[0], three[2] - three[1]], [1n, 1n]);
    const two = new BigUint64Array(2);
    throwing(() => generator.fill(two), 'FRAZIL_EAGAIN', 'retry');
    assert.deepEqual([...two], [0n, 0n]);
    assert.equal(generator.fill(new BigUint64Array(0)).length, 0);
    const many = generator.fill(new BigUint64Array(40), { block: true });
    assert.equal(new Set(many).size, 40);
  });
});

test('take waits in the event loop, where others get their turns', async () => {
  const generator = open(on('worker=fixed:9 layout=41/20/2 max_lead=0ms'));
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns++) await setImmediate();
  })();
  const ids = await generator.take(100);
  isOver = true;
  await others;
  assert.equal(new Set(ids).size, 100);
  assert.deepEqual([...ids].sort(), [...ids]);
  // 4 ids a millisecond: it had to wait for 24 ticks, each at least one turn.
  assert.ok(turns >= 24, `${turns} turns`);
  generator.close();
});

test('many takes at once share the ids', async () => {
  const generator = open(on('worker=fixed:10 layout=41/18/4 max_lead=0ms'));
  const all = await Promise.all(Array.from({ length: 50 }, () => generator.take(20)));
  assert.equal(new Set(all.flatMap((ids) => [...ids])).size, 1000);
  generator.close();
});

test('take ends with the reason of its signal', async () => {
  const generator = open({ ...still, clock: new ManualClock(NOW), maxWait: '1h' });
  const controller = new AbortController();
  const taking = generator.take(5, { signal: controller.signal });
  const reason = new Error('enough');
  controller.abort(reason);
  await assert.rejects(taking, (error) => error === reason);
  await assert.rejects(generator.take(1, { signal: AbortSignal.timeout(1) }), { name: 'TimeoutError' });
  await assert.rejects(generator.take(1, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  generator.close();

  // Between two pieces of many ids as well.
  const roomy = open(on('layout=31/1/31 tick=1s worker=fixed:1'));
  const piecewise = new AbortController();
  const pieces = roomy.take(1e6, { signal: piecewise.signal });
  piecewise.abort(reason);
  await assert.rejects(pieces, (error) => error === reason);
  roomy.close();

  // A take that ends leaves nothing with its signal, also one in a thread.
  const [threaded, { signal }] = [open(on('worker=fixed:9 keeper=inline')), new AbortController()];
  await threaded.take(1, { signal });
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  threaded.close();

  // Who has given up gets no id, also where some are free.
  const free = open({ ...still, worker: 'fixed:6', clock: new ManualClock(NOW) });
  const before = free.stats().issued;
  await assert.rejects(free.take(1, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  assert.equal(free.stats().issued, before);
  free.close();
});

test('max_wait bounds the wait for the next ids, not that for all of them', async () => {
  const generator = open({ layout: '41/21/1', worker: 'fixed:7', state: 'memory', maxLead: '0ms', maxWait: '50ms' });
  assert.equal((await generator.take(400)).length, 400); // 200 ticks
  generator.close();
});

test('a wait of hours looks again each second, so that it learns of a stop', async () => {
  const epoch = new Date(Date.now() - 12 * 3_600_000);
  const generator = open({
    layout: '31/20/1',
    epoch,
    tick: '24h',
    worker: 'fixed:7',
    state: 'memory',
    maxWait: Infinity,
  });
  await generator.take(2);
  const taking = generator.take(1);
  setImmediate().then(() => generator.stop());
  await assert.rejects(taking, { code: 'FRAZIL_ESTOPPED' });
  generator.close();
});

test('take ends after max_wait without an id, with the reason', async () => {
  const generator = open({ ...still, clock: new ManualClock(NOW), maxWait: '5ms' });
  await assert.rejects(generator.take(5), { code: 'FRAZIL_EAGAIN', class: 'retry' });
  generator.close();
});

test('take with on_full=error throws at once', async () => {
  const generator = open({ ...still, clock: new ManualClock(NOW), onFull: 'error' });
  await assert.rejects(generator.take(5), { code: 'FRAZIL_EFULL', class: 'retry' });
  generator.close();
});

test('take refuses what is no count', async () => {
  const generator = open({ ...still, clock: new ManualClock(NOW) });
  for (const n of [-1, 1.5, NaN, '3', 2 ** 53]) await assert.rejects(generator.take(n), { code: 'FRAZIL_EINVAL' });
  assert.equal((await generator.take(0)).length, 0);
  generator.close();
});

test('ids of a state that is asked for over there are taken in a thread', async () => {
  const folder = on.folder('counters');
  const generator = open(`layout=konayuki worker=fixed:3 behaviour=konayuki state=konayuki+file://${folder}`);
  const [a, b] = await Promise.all([generator.take(300), generator.take(300)]);
  assert.equal(new Set([...a, ...b]).size, 600);
  const last = generator.take(1000);
  generator.close();
  await last.catch((error) => assert.equal(error.code, 'FRAZIL_ESTOPPED'));
  throwing(() => generator.next(), 'FRAZIL_ESTOPPED', 'fatal');
});

test('a clock that is behind says by how much', () => {
  const clock = new ManualClock(NOW);
  using(open({ ...still, clock, onBackward: 'error', onFull: 'error' }), (generator) => {
    generator.next();
    clock.set(NOW - 1500);
    const error = throwing(() => generator.next(), 'FRAZIL_ECLOCK', 'retry');
    assert.equal(error.behindMs, 1500);
    assert.equal(generator.tryNext(), null);
    clock.set(new Date(NOW + 1));
    generator.next();
  });
});

test('snos are strings of 16 characters that sort by time', async () => {
  using(open({ layout: 'sno', worker: 'fixed:513', clock: new ManualClock(NOW), state: 'memory' }), (generator) => {
    const [first, second] = [generator.nextSno({ meta: 7 }), generator.nextSno()];
    assert.match(first, /^[2-9a-x]{16}$/);
    assert.deepEqual([sno.inspect(first).meta, sno.inspect(first).partition], [7, 513]);
    assert.ok(sno.inspect(second).sequence === sno.inspect(first).sequence + 1);
    throwing(() => generator.next(), 'FRAZIL_EKIND', 'usage');
    throwing(() => generator.nextSno({ meta: 256 }), 'FRAZIL_EINVAL', 'usage');
    assert.equal(sno.inspect(generator.nextSnoAt(NOW - 4000)).unixMs, NOW - 4000);
  });
  const generator = open({ layout: 'sno', worker: 'fixed:514', state: 'memory' });
  const many = await generator.takeSnos(70000);
  assert.equal(new Set(many).size, 70000);
  generator.close();
});

test('options are the keys of a spec, and an unknown one is refused', () => {
  using(
    open({ layout: layout('twitter'), worker: 'fixed:3', state: 'memory', allowShortLife: true, seqMin: 8 }),
    (generator) => {
      assert.equal(generator.info().sequenceMin, 8);
      assert.ok(generator.layout.equals('twitter'));
    },
  );
  throwing(() => open({ worker: 'fixed:3', maxWaits: '1s' }), 'FRAZIL_ESPEC', 'usage', /max_waits/);
  throwing(() => open('worker=fixed:3 nosuch=1'), 'FRAZIL_ESPEC', 'usage', /nosuch/);
  throwing(() => open('worker=fixed:3\0'), 'FRAZIL_ESPEC', 'usage');
  for (const wrong of [5, true]) throwing(() => open(wrong), 'FRAZIL_EINVAL', 'usage');
});

test('the types have each key of the manual', { skip: !process.env.TEST_SOURCES }, () => {
  const manual = readFileSync(path.join(process.env.TEST_SOURCES, 'man/frazil.spec.5'), 'utf8');
  const types = readFileSync(path.join(path.dirname(require.resolve('frazil')), 'index.d.ts'), 'utf8');
  const keys = [...manual.matchAll(/^\.It Cm ([a-z_]+(?: , [a-z_]+)*)$/gm)].flatMap((match) => match[1].split(' , '));
  assert.ok(keys.length >= 30);
  const missing = keys
    .map((key) => key.replace(/_./g, (_) => _[1].toUpperCase()))
    .filter((key) => !types.includes(`  ${key}?: `));
  assert.deepEqual(missing, []);
});

test('the type of text forms has those of the table', () => {
  const types = readFileSync(path.join(path.dirname(require.resolve('frazil')), 'index.d.ts'), 'utf8');
  const union = types.match(/type TextForm =([^;]*);/)[1];
  assert.deepEqual(
    [...union.matchAll(/'(\w+)'/g)].map((match) => match[1]),
    [...textForms],
  );
});

test('no worker is ever guessed, and no password is shown', () => {
  throwing(() => open({ layout: 'frazil' }), 'FRAZIL_ENOWORKER', 'usage');
  const error = throwing(() => open('worker=redis://user:geheim@127.0.0.1:1/ns'));
  assert.ok(!error.message.includes('geheim') && !String(error.stack).includes('geheim'));
});

test('openAsync opens in a thread, and says the same when it fails', async () => {
  const generator = await openAsync(on('worker=fixed:11'));
  assert.equal(generator.info().worker, 11);
  await generator.closeAsync();
  await assert.rejects(openAsync('worker=nosuch'), { code: 'FRAZIL_ESPEC', class: 'usage' });
  await assert.rejects(openAsync({ worker: 'fixed:5000' }), FrazilError);
  await assert.rejects(openAsync('worker=fixed:1 run_dir=/dev/null/nowhere'), {
    code: 'FRAZIL_ESYS',
    class: 'fatal',
  });
});

test('a closed generator says so, and closing again is nothing', async () => {
  const generator = open(on('worker=fixed:12'));
  generator.close();
  generator.close();
  await generator.closeAsync();
  for (const call of ['next', 'tryNext', 'nextString', 'nextBuffer', 'info', 'stats', 'health', 'stop', 'keep']) {
    throwing(() => generator[call](), 'FRAZIL_ESTOPPED', 'fatal', /closed/);
  }
  await assert.rejects(generator.take(1), { code: 'FRAZIL_ESTOPPED' });
  assert.equal(Generator.prototype[Symbol.dispose], Generator.prototype.close);
  assert.equal(Generator.prototype[Symbol.asyncDispose], Generator.prototype.closeAsync);
});

test('each caller of closeAsync waits for the same end, after all tasks that use the generator', async () => {
  const spec = on('layout=41/10/4 worker=file-lock base=7 count=1 keeper=inline max_wait=unlimited');
  const generator = open(spec);
  const ends = [];
  const taken = generator.take(90_000).catch((error) => ends.push(error.code));
  const [first, second] = [generator.closeAsync(), generator.closeAsync()];
  assert.equal(first, second);
  generator.close();
  throwing(() => generator.next(), 'FRAZIL_ESTOPPED', 'fatal', /closed/);
  await second.then(() => ends.push('closed'));
  await taken;
  assert.deepEqual(ends.sort(), ['FRAZIL_ESTOPPED', 'closed']);
  await openAsync(spec).then((again) => again.closeAsync()); // the worker id is free
});

test('closing one of those that share a generator does not stop the others', async () => {
  const spec = on('layout=41/10/4 worker=fixed:16 keeper=inline max_wait=unlimited');
  const [one, other] = [openShared(spec), openShared(spec)];
  const ends = [];
  const takes = [100, 20_000].map((n) => one.take(n).then((ids) => ends.push(new Set(ids).size)));
  await one.closeAsync().then(() => ends.push('closed'));
  await Promise.all(takes);
  assert.deepEqual(ends, [100, 20_000, 'closed'], 'the generator is closed after the last take');
  assert.ok(other.next() > 0n);
  await other.closeAsync();
});

test('a clock of the program needs a state, and info says which it is', () => {
  const clock = new ManualClock(NOW);
  throwing(() => open({ worker: 'fixed:17', clock }), 'FRAZIL_ESPEC', 'usage', /state=memory.*state=file/);
  const seen = new Set();
  for (const back of [0, 1000, 2000]) {
    clock.set(NOW - back);
    using(open({ spec: on('worker=fixed:17 state=file max_wait=1h'), clock }), (generator) => {
      assert.equal(generator.info().state, 'file');
      for (let i = 0; i < 1000; i++) seen.add(generator.next({ block: true }));
    });
  }
  assert.equal(seen.size, 3000);
  using(open({ ...still, clock }), (generator) => assert.equal(generator.info().state, 'memory'));
  using(open(on('worker=fixed:17')), (generator) => assert.equal(generator.info().state, 'file'));
});

test('null is not given, for every option of every call', async () => {
  using(
    open({ ...still, layout: '41/1/21', worker: 'fixed:1', clock: null, namespace: null, spec: null }),
    (generator) => {
      assert.equal(typeof generator.next(null), 'bigint');
      assert.equal(typeof generator.next({ block: null }), 'bigint');
      assert.equal(typeof generator.nextString(null), 'string');
      assert.equal(typeof generator.nextString({ form: null }), 'string');
      for (const options of [null, { block: null }]) generator.fill(new BigUint64Array(1), options);
    },
  );
  const generator = open('layout=sno worker=fixed:518 state=memory');
  for (const options of [null, { meta: null, block: null, signal: null }]) {
    assert.equal((await generator.takeSnos(1, options)).length, 1);
    assert.equal(sno.inspect(generator.nextSno(options)).meta, 0);
    assert.equal(sno.inspect(generator.nextSnoAt(NOW, options)).meta, 0);
  }
  generator.close();
  const remote = openShared(on('worker=fixed:19 keeper=inline'));
  for (const options of [null, { signal: null }]) assert.equal((await remote.take(1, options)).length, 1);
  await remote.closeAsync();
  assert.equal(format(5n, null), '5');
  assert.equal(parse('5', null), 5n);
  for (const options of [null, { checked: null }]) {
    assert.equal(unscramble(scramble(5n, 3, options), 3, options), 5n);
    assert.equal(scramble(5n, 3, options).length, 14);
  }
  const frazil = layout('frazil');
  assert.equal(frazil.compose({ unixMs: NOW, worker: null, sequence: null }), frazil.compose({ unixMs: NOW }));
  const none = { ticktock: null, meta: null, partition: null, sequence: null };
  assert.deepEqual(sno.compose({ unixMs: NOW, ...none }), sno.compose({ unixMs: NOW }));
  const flake = new FlakeId({ id: null, datacenter: 1, worker: null, epoch: null, seqMask: null });
  assert.equal(flake.id, 32);
});

test('a full tick is counted once, however many calls find it', () => {
  const clock = new ManualClock(NOW);
  using(open({ ...still, clock }), (generator) => {
    for (let full = 1; full < 4; full++) {
      for (let i = 0; i < 4; i++) generator.next();
      for (let i = 0; i < 3; i++) assert.equal(generator.tryNext(), null);
      throwing(() => generator.next());
      throwing(() => generator.nextString());
      assert.equal(generator.stats().full, full);
      clock.advanceNs(5_000_000n);
    }
  });
});

test('a take that is refused is counted once, whatever its policy', async () => {
  for (const policy of [{ maxWait: '0ms' }, { onFull: 'error' }]) {
    const generator = open({ ...still, clock: new ManualClock(NOW), ...policy });
    generator.fill(new BigUint64Array(4));
    await assert.rejects(generator.take(1));
    assert.equal(generator.stats().full, 1);
    generator.close();
    const snos = open({ layout: 'sno', worker: 'fixed:1', state: 'memory', clock: new ManualClock(NOW), ...policy });
    snos.fillSnos(Buffer.alloc(10 * 65536));
    await assert.rejects(snos.takeSnos(1));
    assert.equal(snos.stats().full, 1);
    snos.close();
  }
});

test('loading asks nothing of the network', () => {
  const trap = "process.report.getReport = () => { throw new Error('it asks DNS for each socket'); };";
  execFileSync(process.execPath, ['-e', `${trap} require('frazil')`], { cwd: __dirname });
});

test('a stopped generator gives no id and can be looked at', () => {
  using(open({ ...still, clock: new ManualClock(NOW) }), (generator) => {
    generator.stop();
    throwing(() => generator.next(), 'FRAZIL_ESTOPPED', 'fatal');
    throwing(() => generator.tryNext(), 'FRAZIL_ESTOPPED', 'fatal');
    assert.equal(generator.health().state, 'stopped');
  });
});

test('with keeper=hook, keep says when to call again', () => {
  using(open(on('worker=fixed:13 keeper=hook')), (generator) => {
    generator.next();
    const ms = generator.keep();
    assert.ok(ms > 0 && ms < 60000, `${ms}`);
  });
  using(open({ ...still, clock: new ManualClock(NOW) }), (generator) => assert.equal(generator.keep(), Infinity));
});

test('each reader of events reads all of them once', () => {
  const clock = new ManualClock(NOW);
  const generator = open({ ...still, clock });
  using(generator, () => {
    const events = generator.events();
    const warning = {
      kind: 'warn-unclaimed',
      code: null,
      worker: generator.info().worker,
      unixMs: NOW,
      value: 0,
      missed: 0,
    };
    assert.deepEqual([...events], [warning]);
    assert.deepEqual([...events], []);
    generator.next();
    clock.set(NOW - 2500);
    generator.tryNext();
    const step = { ...warning, kind: 'clock-back', unixMs: NOW - 2500, value: 2_500_000 };
    for (const event of events) {
      assert.deepEqual(event, step);
      break;
    }
    assert.deepEqual([...events], []);
    assert.deepEqual([...generator.events()], [warning, step]);
    for (let i = 1; i <= 100; i++) {
      clock.set(NOW + 5000 * i);
      generator.next();
      clock.set(NOW + 5000 * i - 3000);
      generator.tryNext();
    }
    assert.equal([...events][0].missed, 100 - 64);
  });
  assert.throws(() => [...generator.events()], { code: 'FRAZIL_ESTOPPED' });
});

test('a generator whose grant is due still serves', () => {
  const clock = new ManualClock(NOW);
  using(open({ spec: on('worker=fixed:20 state=file keeper=hook'), clock }), (generator) => {
    for (let i = 0; i < 10_000 && generator.health().state === 'serving'; i++) {
      assert.equal(generator.health().serving, true);
      clock.advance(100);
    }
    assert.equal(generator.health().state, 'needs_grant');
    assert.equal(generator.health().serving, true);
    generator.next();
    generator.stop();
    assert.equal(generator.health().serving, false);
  });
});

test('shared openings have one generator', () => {
  const spec = on('worker=fixed:14');
  const [a, b] = [openShared(spec), openShared(spec)];
  a.next();
  b.next();
  assert.equal(a.stats().issued, 2);
  a.close();
  b.next();
  b.close();
  throwing(() => openShared('worker=fixed:1\0'), 'FRAZIL_EINVAL', 'usage');
});

test('values of other types are refused, and nothing is cut off', () => {
  const frazil = layout('frazil');
  for (const id of [5, 1.5, null, undefined, {}, [], true, -1n, 2n ** 64n, '1x', '', Buffer.alloc(7)]) {
    throwing(() => frazil.inspect(id), undefined, 'usage');
  }
  for (const time of [NaN, Infinity, 1.5, '2026-01-01', null, new Date(NaN), 2 ** 53, 1n]) {
    throwing(() => frazil.firstId(time), 'FRAZIL_EINVAL', 'usage');
  }
  for (const worker of [-1, 2 ** 32, '1', 0.5]) {
    throwing(() => frazil.compose({ unixMs: NOW, worker }), 'FRAZIL_EINVAL', 'usage');
  }
  const roomy = open({ ...still, worker: 'fixed:8', clock: new ManualClock(NOW) });
  for (const array of [new BigInt64Array(1), new Float64Array(1), new Uint8Array(8), [0n], new ArrayBuffer(8), null]) {
    throwing(() => roomy.fill(array), 'FRAZIL_EINVAL', 'usage', /BigUint64Array/);
  }
  roomy.close();
  for (const far of ['9007199254740993', '-9007199254740993']) {
    throwing(() => parseTime(far), 'FRAZIL_ERANGE', 'usage', /too far away for an exact JavaScript number/);
  }
  assert.throws(() => frazil.overlap({}, NOW), TypeError);
  throwing(() => layout(5), 'FRAZIL_EINVAL', 'usage');
  throwing(() => format(1n, 'nosuch'), 'FRAZIL_EINVAL', 'usage', /there is no text form 'nosuch'/);
});

test('methods refuse another this, and the class cannot be made by hand', () => {
  assert.throws(() => Generator.prototype.fill.call({}), TypeError);
  throwing(() => new Generator(), 'FRAZIL_EINVAL', 'usage');
  throwing(() => new Generator(Symbol('frazil'), {}), 'FRAZIL_EINVAL', 'usage');
});

test('an error is one of JavaScript, with its place', () => {
  const error = throwing(() => open('worker=fixed:x'));
  assert.ok(error instanceof Error && error instanceof FrazilError);
  assert.equal(error.name, 'FrazilError');
  assert.match(error.stack, /^FrazilError: .*\n.*at /s);
  assert.match(error.stack, /generator\.test\.js/);
  const { position } = throwing(() => layout('frazil').inspect('12a'), 'FRAZIL_EPARSE', 'usage');
  assert.equal(position, 2);
  const { errno } = throwing(() => open('worker=fixed:98 run_dir=/dev/null/nowhere'), 'FRAZIL_ESYS', 'fatal');
  assert.equal(errno, constants.errno.ENOTDIR);
  assert.equal(error.errno, undefined);
});

function using(generator, use) {
  try {
    use(generator);
  } finally {
    generator.close();
  }
}

test('keys that no spec can hold are refused, and passwords in them are not shown', async () => {
  const keys = ['a b', ' ', '', '\t', 'max batch', "'a b'", 'a\\ b', '"', 'a\nb', '\x1b[2J', 'größe x', 'a=b c=d'];
  keys.push('redis://me:hun ter2@h/n', 'x redis://me:ter2@h/n', 'token=a/b&x y://:ter2@h', 'a b '.repeat(1 << 18));
  for (const key of keys) {
    throwing(() => open({ [key]: 'x' }), 'FRAZIL_ESPEC', 'usage', /^(?!.*ter2).*options: (unknown key|expected a key)/);
    await assert.rejects(openAsync({ [key]: 'x' }), { code: 'FRAZIL_ESPEC' });
  }
  throwing(() => open({ 'a b\0c': 'x' }), 'FRAZIL_EINVAL', 'usage', /zero byte/);
  throwing(() => open({ worker: 'a b\0c' }), 'FRAZIL_ESPEC', 'usage', /zero byte/);
});
