// SPDX-License-Identifier: MIT
// The page from a disk: what it says is what the command says.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, describe, test } from 'node:test';
import zlib from 'node:zlib';
import { FILE, PAGE, WIDTHS, cutOn, factsOf, frazil, frazilJson, launch, leave, vectors, visit } from './lib.mjs';

const WEIGHT_MOST = 68 * 1024; // with gzip, as a server sends it

let browser;

before(async () => (browser = await launch()));
after(() => browser.close());

/** All ids of the golden vectors, with the layouts that they are of. */
function vectorIds() {
  const flake = vectors('flake.tsv').map((row) => ({ id: row.decimal, layout: `flake epoch=${row.epoch_ms}` }));
  const konayuki = vectors('konayuki.tsv').map((row) => ({
    id: row.id,
    layout: `${row.time_bits}/${row.worker_bits}/${row.seq_bits} epoch=${row.epoch_ms}`,
  }));
  const known = vectors('public.tsv').map(({ id, layout }) => ({ id, layout }));
  const texts = vectors('text.tsv').map(({ id }) => ({ id, layout: 'discord' }));
  const snos = vectors('sno.tsv').map(({ text }) => ({ id: text, layout: 'sno' }));
  return [...flake, ...konayuki, ...known, ...texts, ...snos];
}

/** Types an id into the page, and reads what it shows: all in one step, as there are thousands. */
function look(page, asked) {
  return page.evaluate((rows) => {
    const $ = (name) => document.getElementById(name);
    return rows.map(({ id, layout, form }) => {
      $('id').value = id;
      $('id-layout').value = layout ?? '';
      $('form').value = form ?? '';
      $('id').dispatchEvent(new Event('input', { bubbles: true }));
      if (!$('id-wrong').hidden) return { wrong: $('id-wrong').textContent };
      const facts = (list) =>
        Object.fromEntries(
          [...$(list).querySelectorAll(':scope > dt')].map((term) => [
            term.textContent,
            term.nextElementSibling.firstChild.textContent,
          ]),
        );
      const bits = [...document.querySelectorAll('#id-picture .bit')].map((bit) => bit.textContent).join('');
      return { facts: facts('id-facts'), forms: facts('id-forms'), bits };
    });
  }, asked);
}

describe('an id', () => {
  test('each golden vector is shown as the command prints it', async () => {
    const page = await visit(browser);
    const asked = vectorIds();
    assert.ok(asked.length > 500);
    const shown = await look(page, asked);
    const layouts = [...new Set(asked.map(({ layout }) => layout))];
    for (const layout of layouts) {
      const of = asked.flatMap((row, i) => (row.layout === layout ? [i] : []));
      const ids = of.map((i) => asked[i].id);
      const { out, err } = frazil(['inspect', '--json', '--forms', '--layout', layout], `${ids.join('\n')}\n`);
      assert.equal(err, '');
      const printed = out.trim().split('\n').map(JSON.parse);
      of.forEach((at, i) => {
        const { facts, forms, bits } = shown[at];
        const label = `${asked[at].id} of ${layout}`;
        assert.deepEqual(forms, printed[i].forms, label);
        assert.equal(facts.unix_ms, String(printed[i].unix_ms), label);
        assert.equal(facts.sequence, String(printed[i].sequence), label);
        assert.ok(facts.time.startsWith(printed[i].time), label);
        assert.equal(facts.worker?.split(' ')[0], printed[i].worker === undefined ? undefined : `${printed[i].worker}`);
        const number = printed[i].id ?? `0x${printed[i].hex}`;
        assert.equal(BigInt(`0b${bits}`), BigInt(number), label);
      });
    }
    await leave(page);
  });

  test('the layouts are ranked as inspect --guess ranks them', async () => {
    const page = await visit(browser, `${PAGE}#id=175928847299117063`);
    const { guesses } = frazilJson('inspect', '--guess', '--json', '175928847299117063');
    const rows = await page.$$eval('#id-guesses tr', (lines) =>
      lines.map((line) => [...line.cells].map((cell) => cell.textContent)),
    );
    assert.deepEqual(
      rows,
      guesses.map((guess) => [guess.layout, String(guess.score), guess.time ?? '\u2013', guess.reason]),
    );
    assert.equal((await factsOf(page, 'id-facts')).find(([name]) => name === 'layout')[1], guesses[0].layout);
    await page.click('#id-guesses button:text-is("discord")');
    assert.equal((await factsOf(page, 'id-facts')).find(([name]) => name === 'layout')[1], 'discord');
    await leave(page);
  });

  test('what the command refuses is refused in its words, and nothing of the last id stays', async () => {
    const page = await visit(browser);
    const wrong = [
      { id: 'what is this', layout: '' },
      { id: '99999999999999999999', layout: 'frazil' },
      { id: '5', layout: 'no-such-layout' },
      { id: 'abc', layout: 'twitter' },
      { id: '18446744073709551615', layout: 'js53' },
    ];
    const shown = await look(page, [{ id: '5', layout: 'frazil' }, ...wrong]);
    assert.equal(shown[0].facts.sequence, '5');
    wrong.forEach(({ id, layout }, i) => {
      const words = layout === '' ? ['--guess', '--json'] : ['--json', '--layout', layout];
      const { err } = frazil(['inspect', ...words, '--', id]);
      assert.notEqual(err, '');
      assert.equal(
        shown[i + 1].wrong,
        err
          .replace(/^frazil: /, '')
          .replace(/; give a file .*/, '')
          .trim(),
      );
    });
    assert.equal(await page.isVisible('#id-view'), false);
    assert.equal(await page.isVisible('#id-wrong'), true);
    await leave(page);
  });

  test('an example is shown by a click, a UUID is named, and a word is doubted', async () => {
    const page = await visit(browser);
    await page.click('#examples a:text-is("a tweet")');
    await page.waitForSelector('#id-view:not([hidden])');
    assert.match(await page.textContent('#id-headline'), /^2022-06-28T16:07:40.105Z/);
    assert.equal(await page.isVisible('#id-doubt'), false);
    await page.click('#examples a:text-is("a UUID")');
    await page.waitForSelector('#id-wrong:not([hidden])');
    assert.match(await page.textContent('#id-wrong'), /it is a UUID of version 7, made at 2022-02-22T19:22:22.000Z/);
    await page.fill('#id', 'hello');
    assert.match(await page.textContent('#id-doubt'), /^Hardly an id: read as base36/);
    await page.fill('#id', 'a b');
    assert.doesNotMatch(await page.textContent('#id-wrong'), /standard input/);
    await leave(page);
  });

  test('one that is longer than the memory that the command begins with is refused as well', async () => {
    const page = await visit(browser);
    const [shown] = await look(page, [{ id: '1'.repeat(400000), layout: 'frazil' }]);
    assert.match(shown.wrong, /above 2\^64 - 1/);
    await leave(page);
  });

  test('it stands in the address, and an address brings it', async () => {
    const page = await visit(browser, `${PAGE}#id=1541815603606036480&layout=twitter`);
    assert.equal(await page.inputValue('#id-layout'), 'twitter');
    assert.equal((await factsOf(page, 'id-facts')).find(([name]) => name === 'datacenter')[1], '11');
    await page.fill('#id', '1541815603606036481');
    assert.equal(
      await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get('id')),
      '1541815603606036481',
    );
    await page.evaluate(() => (location.hash = '#id=a222222222222222'));
    await page.waitForFunction(() => document.getElementById('id').value === 'a222222222222222');
    assert.equal((await factsOf(page, 'id-facts')).find(([name]) => name === 'layout')[1], 'sno');
    assert.equal(await page.$$eval('#id-picture .bit', (all) => all.length), 80);
    await leave(page);
  });

  test('an example is shown again after the field was emptied', async () => {
    const page = await visit(browser);
    for (let i = 0; i < 2; i++) {
      await page.click('#examples a:text-is("a tweet")');
      await page.waitForSelector('#id-view:not([hidden])');
      await page.fill('#id', '');
      assert.equal(await page.isVisible('#id-view'), false);
      assert.equal(await page.evaluate(() => location.hash), '');
    }
    await leave(page);
  });

  test('neighbours are links to themselves', async () => {
    const page = await visit(browser, `${PAGE}#id=1541815603606036480&layout=twitter`);
    await page.click('#id-facts a:text-is("1541815603606036481")');
    await page.waitForFunction(() => document.getElementById('id').value === '1541815603606036481');
    assert.equal((await factsOf(page, 'id-facts')).find(([name]) => name === 'layout')[1], 'twitter');
    await leave(page);
  });

  test('a neighbour is an id of the layout', async () => {
    const page = await visit(browser);
    const ends = {
      frazil: ['1', '9223372036854775806'],
      flake: ['1', '18446744073709551614'],
      js53: ['1', '9007199254740990'],
    };
    for (const [layout, [first, last]] of Object.entries(ends)) {
      for (const [id, neighbour] of [
        ['0', first],
        [String(BigInt(last) + 1n), last],
      ]) {
        await page.fill('#id-layout', layout);
        await page.fill('#id', id);
        assert.deepEqual(await page.$$eval('#id-facts a', (all) => all.map((link) => link.textContent)), [neighbour]);
      }
    }
    await leave(page);
  });

  test('a copy button copies the form beside it', async () => {
    const page = await visit(browser, `${PAGE}#id=1541815603606036480&layout=twitter`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const copied = page.waitForSelector('button:text-is("Copied")'); // it says so for two seconds
    await page.click('button[aria-label="Copy crockford"]');
    await copied;
    const { out } = frazil(['convert', '--to', 'crockford', '1541815603606036480']);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), out.trim());
    await leave(page);
  });
});

/** The facts of the planned layout, and the spec to copy. */
async function planOf(page) {
  const facts = Object.fromEntries(await factsOf(page, 'plan-facts'));
  return { facts, spec: await page.textContent('#plan-spec') };
}

/** What the page must say of a layout, out of the command's JSON. */
async function assertPlan(page, text) {
  const layout = frazilJson('layout', '--json', text);
  const { facts, spec } = await planOf(page);
  assert.equal(spec, `layout='${layout.fingerprint}'`);
  assert.ok(facts['last instant'].startsWith(layout.last));
  assert.equal(facts.workers.split(' ')[0], String(layout.workers));
  assert.equal(facts['ids a second'].split(' ')[0], String(layout.ids_per_second));
  assert.equal(facts['53 bits'].startsWith('every id is exact'), layout.fits_53_bits);
  assert.equal(facts['sign bit'] === 'never reached', layout.sign_bit_from === undefined);
}

describe('a layout', () => {
  test('each preset, as the command describes it', async () => {
    const page = await visit(browser);
    const names = await page.$$eval('#preset option', (all) =>
      all.map((one) => one.value).filter((name) => name !== ''),
    );
    assert.ok(names.length >= 10);
    for (const name of names) {
      await page.selectOption('#preset', name);
      await assertPlan(page, name);
    }
    await leave(page);
  });

  test('the bar has the fields as they lie, also a datacenter where the sequence comes first', async () => {
    const page = await visit(browser);
    await page.selectOption('#preset', 'sonyflake');
    await page.fill('#worker-bits', '12');
    await page.fill('#datacenter-bits', '4');
    const { fields } = frazilJson('layout', '--json', '39/8s/4+12w epoch=2014-09-01 tick=10ms');
    const drawn = await page.$$eval('#plan-bar .field b', (all) => all.map((one) => one.textContent));
    assert.deepEqual(
      drawn,
      fields.map(({ name }) => name),
    );
    await leave(page);
  });

  test('a border that is dragged moves bits, and so do the arrow keys', async () => {
    const page = await visit(browser);
    const box = await page.locator('#plan-bar').boundingBox();
    const border = await page.locator('[data-border="time-worker"]').boundingBox();
    const bit = box.width / 64;
    const y = border.y + border.height / 2;
    await page.mouse.move(border.x + border.width / 2, y);
    await page.mouse.down();
    await page.mouse.move(border.x + border.width / 2 - 2.5 * bit, y, { steps: 10 });
    await page.mouse.up();
    assert.equal(await page.inputValue('#time-bits'), '39');
    await assertPlan(page, '39/12/12 epoch=2026-01-01');
    await page.focus('[data-border="worker-sequence"]');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowRight');
    await assertPlan(page, '39/11/13 epoch=2026-01-01');
    assert.equal(await page.inputValue('#preset'), '');
    await leave(page);
  });

  test('a finger drags as well', async () => {
    const page = await visit(browser, PAGE, { hasTouch: true, viewport: { width: 390, height: 800 } });
    await page.locator('#plan-bar').scrollIntoViewIfNeeded();
    const box = await page.locator('#plan-bar').boundingBox();
    const border = await page.locator('[data-border="worker-sequence"]').boundingBox();
    const from = { x: border.x + border.width / 2, y: border.y + border.height / 2 };
    const session = await page.context().newCDPSession(page);
    const touch = (type, x) =>
      session.send('Input.dispatchTouchEvent', { type, touchPoints: x === null ? [] : [{ x, y: from.y }] });
    await touch('touchStart', from.x);
    for (let step = 1; step <= 10; step++) await touch('touchMove', from.x + (step * 3.5 * box.width) / 64 / 10);
    await touch('touchEnd', null);
    await assertPlan(page, '41/13/9 epoch=2026-01-01');
    await leave(page);
  });

  test('a layout that ends soon, one that is wrong, hosts that collide, a move', async () => {
    const page = await visit(browser);
    await page.fill('#time-bits', '35');
    const soon = (await planOf(page)).facts['last instant'];
    assert.match(soon, /generators refuse it without allow_short_life=yes/);
    await page.fill('#hosts', '20');
    await page.fill('#before', 'twitter');
    const { facts } = await planOf(page);
    const { out } = frazil(['worker', '--expect', '20', '--max', '1024']);
    assert.ok(facts.collision.startsWith(out.trim()));
    assert.match(facts.moving, /^Not safe: moving from twitter to 35\/10\/12 /);
    await page.fill('#time-bits', '60');
    assert.equal(await page.isVisible('#plan-view'), false);
    const { err } = frazil(['layout', '60/10/12 epoch=2026-01-01T00:00:00.000Z tick=1ms']);
    assert.equal(await page.textContent('#plan-wrong'), err.replace(/^frazil: /, '').trim());
    await page.fill('#time-bits', '41');
    assert.equal(await page.isVisible('#plan-view'), true);
    await leave(page);
  });
});

test('a time range is the one of the command', async () => {
  const page = await visit(browser);
  await page.fill('#from', '2022-06-28');
  await page.fill('#to', '2022-06-28T23:59:59.999Z');
  await page.fill('#range-layout', 'twitter');
  const { first, last } = frazilJson(
    'range',
    '--json',
    '--layout',
    'twitter',
    '2022-06-28',
    '2022-06-28T23:59:59.999Z',
  );
  assert.equal(await page.textContent('#range-sql'), `WHERE id BETWEEN ${first} AND ${last}`);
  await page.fill('#to', 'tomorrow');
  const { err } = frazil(['range', '--', '2022-06-28', 'tomorrow']);
  assert.equal(await page.textContent('#range-wrong'), err.replace(/^frazil: /, '').trim());
  await leave(page);
});

describe('the page itself', () => {
  test('is light', () => {
    const weight = zlib.gzipSync(fs.readFileSync(FILE), { level: 9 }).length;
    console.log(`${weight} bytes with gzip`);
    assert.ok(weight <= WEIGHT_MOST);
  });

  test('allows no script and no style but its own', async () => {
    const page = await visit(browser);
    const policy = await page.getAttribute('meta[http-equiv="Content-Security-Policy"]', 'content');
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|https?:|\*/);
    await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'document.title = "mine"';
      document.body.append(script);
    });
    assert.notEqual(await page.title(), 'mine');
    assert.equal(page.faults.filter((fault) => fault.includes('Content Security Policy')).length > 0, true);
    await page.context().close();
  });

  test('text of strangers stays text', async () => {
    const page = await visit(browser, `${PAGE}#id=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&layout=%3Cb%3E`);
    assert.equal(await page.locator('main img, main #id-wrong b').count(), 0);
    assert.equal(await page.isVisible('#id-wrong'), true);
    await leave(page);
  });

  for (const width of WIDTHS) {
    for (const colorScheme of ['light', 'dark']) {
      test(`is not wider than ${width} px and accessible, ${colorScheme}`, async () => {
        const options = { viewport: { width, height: 900 }, colorScheme };
        const page = await visit(browser, `${PAGE}#id=1541815603606036480&layout=twitter`, options);
        assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
        const axe = fs.readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
        await page.evaluate(axe);
        const found = await page.evaluate(() => window.axe.run());
        assert.deepEqual(
          found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`),
          [],
        );
        await page.context().close();
      });
    }
  }

  for (const width of WIDTHS) {
    test(`nothing is cut, and bits keep their proportion, at ${width} px`, async () => {
      const page = await visit(browser, `${PAGE}#id=1541815603606036480`, { viewport: { width, height: 900 } });
      assert.deepEqual(await cutOn(page), []);
      const bits = await page.$$eval('#id-picture .bit', (all) => all.map((bit) => bit.getBoundingClientRect()));
      assert.equal(bits.length, 64);
      assert.equal(new Set(bits.map(({ top }) => Math.round(top))).size, 1);
      const widths = bits.map((bit) => bit.width);
      assert.ok(Math.max(...widths) - Math.min(...widths) < 1, `${Math.min(...widths)} to ${Math.max(...widths)}`);
      await leave(page);
    });
  }

  test('leads to the manual that lies beside it', { skip: process.env.MANUAL_FOLDER === undefined }, async () => {
    const page = await visit(browser);
    await page.click('nav a:text-is("Manual")');
    await page.waitForURL(/manual\/index\.html$/);
    assert.equal(await page.textContent('h1'), 'frazil');
    await leave(page);
  });

  test('a layout that is chosen by keyboard keeps the focus', async () => {
    const page = await visit(browser, `${PAGE}#id=175928847299117063`);
    await page.focus('#id-guesses button:text-is("discord")');
    await page.keyboard.press('Enter');
    assert.equal((await factsOf(page, 'id-facts')).find(([name]) => name === 'layout')[1], 'discord');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'discord');
    await leave(page);
  });

  test('works by keyboard alone', async () => {
    const page = await visit(browser);
    const seen = new Set();
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab');
      seen.add(await page.evaluate(() => document.activeElement.id || document.activeElement.dataset.border));
    }
    for (const name of [
      'id',
      'id-layout',
      'form',
      'preset',
      'time-bits',
      'time-worker',
      'from',
      'to',
      'range-layout',
    ]) {
      assert.ok(seen.has(name), name);
    }
    await leave(page);
  });
});
