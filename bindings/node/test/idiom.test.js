// SPDX-License-Identifier: MIT
'use strict';

/** Goal of this test: what programmers of JavaScript write first works: their own values, loops, functions handed on, console.log. */

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');
const { inspect } = require('node:util');

const ts = require('typescript');

const { open, openAsync, openShared, layout, parse, sno, FrazilError, ManualClock } = require('frazil');
const { scratch, throwing } = require('./lib/scratch.js');

const NOW = Date.UTC(2026, 4, 1);
const on = scratch('idiom');
// All tests run at the same time as those of other files: places of their own, and a worker id for each that counts.
Object.assign(process.env, on.env);
let lastWorker = 100;
const unused = () => ++lastWorker;
const folder = path.dirname(require.resolve('frazil'));

/** The spec that options mean. */
function meaning(options) {
  const generator = open(options);
  generator.close();
  return generator.spec;
}

test('options are values of JavaScript', () => {
  const same = (options, spec) => assert.equal(meaning(options), meaning({ spec }));
  same({ worker: 7 }, 'worker=fixed:7');
  same({ worker: 7n }, 'worker=fixed:7');
  same({ worker: 7, epoch: new Date(NOW) }, 'worker=fixed:7 epoch=2026-05-01');
  same({ worker: 7, epoch: NOW }, 'worker=fixed:7 epoch=2026-05-01');
  same({ worker: 7, maxWait: 10 }, 'worker=fixed:7 max_wait=10ms');
  same({ worker: 7, maxWait: 0 }, 'worker=fixed:7 max_wait=0ms');
  same({ worker: 7, maxWait: 0.25 }, 'worker=fixed:7 max_wait=250us');
  same({ worker: 7, maxWait: Infinity }, 'worker=fixed:7 max_wait=unlimited');
  same({ worker: 7, maxLead: 1000, openWait: 1500, tick: 10 }, 'worker=fixed:7 max_lead=1s open_wait=1500ms tick=10ms');
  const { fingerprint } = layout('twitter');
  same(
    { worker: 7, layout: layout('twitter'), allowShortLife: true },
    `worker=fixed:7 layout='${fingerprint}' allow_short_life=yes`,
  );
  same({ layout: 'sno', partition: [65, 10] }, 'layout=sno partition=65,10');
  same({ layout: 'sno', partition: Buffer.from('A\n') }, 'layout=sno partition=A,10');
  same({ layout: 'sno', partition: 7 }, 'layout=sno partition=7');
});

test('values that mean nothing are refused with the name of their option', async () => {
  const wrong = {
    worker: 1.5,
    maxWait: -1,
    openWait: NaN,
    epoch: new Date(NaN),
    tick: {},
    horizon: 1e300,
    count: () => 1,
  };
  for (const [name, value] of Object.entries(wrong)) {
    throwing(() => open({ worker: 1, [name]: value }), 'FRAZIL_EINVAL', 'usage', new RegExp(name));
    throwing(() => openShared({ worker: 1, [name]: value }), 'FRAZIL_EINVAL', 'usage', new RegExp(name));
    await assert.rejects(openAsync({ worker: 1, [name]: value }), FrazilError);
  }
});

test('shared generators are opened by options as well', () => {
  const places = { runDir: on.folder("it's"), stateDir: on.folder("it's"), hostDir: on.folder('a \\ b\\') };
  const [one, other] = [openShared({ worker: 7, ...places }), openShared({ spec: 'worker=fixed:7', ...places })];
  one.next();
  other.next();
  assert.equal(one.stats().issued, 2);
  one.close();
  other.close();
  throwing(() => openShared({ worker: 1, clock: new ManualClock(NOW) }), 'FRAZIL_EINVAL', 'usage', /clock/);
  for (const name of ['a b', "'", 'größe', 'redis://me:hun ter2@h/n']) {
    throwing(() => openShared({ worker: 1, [name]: 'x' }), 'FRAZIL_EINVAL', 'usage', /^(?!.*ter2).*unknown key/);
  }
});

test('a generator is a source for loops, which wait where a tick is full', async () => {
  const generator = open({ worker: unused(), layout: '41/20/2', maxLead: 0 });
  const ids = [];
  for (const id of generator) if (ids.push(id) === 20) break;
  for await (const id of generator) if (ids.push(id) === 40) break;
  const [first, second] = generator;
  ids.push(first, second);
  assert.deepEqual([...ids].sort(), ids);
  assert.equal(new Set(ids).size, 42);
  assert.equal(generator.stats().issued, 42);
  generator.close();
  throwing(() => generator[Symbol.iterator]().next(), 'FRAZIL_ESTOPPED', 'fatal', /closed/);
  await assert.rejects(generator[Symbol.asyncIterator]().next(), { code: 'FRAZIL_ESTOPPED' });
});

test('a loop that waits in vain says why, and counts its full tick once', () => {
  const clock = new ManualClock(NOW);
  const generator = open({ worker: 7, layout: '41/20/1', start: 'zero', state: 'memory', onFull: 'error', clock });
  const taken = [];
  throwing(() => taken.push(...generator), 'FRAZIL_EFULL', 'retry');
  assert.equal(generator.stats().issued, 2);
  assert.equal(generator.stats().full, 1);
  generator.close();
});

test('an asynchronous loop gives others their turns', async () => {
  const generator = open('layout=31/1/31 tick=1s worker=fixed:1');
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  let n = 0;
  for await (const id of generator) if (turns >= 2 || (n++, id === 0n)) break;
  clearInterval(timer);
  generator.close();
  assert.ok(n > 0);
});

test('methods that make an id can be handed on alone', async () => {
  const generator = open({ worker: unused() });
  const ids = ['a', 'b', 'c'].map(generator.next);
  ids.push(...Array.from({ length: 3 }, generator.next), ...['d'].map(generator.tryNext));
  ids.push(...[1, undefined].map(generator.nextString).map(BigInt));
  ids.push(...['f'].map(generator.nextBuffer).map((bytes) => bytes.readBigUInt64BE()));
  const { next } = generator;
  ids.push(await Promise.resolve().then(next));
  assert.deepEqual([...ids].sort(), ids);
  assert.equal(new Set(ids).size, 11);
  generator.close();
});

test('closed says whether it was closed', async () => {
  for (const end of ['close', 'closeAsync']) {
    const generator = open({ worker: unused() });
    assert.equal(generator.closed, false);
    const closing = generator[end]();
    assert.equal(generator.closed, true);
    await closing;
    await generator.closeAsync();
  }
});

test('console.log says what an object is, and no password', () => {
  const generator = open({ worker: unused() });
  assert.match(inspect(generator), /^Generator \{\s+spec: '.*worker=fixed:\d+ .*',\s+state: 'serving'\s+\}$/s);
  assert.equal(inspect({ generator }, { depth: 0 }).includes('Generator'), true);
  generator.close();
  assert.match(inspect(generator), /^Generator \{.*closed: true\s+\}$/s);
  assert.equal(inspect(layout('twitter')), `Layout '${layout('twitter').fingerprint}'`);
});

test('stats fit JSON', () => {
  const generator = open({ worker: unused() });
  generator.next();
  assert.equal(JSON.parse(JSON.stringify(generator.stats())).issued, 1);
  generator.close();
});

test("a sno's column is ten bytes, 16 characters or nothing", () => {
  const bytes = sno.decode('brpk4q72xwf2m63l');
  const zero = Buffer.alloc(10);
  for (const value of [bytes, 'brpk4q72xwf2m63l', Buffer.from('brpk4q72xwf2m63l')]) {
    assert.deepEqual(sno.fromColumn(value), bytes);
  }
  for (const nothing of [null, undefined, '', Buffer.alloc(0)]) assert.deepEqual(sno.fromColumn(nothing), zero);
  for (const wrong of ['brpk', Buffer.alloc(9)]) throwing(() => sno.fromColumn(wrong), 'FRAZIL_EPARSE', 'usage');
  for (const wrong of [5, {}, true]) throwing(() => sno.fromColumn(wrong), 'FRAZIL_EINVAL', 'usage');
});

test('the fields of a sno are not those of an id', () => {
  const generator = open({ layout: 'sno', worker: unused(), state: 'memory' });
  for (const id of [generator.nextSno(), sno.decode(generator.nextSno()), 5n]) {
    throwing(() => generator.inspect(id), 'FRAZIL_EKIND', 'usage', /^a sno is not a 64-bit id/);
  }
  generator.close();
});

test('each state has the name that all bindings have', () => {
  const types = fs.readFileSync(path.join(folder, 'index.d.ts'), 'utf8');
  const source = fs.readFileSync(path.join(folder, 'lib', 'generator.js'), 'utf8');
  for (const text of [types, source]) assert.match(text, /'needs_grant'/);
});

test('each declaration has a comment', () => {
  const bare = [];
  for (const name of ['index.d.ts', 'browser.d.mts', 'flake-idgen.d.ts']) {
    const text = fs.readFileSync(path.join(folder, name), 'utf8');
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
    const isMember = (node) => ts.isPropertySignature(node) || ts.isMethodSignature(node);
    const needs = (node) =>
      ts.isInterfaceDeclaration(node) ||
      ts.isClassDeclaration(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isVariableStatement(node) ||
      (ts.isTypeAliasDeclaration(node) && ts.getModifiers(node)?.length > 0) ||
      (ts.isConstructorDeclaration(node) && !node.modifiers) ||
      ts.isMethodDeclaration(node) ||
      ts.isPropertyDeclaration(node) ||
      (isMember(node) && isOfInterfaceOrConstant(node));
    const look = (node) => {
      if (needs(node) && !node.jsDoc?.length) bare.push(`${name}: ${node.getText().split('\n')[0]}`);
      ts.forEachChild(node, look);
    };
    look(file);
  }
  assert.deepEqual(bare, []);
});

/** The members of literal types of parameters and results speak for themselves. */
function isOfInterfaceOrConstant({ parent }) {
  return ts.isInterfaceDeclaration(parent) || ts.isVariableDeclaration(parent.parent);
}

test('a text form is an argument of its own, or an option, and a wrong one is refused', () => {
  const generator = open({ worker: 7, state: 'memory', clock: new ManualClock(Date.UTC(2026, 4, 1)) });
  const id = generator.next();
  assert.equal(parse(generator.nextString('crockford'), 'crockford'), id + 1n);
  assert.equal(parse(generator.nextString({ form: 'hex' }), 'hex'), id + 2n);
  for (const form of ['crokford', '', { form: '' }]) {
    assert.throws(() => generator.nextString(form), /there is no text form '(crokford)?'/);
  }
  assert.equal(BigInt(generator.nextString()), id + 3n, 'a wrong form costs no id');
  generator.close();
});

test('what is wrong with a value is said in words that fit it', async () => {
  const generator = open({ worker: unused() });
  await assert.rejects(() => generator.take(-1), /whole number from 0 on, and is -1/);
  await assert.rejects(() => generator.take(1.5), /whole number from 0 on, and is 1.5/);
  await assert.rejects(() => generator.take(10n), /whole number from 0 on, and is 10n/);
  await assert.rejects(() => generator.take('10'), /whole number from 0 on, and is '10'/);
  for (const worker of [[65, 10], Uint8Array.of(65, 10)]) {
    assert.throws(() => open({ worker }), /worker is neither .* nor Layout; the two bytes of a sno are its partition$/);
  }
  assert.throws(() => open({ worker: {} }), /worker is neither text, number, boolean, Date nor Layout$/);
  assert.throws(() => open({ partition: {} }), /partition is neither text, number nor array of two bytes$/);
  for (const time of ['2026-05-01', undefined, 5n]) {
    const of = () => generator.layout.range(time, NOW);
    throwing(of, 'FRAZIL_EINVAL', 'usage', /^the first time must be a Date, or Unix milliseconds as a number$/);
  }
  generator.close();
});

test('statistics are declared with the names that they have', () => {
  const generator = open({ worker: unused() });
  const types = fs.readFileSync(path.join(folder, 'index.d.ts'), 'utf8').match(/interface Stats \{(.*?)\n\}/s)[1];
  const declared = [...types.matchAll(/^ {2}(\w+): number;/gm)].map((match) => match[1]);
  assert.deepEqual(declared, Object.keys(generator.stats()));
  assert.ok(declared.includes('backwardMaxUs'));
  generator.close();
});
