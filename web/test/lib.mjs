// SPDX-License-Identifier: MIT
// What the tests share: the browser, a page that is watched, and the command.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

export const FILE = process.env.TEST_PAGE_FILE;
export const PAGE = pathToFileURL(FILE).href;
export const BIN = process.env.TEST_BIN;
export const SOURCES = process.env.TEST_SOURCES;
export const WIDTHS = [390, 768, 1280];
const PATIENCE_MS = 180_000;

/** Debian's browser; a sandbox of its own is not to be had in a container. */
export function launch() {
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((name) => fs.existsSync(name));
  assert.ok(executablePath, 'chromium is not installed');
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'], timeout: PATIENCE_MS });
}

/** Opens an address. What the page should not do is collected in `page.faults`: errors, violations, requests elsewhere. */
export async function visit(browser, address = PAGE, options = {}) {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.faults = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.faults.push(message.text());
  });
  page.on('pageerror', (error) => page.faults.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(address.split('#')[0].replace(/[^/]*$/, '')) && !url.startsWith('blob:')) page.faults.push(url);
  });
  await page.addInitScript(() => {
    window.addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective}`));
  });
  await page.goto(address);
  await page.waitForSelector('html[data-ready]');
  return page;
}

/** Closes the page, which must not have done what it should not. */
export async function leave(page) {
  await page.context().close();
  assert.deepEqual(page.faults, []);
}

/** What the command of this build prints: { status, out, err }. */
export function frazil(words, input) {
  const ran = spawnSync(path.join(BIN, 'frazil'), words, { input, encoding: 'utf8', maxBuffer: 1 << 26 });
  assert.equal(ran.error, undefined);
  return { status: ran.status, out: ran.stdout, err: ran.stderr };
}

export const frazilJson = (...words) => JSON.parse(frazil(words).out);

/** The rows of a golden vector, as objects. */
export function vectors(name) {
  const [head, ...rows] = fs
    .readFileSync(path.join(SOURCES, 'tests/vectors', name), 'utf8')
    .trim()
    .split('\n');
  const names = head.split('\t');
  return rows.map((row) => Object.fromEntries(row.split('\t').map((cell, i) => [names[i], cell])));
}

/** A list of terms and their descriptions, as [term, text]. */
export function factsOf(page, list) {
  return page.$$eval(`#${list} > dt`, (terms) =>
    terms.map((term) => [term.textContent, term.nextElementSibling.firstChild.textContent]),
  );
}

export function temporaryFolder() {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'frazil-page-'));
}

/** What is cut on the page: fields whose text is wider than they are, and what has to be scrolled sideways. */
export function cutOn(page) {
  return page.evaluate(() => {
    const ink = document.createElement('canvas').getContext('2d');
    const inputs = [...document.querySelectorAll('main input')].filter((input) => {
      const style = getComputedStyle(input);
      ink.font = `${style.fontSize} ${style.fontFamily}`;
      const room = input.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      return input.offsetParent !== null && ink.measureText(input.value || input.placeholder).width > room + 1;
    });
    const boxes = [...document.querySelectorAll('main table, main dl, main .picture, main section')].filter(
      (box) => box.offsetParent !== null && box.scrollWidth > box.clientWidth + 1,
    );
    return [...inputs, ...boxes].map((one) => one.id || one.className || one.closest('[id]').id);
  });
}
