// SPDX-License-Identifier: MIT
'use strict';

/** Goal of this test: no id is made twice, whatever happens to processes, threads and objects; and nothing crashes. */

const assert = require('node:assert/strict');
const { execFile, fork, spawn } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { setImmediate, setTimeout } = require('node:timers/promises');
const { promisify } = require('node:util');
const { Worker } = require('node:worker_threads');

const { scratch } = require('./lib/scratch.js');

const on = scratch('live');
Object.assign(process.env, on.env);
const { open, openShared } = require('frazil');
const FlakeId = require('frazil/flake-idgen');

const run = promisify(execFile);
const maker = path.join(__dirname, 'live', 'maker.js');
const TEN_THOUSAND = 10000;

function allDiffer(lists) {
  const all = lists.flat().map(String);
  const different = new Set(all).size;
  assert.equal(different, all.length, `${all.length - different} of ${all.length} ids were made twice`);
  return all.length;
}

function inThread(spec, n, options = {}) {
  const env = { ...process.env, MAKER: JSON.stringify({ spec, n }) };
  const worker = new Worker(maker, { env, ...options });
  return Promise.all([once(worker, 'message'), once(worker, 'exit')]).then(([[texts], [code]]) => {
    assert.equal(code, 0);
    return texts;
  });
}

async function inFork(spec, n) {
  const child = fork(maker, { env: { ...process.env, MAKER: JSON.stringify({ spec, n }) } });
  const [[texts], [code]] = await Promise.all([once(child, 'message'), once(child, 'exit')]);
  assert.equal(code, 0);
  return texts;
}

test('worker threads that share a worker number', async () => {
  const spec = on('worker=fixed:1');
  const generator = open(spec);
  const makers = Array.from({ length: 4 }, () => inThread(spec, TEN_THOUSAND));
  const own = [...(await generator.take(TEN_THOUSAND))];
  assert.ok(allDiffer([own, ...(await Promise.all(makers))]) >= 5 * TEN_THOUSAND);
  generator.close();
});

test('forked processes that share a worker number', async () => {
  const spec = on('worker=fixed:2');
  const makers = Array.from({ length: 3 }, () => inFork(spec, TEN_THOUSAND));
  assert.ok(allDiffer(await Promise.all(makers)) >= 3 * TEN_THOUSAND);
});

test('the workers of a cluster share a worker number', async () => {
  const env = { ...process.env, MAKER: JSON.stringify({ spec: on('worker=fixed:3'), n: TEN_THOUSAND }) };
  const { stdout } = await run(process.execPath, [path.join(__dirname, 'live', 'cluster.js')], { env });
  const { made, different } = JSON.parse(stdout);
  assert.ok(made >= 4 * TEN_THOUSAND);
  assert.equal(different, made);
});

test('threads and processes that take the lowest free number have different ones', async () => {
  const lists = await Promise.all([
    inThread(on('worker=file-lock'), 2000),
    inThread(on('worker=file-lock'), 2000),
    inFork(on('worker=file-lock'), 2000),
  ]);
  allDiffer(lists);
});

test('70,000 constructions of the drop-in', async () => {
  const ids = [];
  const maps = () => fs.readFileSync('/proc/self/maps', 'utf8').split('\n').length;
  const before = process.platform === 'linux' ? maps() : 0;
  for (let i = 0; i < 70000; i++) {
    const generator = new FlakeId({ id: 100 + (i % 3) });
    try {
      ids.push(generator.next().toString('hex'));
    } catch (error) {
      assert.equal(error.code, 'FRAZIL_EFULL');
      await setTimeout(1);
    }
  }
  allDiffer([ids]);
  assert.ok(ids.length > 60000);
  if (process.platform === 'linux') assert.ok(maps() - before < 100, `${maps() - before} more memory maps`);
});

test('generators that nobody closes are closed by the garbage collector', async () => {
  assert.equal(typeof global.gc, 'function', 'run it with --expose-gc');
  const ids = [];
  for (let round = 0; round < 20; round++) {
    for (let i = 0; i < 20; i++) ids.push(open(on(`worker=fixed:${200 + (i % 4)}`)).next());
    global.gc();
    await setImmediate();
  }
  allDiffer([ids]);
  await eventually(() => {
    global.gc();
    return openFiles('worker-20') === 0;
  });
});

/** How many files whose names hold that word this process has open, or mapped. */
function openFiles(word) {
  if (process.platform !== 'linux') return 0;
  return fs
    .readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .filter((line) => line.includes(word)).length;
}

test('the garbage collector takes objects while they are in use', async () => {
  const generator = open(on('worker=fixed:210'));
  const methods = ['next', 'tryNext', 'nextString', 'nextBuffer'].map((name) => generator[name].bind(generator));
  const taking = open(on('worker=fixed:211')).take(5000);
  for (let i = 0; i < 2000; i++) {
    for (const method of methods) method();
    if (i % 50 === 0) {
      global.gc();
      await setImmediate();
    }
  }
  assert.equal(new Set(await taking).size, 5000);
  const { layout } = open(on('worker=fixed:212'));
  global.gc();
  await setImmediate();
  assert.equal(layout.inspect(layout.compose({ unixMs: Date.UTC(2026, 5), worker: 5 })).worker, 5);
});

/* Five minutes are for hangs alone. */
async function eventually(condition) {
  for (let i = 0; i < 12000; i++) {
    if (await condition()) return;
    await setTimeout(25);
  }
  assert.fail(`never: ${condition}`);
}

/* ---- ends ---------------------------------------------------------------------------------- */

const WAITING = `
  const { open, openAsync, openShared } = require('frazil');
  const spec = ${JSON.stringify(on('worker=fixed:4 layout=41/20/1 max_lead=0ms max_wait=1h'))};
  const generator = open(spec);
  generator.take(1e6);
  const noon = Date.now() - 12 * 3_600_000;
  const day = 'layout=31/20/1 tick=24h worker=fixed:9 keeper=inline max_wait=unlimited epoch=' + noon;
  const inline = [open, openShared].map((open) => open(day + ${JSON.stringify(on(''))}));
  while (inline[0].tryNext() !== null);
  for (let i = 0; i < 6; i++) inline[i % 2].take(1);
  openAsync(spec);`;

for (const [how, end, code] of [
  ['process.exit', 'setTimeout(() => process.exit(7), 20);', 7],
  ['an exception', 'setTimeout(() => { throw new Error("mine"); }, 20);', 1],
  ['process.exit in the same turn', 'process.exit(8);', 8],
]) {
  test(`a process ends by ${how} while it waits`, async () => {
    const child = spawn(process.execPath, ['-e', WAITING + end], { cwd: __dirname, stdio: 'ignore' });
    assert.deepEqual(await once(child, 'exit'), [code, null]);
  });
}

test('a thread ends while it waits', async () => {
  for (const wait of ['', 'generator.fill(new BigUint64Array(2000), { block: true });']) {
    const worker = new Worker(WAITING + wait, { eval: true });
    await once(worker, 'online');
    await setTimeout(30);
    await worker.terminate();
  }
});

test('a thread that ends while it waits does not stop a generator that others share', async () => {
  const spec = on('worker=fixed:49 layout=41/21/1 epoch=2026-01-01 keeper=inline max_wait=60s');
  const shared = openShared(spec);
  const program = `
    require('frazil').openShared(${JSON.stringify(spec)}).take(1000);
    setImmediate(() => process.exit());`;
  await once(new Worker(program, { eval: true }), 'exit');
  assert.equal(shared.health().state, 'serving');
  shared.next({ block: true });
  shared.close();
});

test('a thread that alone has loaded the addon leaves the process intact', async () => {
  const program = `
    const { Worker } = require('node:worker_threads');
    let left = 5;
    const start = () => new Worker("require('frazil').open(process.env.SPEC).next()", { eval: true }).on('exit', (code) => {
      if (code !== 0) process.exit(9);
      if (--left > 0) setTimeout(start, 20);
    });
    start();`;
  const env = { ...process.env, SPEC: on('worker=fixed:5') };
  await run(process.execPath, ['-e', program], { env, cwd: __dirname });
});

test('a process that ends gives its worker number back', async () => {
  const folder = on.folder('leases');
  const spec = `worker=file://${folder}/ns`;
  const frazil = path.join(process.env.TEST_BUILD, 'bin', 'frazil');
  await run(frazil, ['lease', 'init', spec, '--never-used']);
  const program = `const generator = require('frazil').open(process.env.SPEC); generator.next();`;
  for (const end of ['process.exit(0)', '', 'generator.close()', 'generator.closeAsync()']) {
    await run(process.execPath, ['-e', `${program} ${end}`], {
      env: { ...process.env, SPEC: spec },
      cwd: __dirname,
    });
    const { stdout } = await run(frazil, ['lease', 'list', '--json', spec]);
    const [{ held }, ...workers] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.ok(workers.length > 0 && workers.every(({ state }) => state === 'released'), `after '${end}': ${stdout}`);
    assert.equal(held, 0);
  }
});

test('a close that fails rejects, for each caller, and the generator is closed', async () => {
  const folder = on.folder('lost');
  const spec = `worker=file://${folder}/ns`;
  await run(path.join(process.env.TEST_BUILD, 'bin', 'frazil'), ['lease', 'init', spec, '--never-used']);
  const generator = open(spec);
  generator.next();
  fs.rmSync(folder, { recursive: true });
  const closing = generator.closeAsync();
  await assert.rejects(closing, { name: 'FrazilError', code: 'FRAZIL_EUNREACHABLE' });
  generator.close();
  assert.equal(generator.closeAsync(), closing);
  assert.equal(generator.closed, true);
  assert.throws(() => generator.next(), { code: 'FRAZIL_ESTOPPED' });
  // What close() alone has lost is nobody's unhandled rejection: that would end the process.
  fs.mkdirSync(folder);
  await run(path.join(process.env.TEST_BUILD, 'bin', 'frazil'), ['lease', 'init', spec, '--never-used']);
  const program = `
    const generator = require('frazil').open(process.env.SPEC);
    generator.next();
    require('node:fs').rmSync(${JSON.stringify(folder)}, { recursive: true });
    generator.close();`;
  await run(process.execPath, ['-e', program], { env: { ...process.env, SPEC: spec }, cwd: __dirname });
});

/* ---- kill, and other languages ---------------------------------------------------------------- */

test('kill -9 and restart, again and again', async () => {
  const lists = [];
  for (let round = 0; round < 6; round++) {
    const child = spawn(process.execPath, [path.join(__dirname, 'live', 'writer.js'), on('worker=fixed:6')]);
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more) => (text += more));
    await eventually(() => text.length > 20000 * (1 + (round % 3)));
    child.kill('SIGKILL');
    await once(child, 'close');
    lists.push(text.slice(0, text.lastIndexOf('\n')).split('\n'));
  }
  assert.ok(allDiffer(lists) > 6000);
});

test('the command frazil shares a worker number with Node', async () => {
  const spec = on('worker=fixed:8');
  const frazil = path.join(process.env.TEST_BUILD, 'bin', 'frazil');
  const generator = open(spec);
  const commands = Array.from({ length: 5 }, () => run(frazil, ['next', '-n', '2000', ...spec.split(' ')]));
  const own = [];
  let isOver = false;
  const others = Promise.all(commands).finally(() => (isOver = true));
  while (!isOver || own.length < TEN_THOUSAND) own.push(...(await generator.take(500)));
  const lists = (await others).map(({ stdout }) => stdout.trim().split('\n'));
  assert.ok(lists.every((list) => list.length === 2000));
  allDiffer([own, ...lists]);
  generator.close();
});

/** What a program prints that has a Redis, which its process id REDIS can stop, and leases in it. */
async function overRedis(t, options, program) {
  const [bin, parts] = ['bin/frazil', 'parts'].map((name) => path.join(process.env.TEST_BUILD, name));
  if (!fs.existsSync(path.join(parts, 'libfrazil-redis.so.1'))) return t.skip('the part for Redis is not built');
  const folder = on.folder('redis');
  const socket = path.join(folder, 's');
  const words = ['--port', '0', '--unixsocket', socket, '--save', '', '--appendonly', 'yes', '--dir', folder];
  const redis = spawn('redis-server', words, { stdio: 'ignore' });
  if ((await Promise.race([once(redis, 'spawn'), once(redis, 'error')]))[0]) return t.skip('there is no redis-server');
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: parts,
    SPEC: `worker=redis+unix://${socket}/ns?${options}`,
    STATE: `worker=fixed:4 max_wait=60s state=redis+unix://${socket}/ns?${options}`,
    REDIS: redis.pid,
  };
  try {
    await eventually(() =>
      run(bin, ['lease', 'init', '--never-used', env.SPEC], { env }).then(
        () => true,
        () => false,
      ),
    );
    return (await run(process.execPath, ['-e', program], { env, cwd: __dirname })).stdout;
  } finally {
    redis.kill('SIGKILL');
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

// No close ends before the file is read, however slow the machine is: Redis answers only then.
test('many closes over a silent Redis leave threads to others, and each is told its end', async (t) => {
  const program = `
    const fs = require('node:fs/promises');
    const { open } = require('frazil');
    const all = Array.from({ length: 8 }, () => open(process.env.SPEC));
    for (const generator of all) generator.next();
    process.kill(Number(process.env.REDIS), 'SIGSTOP');
    const ends = [];
    const closes = all.map((generator) => generator.closeAsync().catch(() => {}).finally(() => ends.push('close')));
    const refused = all.filter((generator) => { try { generator.next(); } catch (e) { return /closed/.test(e.message); } });
    fs.readFile('package.json').then(() => { ends.push('read'); process.kill(Number(process.env.REDIS), 'SIGCONT'); });
    Promise.all(closes).then(() => console.log(refused.length, ends.join(' ')));`;
  const said = await overRedis(t, 'timeout=25s', program);
  if (said !== undefined) assert.equal(said, `8 read${' close'.repeat(8)}\n`);
});

test('ids that a silent Redis has to give are waited for beside the event loop', async (t) => {
  const program = `
    const ids = require('frazil').open(process.env.STATE);
    const said = [];
    (async () => {
      await ids.take(1);
      process.kill(Number(process.env.REDIS), 'SIGSTOP');
      const over = ids.take(100).catch(() => {}).finally(() => said.push('take'));
      setImmediate(() => { said.push('turn'); process.kill(Number(process.env.REDIS), 'SIGCONT'); });
      await over;
      console.log(said.join(' '));
    })();`;
  const said = await overRedis(t, 'timeout=25s', program);
  if (said !== undefined) assert.equal(said, 'turn take\n');
});

test('a take in a thread waits for the rest of max_wait', async () => {
  const { native } = require('./node_modules/frazil/lib/generator.js');
  // Its two ids are taken, and the next tick begins in five minutes.
  const spec = `layout=41/20/1 tick=10m epoch=${Date.now() - 5 * 60_000} max_wait=20m worker=fixed:10 start=zero`;
  const { external, next } = native.open(on(spec));
  for (let i = 0; i < 2; i++) next();
  for (const passedMs of [1_199_900, 1_200_000, 3_600_000]) {
    await assert.rejects(native.takeAsync(external, new BigUint64Array(1), passedMs), { class: 'retry' });
  }
  await native.closeAsync(external);
});

test('a take in a thread whose time is over does not ask a silent Redis for as long as its URL allows', async (t) => {
  const program = `
    const { native } = require('./node_modules/frazil/lib/generator.js');
    const { external } = native.open(process.env.STATE);
    const take = (n, passedMs) => native.takeAsync(external, new BigUint64Array(n), passedMs);
    (async () => {
      await take(1, 0);
      process.kill(Number(process.env.REDIS), 'SIGSTOP');
      const began = Date.now();
      try {
        for (;;) await take(1000, 3_600_000); // some slots may be in hand
      } catch (error) {
        console.log(error.class, Date.now() - began < 20_000);
      }
    })();`;
  const said = await overRedis(t, 'timeout=25s', program);
  if (said !== undefined) assert.equal(said, 'retry true\n');
});

// Redis is stopped until all grants have ended, and answers again when all calls wait for theirs to be extended.
test('a late answer of Redis is worth a wait after the end of grants', async (t) => {
  const program = `
    const { execFileSync } = require('node:child_process');
    const { setTimeout } = require('node:timers/promises');
    const { open } = require('frazil');
    const opened = (name, layout, keeper) => {
      const spec = [...layout, process.env.SPEC.replace('/ns?', '/' + name + '?')];
      const init = ['lease', 'init', '--never-used', 'horizon=3s', ...spec];
      if (keeper === 'thread') execFileSync(process.env.TEST_BUILD + '/bin/frazil', init);
      return open(spec.join(' ') + ' max_wait=200s keeper=' + keeper);
    };
    const keepers = ['thread', 'inline'];
    const numbers = keepers.map((keeper) => opened('short', [], keeper));
    const snos = keepers.map((keeper) => opened('snos', ['layout=sno'], keeper));
    (async () => {
      process.kill(Number(process.env.REDIS), 'SIGSTOP');
      while ([...numbers, ...snos].some((ids) => ids.health().state !== 'fenced')) await setTimeout(10);
      const calls = [...numbers.map((ids) => ids.take(1)), ...snos.map((ids) => ids.takeSnos(1))];
      const ends = Promise.allSettled(calls);
      await setTimeout(300);
      process.kill(Number(process.env.REDIS), 'SIGCONT');
      console.log((await ends).map(({ status, reason }) => reason?.message ?? status).join());
    })();`;
  const said = await overRedis(t, 'timeout=60s', program);
  if (said !== undefined) assert.equal(said, `${Array(4).fill('fulfilled')}\n`);
});

test('keep over a silent Redis throws nothing: the present grant stands', async (t) => {
  const program = `
    const { execFileSync } = require('node:child_process');
    const { setTimeout } = require('node:timers/promises');
    const spec = process.env.SPEC.replace('/ns?', '/kept?');
    execFileSync(process.env.TEST_BUILD + '/bin/frazil', ['lease', 'init', '--never-used', 'horizon=10s', spec]);
    const ids = require('frazil').open(spec + ' keeper=hook');
    (async () => {
      process.kill(Number(process.env.REDIS), 'SIGSTOP');
      while (ids.health().lastFailure === null) await setTimeout(Math.min(ids.keep(), 10));
      process.kill(Number(process.env.REDIS), 'SIGCONT');
      const said = [...ids.events()].map(({ kind, code }) => [kind, code === ids.health().lastFailure.code]);
      console.log(JSON.stringify(said));
      await ids.closeAsync();
    })();`;
  const said = await overRedis(t, 'timeout=100ms', program);
  if (said !== undefined) assert.equal(said, '[["extension-failed",true]]\n');
});

test('the end of a process does not wait for a silent Redis', async (t) => {
  const program = `
    const all = Array.from({ length: 12 }, () => require('frazil').open(process.env.SPEC));
    for (const generator of all) generator.next();
    process.kill(Number(process.env.REDIS), 'SIGSTOP');
    process.on('exit', () => require('node:fs').writeSync(1, String(Date.now())));`;
  const said = await overRedis(t, 'timeout=25s', program);
  // Two seconds for all of them; the limit is that of the request.
  if (said !== undefined) assert.ok(Date.now() - Number(said) < 20_000);
});
