// SPDX-License-Identifier: MIT

/**
 * Goal of this test: frazil/browser answers in a real browser as the addon does. The calls are those of the other tests, with all
 * cases and golden values; the page has the Content-Security-Policy of the README.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { chromium } from 'playwright-core';

const here = path.dirname(fileURLToPath(import.meta.url));
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'frazil-chromium-'));
const record = path.join(scratch, 'calls');
const read = (...names) => fs.readFileSync(path.join(here, ...names), 'utf8');
const FORGED = '{"of":"frazil","layout":null,"name":"parse","given":["1"],"outcome":"2"}';

const served = {
  '/': ['text/html', () => '<!doctype html><script type="module" src="page.mjs"></script>'],
  '/page.mjs': ['text/javascript', () => read('lib', 'page.mjs')],
  '/outcome.mjs': ['text/javascript', () => read('lib', 'outcome.js').replace('module.exports =', 'export')],
  '/browser.mjs': ['text/javascript', () => read('node_modules', 'frazil', 'browser.mjs')],
  '/calls': ['text/plain', () => fs.readFileSync(record, 'utf8')],
  '/forged': ['text/plain', () => FORGED],
};
const POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

const server = http.createServer((request, response) => {
  const [type, body] = served[request.url] ?? ['text/plain', () => ''];
  response.writeHead(request.url in served ? 200 : 404, { 'Content-Type': type, 'Content-Security-Policy': POLICY });
  response.end(body());
});
let browser;
let page;

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((name) => fs.existsSync(name));
  assert.ok(executablePath, 'chromium is not installed');
  // Neither a sandbox of its own, which is not to be had in a container, nor a sanitizer's libraries.
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  browser = await chromium.launch({ executablePath, args, env: { ...process.env, LD_PRELOAD: '' }, timeout: 300_000 });
  page = await browser.newPage();
  page.setDefaultTimeout(180_000);
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction('globalThis.differences !== undefined');
});

after(async () => {
  await browser?.close();
  server.close();
  fs.rmSync(scratch, { recursive: true });
});

test('all cases, golden values and errors have the outcome of the addon', async (t) => {
  const env = { ...process.env, RECORD: record };
  delete env.NODE_TEST_CONTEXT; // else they write what is no text
  for (const name of ['conformance.test.js', 'vectors.test.js', 'browser.test.mjs']) {
    const words = ['--require', './lib/recorder.js', name];
    execFileSync(process.execPath, words, { cwd: here, env, maxBuffer: 1 << 26 });
  }
  const { made, different, names, version } = await page.evaluate("globalThis.differences('/calls')");
  assert.deepEqual(different, []);
  assert.equal(version, JSON.parse(read('node_modules', 'frazil', 'package.json')).version);
  const calls = fs.readFileSync(record, 'utf8');
  for (const name of names.filter((word) => /^[a-z]/.test(word) && !['version', 'textForms', 'sno'].includes(word))) {
    assert.ok(calls.includes(`"name":"${name}"`), `${name} was never called`);
  }
  assert.ok(made >= 2000, `${made} calls`);
  t.diagnostic(`${made} calls in Chromium ${browser.version()}`);
});

test('another outcome is noticed', async () => {
  const { different } = await page.evaluate("globalThis.differences('/forged')");
  assert.equal(different.length, 1);
});
