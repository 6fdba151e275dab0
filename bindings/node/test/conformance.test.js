// SPDX-License-Identifier: MIT
'use strict';

/** Goal of this test: all cases of bindings/conformance/cases.jsonl hold for Node. TEST_CASES names the file. */

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, test } = require('node:test');

const frazil = require('frazil');
const { sno } = frazil;

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'frazil-node-'));
after(() => fs.rmSync(scratch, { recursive: true }));
for (const name of Object.keys(process.env)) if (/^FRAZIL_/.test(name)) delete process.env[name];

/* ---- the members of a case or a call: what nobody asks for is an error ------------------- */

class Step {
  compared = 0;

  constructor(members) {
    this.left = new Map(Object.entries(members));
  }

  #take(key, type) {
    assert.ok(this.left.has(key), `it needs a member '${key}'`);
    const value = this.left.get(key);
    assert.equal(typeof value, type, `its member '${key}' is of another type`);
    this.left.delete(key);
    return value;
  }

  text = (key) => this.#take(key, 'string');
  small = (key) => this.#take(key, 'number');
  bool = (key) => this.#take(key, 'boolean');
  big = (key) => BigInt(this.#take(key, 'string'));
  ms = (key) => Number(this.big(key));
  bytes = (key) => Buffer.from(this.#take(key, 'string'), 'hex');

  /** Holds answers against the members that the call names. */
  compare(answers) {
    for (const [key, answer] of Object.entries(answers)) {
      if (!this.left.has(key)) continue;
      assert.deepEqual(answer, this.left.get(key), key);
      this.left.delete(key);
      this.compared++;
    }
  }

  between(key, value) {
    if (!this.left.has(`${key}_from`) && !this.left.has(`${key}_to`)) return;
    const [low, high] = [this.small(`${key}_from`), this.small(`${key}_to`)];
    assert.ok(value >= low && value <= high, `${key} is ${value}, expected was ${low} to ${high}`);
    this.compared++;
  }

  finish() {
    assert.deepEqual([...this.left.keys()], [], 'members that the runner does not know');
  }
}

/* ---- answers as the cases write them ------------------------------------------------------- */

const hex = (bytes) => bytes.toString('hex');
const snakeCase = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const WIDE = /(^|_)(ms|workers|ids_per_tick|ids_per_second|max_id|old_last|new_first|first|last|capacity)$/;

/** Members of an object of frazil, with the names and the types of the cases. */
function written(object) {
  const members = Object.entries(object).map(([name, value]) => {
    const key = snakeCase(name).replace('fits53_bits', 'fits_53_bits');
    return [key, WIDE.test(key) ? String(value) : value];
  });
  return Object.fromEntries(members);
}

function outId(subject, step, id) {
  step.compare({ id: String(id) });
  const { unixMs, worker, sequence } = subject.layout.inspect(id);
  step.compare({ unix_ms: String(unixMs), worker });
  step.between('sequence', sequence);
}

const generatorOf = ({ generator }) => generator ?? assert.fail('the case opens no generator');
const layoutOf = ({ layout }) => layout ?? assert.fail('the case has no layout');

/* ---- calls ------------------------------------------------------------------------------------ */

const CALLS = {
  next: (on, step) => outId(on, step, generatorOf(on).next({ block: true })),
  try_next: (on, step) => outId(on, step, generatorOf(on).next()),
  next_n: (on, step) => {
    const ids = generatorOf(on).fill(new BigUint64Array(step.small('n')), { block: true });
    step.compare({ ids: Array.from(ids, String) });
  },
  take: (on, step) => {
    assert.equal(step.big('wait_ns'), 0n, 'Node waits for max_wait or not at all');
    const ids = generatorOf(on).fill(new BigUint64Array(step.small('n')));
    step.compare({ ids: Array.from(ids, String) });
  },
  next_at: (on, step) => outId(on, step, generatorOf(on).nextAt(step.ms('at'))),
  sno_next: (on, step) => {
    const id = generatorOf(on).nextSno({ meta: step.small('meta'), block: true });
    step.compare({ sno: hex(sno.decode(id)) });
  },
  sno_try_next: (on, step) => {
    step.compare({ sno: hex(sno.decode(generatorOf(on).nextSno({ meta: step.small('meta') }))) });
  },
  sno_next_n: (on, step) => {
    const all = Buffer.alloc(10 * step.small('n'));
    generatorOf(on).fillSnos(all, { meta: step.small('meta'), block: true });
    step.compare({ snos: hex(all).match(/.{20}/g) });
  },
  sno_next_at: (on, step) => {
    const id = generatorOf(on).nextSnoAt(step.ms('at'), { meta: step.small('meta') });
    step.compare({ sno: hex(sno.decode(id)) });
  },
  info: (on, step) => step.compare(written(generatorOf(on).info())),
  available: (on, step) => step.compare({ available: String(generatorOf(on).available) }),
  stats: (on, step) => {
    const stats = Object.entries(generatorOf(on).stats());
    const shared = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    step.compare(Object.fromEntries(stats.map(([name, value]) => [shared(name), String(value)])));
  },
  stop: (on, step) => {
    generatorOf(on).stop();
    step.compared++;
  },
  set_clock: (on, step) => {
    on.clock.set(step.ms('at'));
    step.compared++;
  },
  advance_clock: (on, step) => {
    on.clock.advanceNs(step.big('ns'));
    step.compared++;
  },

  compose: (on, step) => {
    const fields = { unixMs: step.ms('unix_ms'), worker: step.small('worker'), sequence: step.small('sequence') };
    step.compare({ id: String(layoutOf(on).compose(fields)) });
  },
  decompose: (on, step) => step.compare(written(layoutOf(on).inspect(step.text('id')))),
  range: (on, step) => step.compare(written(layoutOf(on).range(step.ms('from_unix_ms'), step.ms('to_unix_ms')))),
  describe: (on, step) => step.compare(written(layoutOf(on).describe())),
  fingerprint: (on, step) => step.compare({ text: layoutOf(on).fingerprint }),
  overlap: (on, step) => step.compare(written(layoutOf(on).overlap(step.text('after'), step.ms('since_unix_ms')))),

  format: (on, step) => step.compare({ text: frazil.format(step.text('id'), step.text('form')) }),
  parse: (on, step) => step.compare({ id: String(frazil.parse(step.text('text'), step.text('form'))) }),
  bytes_write: (on, step) => step.compare({ bytes: hex(frazil.toBytes(step.text('id'))) }),
  bytes_read: (on, step) => step.compare({ id: String(frazil.fromBytes(step.bytes('bytes'))) }),
  shard: (on, step) => step.compare({ shard: frazil.shard(step.text('id'), step.small('shards')) }),
  worker_hash: (on, step) => step.compare({ worker: frazil.hashWorker(step.text('text'), step.small('workers')) }),
  collision: (on, step) => step.compare({ ppm: frazil.collisionPpm(step.small('hosts'), step.big('workers')) }),
  kasumi: (on, step) => step.compare({ scrambled: String(frazil.kasumi(step.text('id'), step.big('salt'))) }),
  scramble: (on, step) => {
    const checked = step.bool('checked');
    step.compare({ text: frazil.scramble(step.text('id'), step.big('salt'), { checked }) });
  },
  unscramble: (on, step) => {
    const checked = step.bool('checked');
    step.compare({ id: String(frazil.unscramble(step.text('text'), step.big('salt'), { checked })) });
  },
  time_format: (on, step) => step.compare({ text: frazil.formatTime(step.ms('unix_ms')) }),
  time_parse: (on, step) => step.compare({ unix_ms: String(frazil.parseTime(step.text('text'))) }),

  sno_compose: (on, step) => {
    const fields = { unixMs: step.ms('unix_ms'), ticktock: step.small('ticktock'), meta: step.small('meta') };
    Object.assign(fields, { partition: step.small('partition'), sequence: step.small('sequence') });
    step.compare({ sno: hex(sno.compose(fields)) });
  },
  sno_decompose: (on, step) => step.compare(written(sno.inspect(step.bytes('sno')))),
  sno_encode: (on, step) => step.compare({ text: sno.encode(step.bytes('sno')) }),
  sno_decode: (on, step) => step.compare({ sno: hex(sno.decode(step.text('text'))) }),
  sno_range: (on, step) => {
    const { first, last } = sno.range(step.ms('from_unix_ms'), step.ms('to_unix_ms'));
    step.compare({ first: hex(first), last: hex(last) });
  },
  uuid_format: (on, step) => step.compare({ text: sno.toUuid(step.bytes('sno')) }),
  uuid_parse: (on, step) => step.compare({ sno: hex(sno.fromUuid(step.text('text'))) }),
  uuid_read: (on, step) => step.compare({ sno: hex(sno.fromUuid(step.bytes('bytes'))) }),
  sno_to_json: (on, step) => step.compare({ text: sno.toJson(step.bytes('sno')) }),
  sno_from_json: (on, step) => step.compare({ sno: hex(sno.fromJson(step.text('text'))) }),
  sno_from_column: (on, step) => step.compare({ sno: hex(sno.fromColumn(step.bytes('bytes'))) }),
  partition_format: (on, step) => step.compare({ text: sno.formatPartition(step.small('partition')) }),
  partition_parse: (on, step) => step.compare({ partition: sno.parsePartition(step.text('text')) }),
};

/** Handles of a thread are Rust's alone: a thread of Node has a generator of its own. */
const LEFT_OUT = new Set(['local_next']);
let leftOut = 0;

/* ---- cases -------------------------------------------------------------------------------------- */

/** Does it, and holds the error that it throws against the members of the step. */
function expecting(step, act) {
  const expected = {
    code: step.left.get('error'),
    class: step.left.get('class'),
    position: step.left.get('position'),
  };
  step.left.delete('error');
  step.left.delete('class');
  if (expected.code === undefined) return act();
  assert.ok(expected.class !== undefined, "it needs a member 'class' beside 'error'");
  step.left.delete('position');
  assert.throws(act, (error) => {
    assert.ok(error instanceof frazil.FrazilError, String(error.stack));
    assert.deepEqual({ code: error.code, class: error.class }, { code: expected.code, class: expected.class });
    if (expected.position !== undefined) assert.equal(error.position, Number(expected.position));
    return true;
  });
  return undefined;
}

function makeCall(subject, members) {
  const step = new Step(members);
  const name = step.text('call');
  if (LEFT_OUT.has(name)) {
    leftOut++;
    return;
  }
  assert.ok(Object.hasOwn(CALLS, name), `there is no call '${name}'`);
  const isError = step.left.has('error');
  expecting(step, () => CALLS[name](subject, step));
  step.finish();
  assert.ok(isError || step.compared > 0, 'nothing is expected of it');
}

function openSubject(subject, step) {
  // Closing ends in a thread, so each case has a folder and a host of its own.
  const folder = fs.mkdtempSync(path.join(scratch, 'case-'));
  process.env.FRAZIL_HOST_DIR = path.join(folder, 'host');
  const spec = (key) => step.text(key).replaceAll('SCRATCH', folder);
  if (step.left.has('layout')) {
    const text = step.text('layout');
    expecting(step, () => (subject.layout = frazil.layout(text)));
  }
  if (!step.left.has('spec')) return;
  if (step.left.has('beside')) subject.beside = frazil.open(spec('beside'));
  const text = spec('spec');
  if (step.left.has('clock_unix_ms')) subject.clock = new frazil.ManualClock(step.ms('clock_unix_ms'));
  expecting(step, () => {
    subject.generator = frazil.open({ spec: text, clock: subject.clock });
    subject.layout = subject.generator.layout;
  });
}

function runCase(members) {
  const { name, environment = {}, calls = [], ...rest } = members;
  assert.equal(typeof name, 'string');
  const subject = {};
  const step = new Step(rest);
  const isError = 'error' in rest;
  try {
    Object.assign(process.env, environment);
    openSubject(subject, step);
    for (const variable of Object.keys(environment)) delete process.env[variable];
    step.finish();
    assert.ok(isError || calls.length > 0, 'the case makes no call');
    calls.forEach((call, i) => {
      try {
        makeCall(subject, call);
      } catch (error) {
        error.message = `call ${i + 1}, ${call.call}: ${error.message}`;
        throw error;
      }
    });
  } finally {
    subject.generator?.close();
    subject.beside?.close();
  }
}

const lines = fs.readFileSync(process.env.TEST_CASES, 'utf8').split('\n').filter(Boolean);

test('there are cases', () => assert.ok(lines.length >= 300, `${lines.length} cases`));

for (const [i, line] of lines.entries()) {
  const members = JSON.parse(line);
  test(`case ${i + 1}: ${members.name}`, () => runCase(members));
}

test('only the calls of handles are left out', (t) => {
  const all = lines.flatMap((line) => JSON.parse(line).calls ?? []);
  assert.equal(leftOut, all.filter(({ call }) => call === 'local_next').length);
  t.diagnostic(`${lines.length} cases, ${all.length} calls, ${leftOut} of them left out`);
});

test('a runner that is given a slip notices it', () => {
  assert.throws(() => runCase({ name: 'no call' }), /makes no call/);
  assert.throws(() => runCase({ name: 'x', calls: [{ call: 'nosuch', id: '1' }] }), /there is no call/);
  const format = { call: 'format', id: '1', form: 'hex' };
  assert.throws(() => runCase({ name: 'x', calls: [format] }), /nothing is expected/);
  assert.throws(() => runCase({ name: 'x', calls: [{ ...format, text: '2' }] }), /text/);
  assert.throws(() => runCase({ name: 'x', calls: [{ ...format, text: '0000000000000001', slip: 1 }] }), /slip/);
  assert.throws(() => runCase({ name: 'x', calls: [{ ...format, error: 'FRAZIL_EPARSE', class: 'usage' }] }));
});
