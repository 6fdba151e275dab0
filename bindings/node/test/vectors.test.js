// SPDX-License-Identifier: MIT
'use strict';

/** Goal of this test: the golden values of tests/vectors come out of Node. TEST_VECTORS names the folder. */

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { test } = require('node:test');

const frazil = require('frazil');
const { layout, sno } = frazil;

function rows(name) {
  const text = fs.readFileSync(path.join(process.env.TEST_VECTORS, name), 'utf8');
  const [header, ...lines] = text.split('\n').filter(Boolean);
  const keys = header.split('\t');
  assert.ok(lines.length > 0, `${name} has no row`);
  return lines.map((line) => Object.fromEntries(line.split('\t').map((value, i) => [keys[i], value])));
}

const hex = (bytes) => bytes.toString('hex');

test('flake.tsv: the eight bytes of flake-idgen', () => {
  for (const row of rows('flake.tsv')) {
    const flake = layout(`flake epoch=${row.epoch_ms}`);
    const worker = flake.workerOf(Number(row.datacenter), Number(row.worker));
    const id = flake.compose({ unixMs: Number(row.unix_ms), worker, sequence: Number(row.calls) - 1 });
    assert.equal(hex(frazil.toBytes(id)), row.hex);
    assert.equal(String(id), row.decimal);
    const { datacenter, workerInDatacenter, unixMs } = flake.inspect(row.decimal);
    const expected = [Number(row.datacenter), Number(row.worker), Number(row.unix_ms)];
    assert.deepEqual([datacenter, workerInDatacenter, unixMs], expected);
  }
});

test('kasumi.tsv: scrambled ids', () => {
  for (const { salt, value, upper, lower, base36, checksum36 } of rows('kasumi.tsv')) {
    const id = BigInt(value);
    const scrambled = frazil.kasumi(id, BigInt(salt));
    assert.equal(scrambled, (BigInt(upper) << 32n) | BigInt(lower));
    assert.equal(frazil.scramble(id, BigInt(salt)), base36);
    assert.equal(frazil.scramble(id, BigInt(salt), { checked: true }), checksum36);
    assert.equal(frazil.unscramble(base36, BigInt(salt)), id);
    assert.equal(frazil.unscramble(checksum36, BigInt(salt), { checked: true }), id);
  }
});

test('konayuki.tsv: ids and shards', () => {
  for (const row of rows('konayuki.tsv')) {
    const kona = layout(`${row.time_bits}/${row.worker_bits}/${row.seq_bits} epoch=${row.epoch_ms}`);
    const fields = { unixMs: Number(row.unix_ms), worker: Number(row.worker), sequence: Number(row.sequence) };
    const id = kona.compose(fields);
    assert.equal(String(id), row.id);
    const { unixMs, worker, sequence } = kona.inspect(id);
    assert.deepEqual({ unixMs, worker, sequence }, fields);
    for (const shards of [16, 7, 1000]) assert.equal(frazil.shard(id, shards), Number(row[`shard${shards}`]));
  }
});

test('public.tsv: ids that platforms have published', () => {
  for (const row of rows('public.tsv')) {
    const { unixMs, worker, sequence } = layout(row.layout).inspect(row.id);
    assert.equal(frazil.formatTime(unixMs), row.time, row.note);
    assert.deepEqual([worker, sequence], [Number(row.worker), Number(row.sequence)], row.note);
  }
});

test('sno.tsv: bytes, text and fields', () => {
  for (const row of rows('sno.tsv')) {
    assert.equal(sno.encode(Buffer.from(row.hex, 'hex')), row.text);
    assert.equal(hex(sno.decode(row.text)), row.hex);
    const fields = sno.inspect(row.text);
    assert.equal(BigInt(fields.unixMs) * 1000000n, BigInt(row.unix_ns));
    for (const name of ['ticktock', 'meta', 'partition', 'sequence']) assert.equal(fields[name], Number(row[name]));
    assert.equal(hex(sno.compose(fields)), row.hex);
  }
});

test('text.tsv: all text forms', () => {
  const columns = {
    hex16: 'hex',
    crockford13: 'crockford',
    base36: 'base36',
    base58_flickr: 'base58',
    base62_11: 'base62',
    base64url_be11: 'base64url',
    bytes_be: 'bytes',
  };
  for (const row of rows('text.tsv')) {
    for (const [column, form] of Object.entries(columns)) {
      assert.equal(frazil.format(row.id, form), row[column], form);
      assert.equal(String(frazil.parse(row[column], form)), row.id, form);
    }
  }
});

test('workerhash.tsv: worker numbers of hosts', () => {
  for (const { hint, max_workers, worker } of rows('workerhash.tsv')) {
    assert.equal(frazil.hashWorker(hint, Number(max_workers)), Number(worker));
  }
});
