// SPDX-License-Identifier: MIT
// Goal of this test: the manual from a disk. Nothing is cut at three widths, in light and dark; its search finds whole words and
// puts guides first; and its keys do what it says.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { WIDTHS, launch } from './lib.mjs';

const MANUAL = process.env.MANUAL_FOLDER;
const PAGES = [
  'index',
  'contents',
  'start',
  'worker-ids',
  'ERRORS',
  'performance',
  'databases',
  'frazil.spec.5',
  'DESIGN',
];

const addressOf = (name) => pathToFileURL(path.join(MANUAL, `${name}.html`)).href;

describe('the manual', { skip: MANUAL === undefined && 'it was not built: pandoc and mandoc are missing' }, () => {
  let browser, page;

  before(async () => {
    browser = await launch();
    page = await browser.newPage();
    page.faults = [];
    page.on('console', (message) => page.faults.push(message.text()));
    page.on('pageerror', (error) => page.faults.push(error.message));
    page.on('requestfailed', (request) => page.faults.push(request.url()));
  });
  after(async () => {
    await browser.close();
    assert.deepEqual(page.faults, []);
  });

  /** The titles of what the search finds for some words, the best first. */
  async function found(words) {
    await page.fill('#search input', words);
    return page.$$eval('#results a', (links) =>
      links.map((link) => link.textContent.split(link.lastChild.textContent)[0]),
    );
  }

  test('nothing is cut at three widths, in light and dark', async () => {
    for (const name of PAGES) {
      await page.goto(addressOf(name));
      for (const width of WIDTHS) {
        for (const colorScheme of ['light', 'dark']) {
          await page.emulateMedia({ colorScheme });
          await page.setViewportSize({ width, height: 800 });
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          assert.ok(wide <= 0, `${name} at ${width}: ${wide} pixels too wide`);
        }
      }
    }
  });

  test('the sidebar has groups, the manual pages, and the page that is shown', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(addressOf('frazil_open.3'));
    const groups = await page.$$eval('nav .group', (list) => list.map((group) => group.textContent.trim()));
    assert.deepEqual(groups, ['Learn', 'Run', 'Languages and databases', 'Reference', 'Internals']);
    assert.equal(await page.textContent('nav [aria-current]'), 'frazil_open(3)');
    assert.equal(await page.isVisible('nav [aria-current]'), true);
  });

  test('the search puts guides first, and finds whole words', async () => {
    await page.goto(addressOf('index'));
    await page.keyboard.press('/');
    const best = {
      kubernetes: 'Deployment recipes',
      python: 'frazil for Python',
      laravel: 'Laravel, in a new project',
      'multi region': 'Choose your worker id',
      license: 'Questions › Who maintains it, and for how long?',
    };
    for (const [words, title] of Object.entries(best)) assert.equal((await found(words))[0], title, words);
    assert.match((await found('frazil_open'))[0], /^frazil_open\(3\)/);
    const marked = async () =>
      page.$$eval('#results mark', (marks) => marks.map((mark) => mark.textContent.toLowerCase()));
    assert.ok((await found('tsid')).length > 0);
    for (const word of await marked()) assert.match(word, /^tsid/);
    assert.deepEqual(await found('utsid'), []);
  });

  test('a word that all objects of JavaScript know is found as any other', async () => {
    await page.goto(addressOf('index'));
    await page.evaluate("manualIndex.push(['index.html', 'Classes', 'Making one', 'by its constructor', 'Learn', ''])");
    await page.keyboard.press('/');
    assert.deepEqual(await found('constructor'), ['Classes › Making one']);
  });

  test('keys: a slash opens the search, arrows choose, Enter goes there, Escape closes it', async () => {
    await page.goto(addressOf('start'));
    await page.keyboard.press('/');
    await page.keyboard.type('guarantees');
    await page.keyboard.press('ArrowDown');
    const second = await page.getAttribute('#results [aria-selected=true] a', 'href');
    assert.equal(
      await page.$$eval('#results li', (items) => items.findIndex((item) => item.ariaSelected === 'true')),
      1,
    );
    await page.keyboard.press('Escape');
    assert.equal(await page.isVisible('#search'), false);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/${second}`);
  });

  test('a table that is folded opens for its address', async () => {
    await page.goto(addressOf('performance'));
    const place = await page.getAttribute('main details h3', 'id');
    assert.equal(await page.isVisible('main details .scroll'), false);
    await page.goto(`${addressOf('performance')}#${place}`);
    assert.equal(await page.isVisible('main details .scroll'), true);
  });

  test('an address that is cut within an escape shows its page as any other does', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto('about:blank');
    await page.goto(`${addressOf('performance')}#%E2%82`);
    assert.equal(await page.$eval('.toc', (contents) => contents.open), true);
  });
});
