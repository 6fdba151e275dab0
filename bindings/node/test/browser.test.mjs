// SPDX-License-Identifier: MIT

/**
 * Goal of this test: frazil/browser answers as frazil does, whose answers vectors.test.js and conformance.test.js hold, and
 * needs nothing that browsers lack. TEST_VECTORS names the folder of golden values.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';

import * as browser from 'frazil/browser';
const require = createRequire(import.meta.url);
const frazil = require('frazil');

const PURE = Object.keys(browser).filter((name) => name !== 'FrazilError');

function column(file, key) {
  const [header, ...lines] = fs.readFileSync(path.join(process.env.TEST_VECTORS, file), 'utf8').trim().split('\n');
  const at = header.split('\t').indexOf(key);
  assert.ok(at >= 0 && lines.length > 0, `${file} has no values of ${key}`);
  return lines.map((line) => line.split('\t')[at]);
}

/** An answer or an error as plain data: Buffers and Uint8Arrays are the same then. */
function plain(answer) {
  if (answer instanceof Uint8Array) return Array.from(answer);
  if (answer instanceof frazil.Layout || answer instanceof browser.Layout) return answer.toJSON();
  if (answer === null || typeof answer !== 'object') return answer;
  return Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, plain(value)]));
}

function outcome(call, module) {
  try {
    return { answer: plain(call(module)) };
  } catch (error) {
    assert.ok(error instanceof module.FrazilError, error.stack);
    return { message: error.message, code: error.code, class: error.class, position: error.position };
  }
}

/** The call has one outcome in both, which is an error or not as is expected. */
function same(call, isError = false) {
  const expected = outcome(call, frazil);
  assert.deepEqual(outcome(call, browser), expected);
  assert.equal('message' in expected, isError, `${call} gave ${expected.message ?? expected.answer}`);
}

test('it has all of frazil that needs no generator', () => {
  for (const name of PURE) assert.equal(typeof browser[name], typeof frazil[name], name);
  for (const name of Object.keys(frazil)) {
    if (!/^(open|Generator|ManualClock|newSalt)/.test(name)) assert.ok(name in browser, `${name} is missing`);
  }
  same(({ version }) => version);
  same(({ textForms }) => textForms);
});

test('text forms of the golden values, there and back', () => {
  for (const id of column('text.tsv', 'id')) {
    for (const form of browser.textForms) {
      same(({ format }) => format(id, form));
      same(({ format, parse }) => parse(format(BigInt(id), form), form));
    }
    same(({ toBytes }) => toBytes(id));
    same(({ toBytes, fromBytes }) => fromBytes(toBytes(id)));
    same(({ shard }) => shard(id, 1000));
    same(({ kasumi }) => kasumi(id, 12345n));
    same(({ scramble }) => scramble(id, 12345, { checked: true }));
    same(({ scramble, unscramble }) => unscramble(scramble(id, 7), 7));
  }
  for (const hint of column('workerhash.tsv', 'hint')) same(({ hashWorker }) => hashWorker(hint, 1024));
  same(({ collisionPpm }) => collisionPpm(20, 1024n));
});

test('layouts', () => {
  const texts = ['frazil', 'twitter', 'flake', 'js53', '39/1/24 epoch=2026-01-01', '41/10/12 epoch=1288834974657'];
  const time = Date.UTC(2026, 4, 1);
  for (const text of texts) {
    same(({ layout }) => layout(text));
    same(({ layout }) => layout(text).describe());
    same(({ layout }) => layout(text).range(new Date(time), time + 3_600_000));
    same(({ layout }) => layout(text).firstId(time));
    same(({ layout }) => layout(text).compose({ unixMs: time, worker: 1, sequence: 5 }));
    same(({ layout }) => layout(text).inspect(layout(text).compose({ unixMs: time, worker: 1, sequence: 5 })));
    same(({ layout }) => layout(text).equals('twitter'));
    same(({ layout }) => layout('twitter').overlap(text, time));
  }
  column('public.tsv', 'id').forEach((id, i) => {
    const text = column('public.tsv', 'layout')[i];
    same(({ layout, formatTime }) => formatTime(layout(text).inspect(id).unixMs));
  });
  same(({ layout }) => layout('flake').workerOf(9, 7));
});

test('snos', () => {
  for (const text of column('sno.tsv', 'text')) {
    for (const name of ['inspect', 'decode', 'toUuid', 'toJson']) same(({ sno }) => sno[name](text));
    same(({ sno }) => sno.encode(sno.decode(text)));
    same(({ sno }) => sno.fromUuid(sno.toUuid(text)));
    same(({ sno }) => sno.fromJson(sno.toJson(text)));
    same(({ sno }) => sno.fromColumn(sno.decode(text)));
    same(({ sno }) => sno.compose(sno.inspect(text)));
  }
  same(({ sno }) => sno.range(Date.UTC(2026), Date.UTC(2027)));
  same(({ sno }) => sno.parsePartition(sno.formatPartition(513)));
  same(({ parseTime }) => parseTime('2026-05-01T12:00:00Z'));
});

test('errors have the sentences, codes, classes and positions of frazil', () => {
  const long = 'x'.repeat(200_000);
  for (const text of ['12x', '', 'é', '\u{1f600}', long]) {
    same(({ parse }) => parse(text), true);
    same(({ layout }) => layout(text), true);
    same(({ sno }) => sno.decode(text), true);
    same(({ parseTime }) => parseTime(text), true);
    same(({ format }) => format(1n, text), true);
  }
  for (const id of [5, 2n ** 64n, -1n, null, undefined, {}, [], true, new Uint8Array(7), new Float64Array(1)]) {
    same(({ format }) => format(id), true);
    same(({ sno }) => sno.encode(id), true);
  }
  for (const count of [-1, 1.5, 2 ** 32, '7', NaN, undefined]) same(({ shard }) => shard(1n, count), true);
  for (const time of [new Date(NaN), 2 ** 54, '2026']) same(({ formatTime }) => formatTime(time), true);
  same(({ layout }) => layout('twitter').compose({ unixMs: 0 }), true);
  same(({ layout }) => layout('frazil').compose({ unixMs: Date.UTC(2026, 4), worker: 2 ** 31 }), true);
});

test('many calls need no more memory than one', () => {
  for (let i = 0; i < 200; i++) assert.throws(() => browser.parse('1'.repeat(1 << 20)), browser.FrazilError);
});

test('it needs nothing of Node', () => {
  const program = `
    const log = console.log;
    delete globalThis.Buffer; delete globalThis.process; delete globalThis.require; delete globalThis.global;
    import('frazil/browser').then(({ layout, sno }) =>
      log(layout('twitter').inspect('2061236281165221888').worker, sno.encode(new Uint8Array(10)).length));`;
  const options = { cwd: import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), encoding: 'utf8' };
  assert.equal(execFileSync(process.execPath, ['-e', program], options), '1 16\n');
});
