// SPDX-License-Identifier: MIT
// The page that frazild serves: it shows the generators and their worker ids while they live.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { BIN, FILE, WIDTHS, cutOn, frazil, launch, temporaryFolder, visit } from './lib.mjs';

const frazild = path.join(BIN, 'frazild');
const skip = fs.existsSync(frazild) ? false : 'frazild is not built';

let browser;
let folder;
const children = [];

before(async () => {
  browser = await launch();
  folder = temporaryFolder();
});
after(async () => {
  await browser.close();
  for (const child of children) await end(child);
  fs.rmSync(folder, { recursive: true });
});

function run(program, ...words) {
  const env = {
    ...process.env,
    FRAZIL_RUN_DIR: `${folder}/run`,
    FRAZIL_STATE_DIR: `${folder}/state`,
    FRAZIL_HOST_DIR: `${folder}/host`,
  };
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env });
  children.push(child);
  return child;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Starts the daemon on a free port, and returns it with its address. */
async function startDaemon(configuration) {
  const file = path.join(folder, 'frazild.conf');
  fs.writeFileSync(file, configuration);
  const daemon = run(frazild, '-c', file);
  let log = '';
  for await (const part of daemon.stderr) {
    log += part;
    if (log.includes('is ready')) break;
  }
  const [, address] = log.match(/listening: http (\S+)/) ?? assert.fail(log);
  return { daemon, address: `http://${address}/` };
}

/** What the page shows of the generators under a name, such as "grant ends". */
const factOf = (page, name) =>
  page.evaluate((wanted) => {
    const term = [...document.querySelectorAll('#alive dt')].find((one) => one.textContent === wanted);
    return term.nextElementSibling.textContent;
  }, name);

const daemonKeys = `[daemon]\ndrain_delay=0s\npage=${FILE}\n[listen http]\naddress=127.0.0.1:0\n`;

test('three holders of 1,024 worker ids are seen, then the end of the daemon', { skip }, async () => {
  const pool = `file://${folder}/pool`;
  assert.equal(frazil(['lease', 'init', '--never-used', pool]).status, 0);
  for (let i = 0; i < 2; i++) {
    const holder = run(path.join(BIN, 'frazil'), 'next', '--forever', '--rate', '1', `worker=${pool}`);
    await once(holder.stdout, 'data');
    holder.stdout.resume();
  }
  const { daemon, address } = await startDaemon(`${daemonKeys}[generator main]\nworker=${pool}\n`);
  const page = await visit(browser, address);
  await page.waitForSelector('#alive .map');
  assert.equal(await page.textContent('main > section:first-child h2'), 'Generators');
  const ends = await page.evaluate(() => {
    const fact = [...document.querySelectorAll('#alive dt')].find((term) => term.textContent === 'grant ends');
    const mine = [...document.querySelectorAll('#alive tr')].find((row) => row.textContent.includes('mine'));
    return [fact.nextElementSibling.textContent, mine.lastChild.textContent];
  });
  assert.equal(ends[0], ends[1]);
  assert.equal(await page.locator('#alive .map > span').count(), 1024);
  assert.equal(await page.locator('#alive .map > .held').count(), 2);
  assert.equal(await page.locator('#alive .map > .mine').count(), 1);
  assert.match(await page.textContent('#alive-view'), /3 of 1024 worker ids are held/);
  await fetch(`${address}v1/generators/main/ids?n=500`, { headers: { 'X-Requested-With': 'test' } });
  await page.waitForFunction(() => /issued\s*500/.test(document.getElementById('alive-view').innerText));
  assert.deepEqual(page.faults, []);
  await end(daemon);
  await page.waitForSelector('#alive-wrong:not([hidden])');
  assert.match(await page.textContent('#alive-wrong'), /^frazild does not answer/);
  await page.context().close();
});

test('nothing of two generators is cut at any width', { skip }, async () => {
  const pool = `file://${folder}/wide`;
  assert.equal(frazil(['lease', 'init', '--never-used', pool]).status, 0);
  const generators = `[generator main]\nworker=${pool}\n[generator a-name-that-is-long-for-a-generator]\nworker=fixed:9\nlayout=twitter\n`;
  const { daemon, address } = await startDaemon(`${daemonKeys}${generators}`);
  for (const width of WIDTHS) {
    const page = await visit(browser, address, { viewport: { width, height: 900 } });
    await page.waitForSelector('#alive .map');
    for (const button of await page.locator('#alive button').all()) await button.click();
    await page.waitForFunction(() => document.querySelectorAll('#alive output a').length === 2);
    await page.evaluate(() => (document.getElementById('alive-form').hidden = false));
    assert.equal(await page.isVisible('nav a:text-is("Manual")'), false); // frazild serves none
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width, `${width}`);
    assert.deepEqual(await cutOn(page), [], `${width}`);
    assert.deepEqual(page.faults, []);
    await page.context().close();
  }
  await end(daemon);
});

test('leases that cannot be had for a moment are asked for again, and refused ones are not', { skip }, async () => {
  const pool = `file://${folder}/unsteady`;
  assert.equal(frazil(['lease', 'init', '--never-used', pool]).status, 0);
  const { daemon, address } = await startDaemon(`${daemonKeys}[generator main]\nworker=${pool}\n`);
  const page = await visit(browser, address);
  let refusals = 0;
  // The page asks for leases every ten seconds.
  const passTime = () =>
    page.evaluate(() => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + 10_000;
    });
  const askAgain = async (status, state) => {
    await page.unrouteAll();
    if (status !== 200)
      await page.route('**/v1/leases/main', (route) => {
        if (status === 403) refusals++;
        return route.fulfill({ status, json: { title: 'a test' } });
      });
    await passTime();
    await page.waitForSelector('#alive .map', { state });
  };
  await page.waitForSelector('#alive .map');
  await askAgain(503, 'detached');
  await askAgain(200, 'attached');
  await askAgain(403, 'detached');
  await passTime();
  for (let i = 0; i < 3; i++) await page.waitForRequest('**/v1/generators/main');
  assert.equal(refusals, 1);
  await page.context().close();
  await end(daemon);
});

test('a fault that lasts is not put on the page again each second', { skip }, async () => {
  const { daemon, address } = await startDaemon(`${daemonKeys}[generator main]\nworker=fixed:9\n`);
  const page = await visit(browser, address);
  await page.route('**/v1/generators', (route) => route.fulfill({ status: 503, json: { title: 'a test' } }));
  await page.waitForSelector('#alive-wrong:not([hidden])');
  await page.evaluate(() => {
    window.changes = 0;
    const observer = new MutationObserver((records) => (window.changes += records.length));
    observer.observe(document.getElementById('alive-wrong'), { attributes: true, childList: true });
  });
  for (let i = 0; i < 3; i++) await page.waitForResponse('**/v1/generators');
  assert.equal(await page.evaluate(() => window.changes), 0);
  await page.context().close();
  await end(daemon);
});

/** A user with a new token, and the section that gives it to the daemon. */
function makeUser(name, allow) {
  const secret = path.join(folder, `${name}.secret`);
  const made = spawnSync(frazild, ['--new-token'], { encoding: 'utf8' }).stdout;
  const [, token, line] = made.match(/client:\s*(\w+)[^]*secret_file:\s*(\w+)/);
  fs.writeFileSync(secret, `${line}\n`, { mode: 0o600 });
  return { token, section: `[user ${name}]\nsecret_file=${secret}\nallow=${allow}\n` };
}

test('a user with a token sees what the token allows', { skip }, async () => {
  const { token, section } = makeUser('looker', 'stats:*');
  const { daemon, address } = await startDaemon(`${daemonKeys}[generator main]\nworker=fixed:9\n${section}`);
  const page = await visit(browser, address);
  await page.waitForSelector('#alive-form:not([hidden])');
  await page.fill('#token', token);
  await page.waitForFunction(() => document.getElementById('alive-view').innerText.includes('serving'));
  await end(daemon);
  await page.context().close();
});

test('a generator whose statistics are refused hides no other, and is not asked for again', { skip }, async () => {
  const { token, section } = makeUser('taker', 'stats:main next:other');
  const generators = '[generator main]\nworker=fixed:9\n[generator other]\nworker=fixed:10\n';
  const { daemon, address } = await startDaemon(`${daemonKeys}${generators}${section}`);
  const page = await visit(browser, address);
  let refusals = 0;
  page.on('response', (answer) => (refusals += answer.status() === 403 ? 1 : 0));
  await page.waitForSelector('#alive-form:not([hidden])');
  await page.fill('#token', token);
  await page.waitForSelector('#alive h3:text-is("other")');
  const lists = await page.$$eval('#alive-view dl', (all) => all.map((list) => list.textContent));
  assert.match(lists[0], /serving.*issued/);
  assert.match(lists[1], /serving/);
  assert.doesNotMatch(lists[1], /issued/);
  assert.equal(await page.isVisible('#alive-wrong'), false);
  for (let i = 0; i < 3; i++) await page.waitForRequest('**/v1/generators/main');
  assert.equal(refusals, 1);
  await page.context().close();
  await end(daemon);
});

test('a button takes an id, and a generator without a coordinator is asked for no leases', { skip }, async () => {
  const { daemon, address } = await startDaemon(`${daemonKeys}[generator main]\nworker=fixed:9\n`);
  const page = await visit(browser, address);
  await page.click('#alive button:text-is("Take an id")');
  const id = await page.textContent('#alive output a');
  assert.match(id, /^[0-9]{17,19}$/);
  await page.waitForFunction(() => /issued\s*1/.test(document.getElementById('alive-view').innerText));
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Take an id');
  await page.click('#alive output a');
  await page.waitForFunction((shown) => document.getElementById('id').value === shown, id);
  assert.match(await page.textContent('#id-facts'), /worker9/);
  assert.deepEqual(page.faults, []);
  await end(daemon);
  await page.context().close();
});

test('a generator that is made anew gives no ids below 0 a second, and its ids have its layout', { skip }, async () => {
  const { daemon, address } = await startDaemon(`${daemonKeys}[generator main]\nworker=fixed:9\n`);
  const page = await visit(browser, address);
  await page.waitForSelector('#alive button:text-is("Take an id")');
  const headers = { 'X-Requested-With': 'test' };
  const json = await (await fetch(`${address}v1/generators/main`, { headers })).json();
  json.stats.issued = 1_000_000;
  json.fingerprint = 'twitter';
  await page.route('**/v1/generators/main', (route) => {
    json.stats.issued -= 1000;
    return route.fulfill({ json });
  });
  for (let i = 0; i < 4; i++) await page.waitForResponse('**/v1/generators/main');
  assert.equal(await factOf(page, 'layout'), 'twitter');
  assert.equal(await factOf(page, 'ids a second'), '0');
  await page.click('#alive button:text-is("Take an id")');
  assert.match(await page.getAttribute('#alive output a', 'href'), /&layout=twitter$/);
  await page.context().close();
  await end(daemon);
});

test('a client that is no browser gets lines of text', { skip }, async () => {
  const { daemon, address } = await startDaemon(`${daemonKeys}[generator main]\nworker=fixed:9\n`);
  const text = await fetch(address);
  assert.match(text.headers.get('content-type'), /^text\/plain/);
  const html = await fetch(address, { headers: { Accept: 'text/html,*/*;q=0.8' } });
  assert.match(html.headers.get('content-type'), /^text\/html/);
  assert.equal(await html.text(), fs.readFileSync(FILE, 'utf8'));
  await end(daemon);
});

test(
  'all worker ids of a generator are its own, but for one that another holder has taken since',
  { skip },
  async () => {
    const pool = `file://${folder}/several`;
    assert.equal(frazil(['lease', 'init', '--never-used', pool]).status, 0);
    const { daemon, address } = await startDaemon(`${daemonKeys}[generator main]\nworker=${pool}\nworker_ids=3\n`);
    const headers = { 'X-Requested-With': 'test' };
    const page = await visit(browser, address);
    await page.waitForSelector('#alive .map');
    assert.equal(await page.locator('#alive .map > .mine').count(), 3);
    const { workers } = await (await fetch(`${address}v1/generators/main`, { headers })).json();
    assert.equal(await factOf(page, 'workers'), workers.map(({ worker }) => worker).join(', '));
    await page.route('**/v1/leases/main', async (route) => {
      const answer = await route.fetch();
      const json = await answer.json();
      json.leases.find(({ worker }) => worker === workers[1].worker).until_unix_ms += 600_000;
      return route.fulfill({ json });
    });
    await page.dispatchEvent('#token', 'input'); // as if another token were typed: leases are asked for again
    await page.waitForSelector('#alive .map > .held');
    assert.equal(await page.locator('#alive .map > .mine').count(), 2);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.context().close();
    await end(daemon);
  },
);

test("grants end by the daemon's clock, where the browser's is wrong", { skip }, async () => {
  const pool = `file://${folder}/clock`;
  assert.equal(frazil(['lease', 'init', '--never-used', pool]).status, 0);
  const { daemon, address } = await startDaemon(`${daemonKeys}[generator main]\nworker=${pool}\n`);
  const page = await visit(browser, address);
  await page.waitForSelector('#alive .map');
  for (const hours of [1, -2]) {
    await page.evaluate((shift) => {
      const now = Date.now.bind(Date);
      Date.now = () => now() + shift;
    }, hours * 3_600_000);
    for (let i = 0; i < 3; i++) await page.waitForResponse('**/v1/generators/main');
    const [, seconds] = (await factOf(page, 'grant ends')).match(/^in (\d+) s$/);
    assert.ok(seconds < 70, seconds);
  }
  await page.context().close();
  await end(daemon);
});

test('a daemon that falls silent is said to, and asked again', { skip }, async () => {
  const { daemon, address } = await startDaemon(`${daemonKeys}[generator main]\nworker=fixed:9\n`);
  const page = await visit(browser, address);
  await page.waitForSelector('#alive h3');
  await page.evaluate(() => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (ms) => timeout(ms / 100);
  });
  await page.route('**/v1/generators', () => {}); // never answers
  await page.waitForSelector('#alive-wrong:not([hidden])');
  assert.equal(await page.textContent('#alive-wrong'), 'frazild does not answer this: no answer within 15 s');
  await page.unrouteAll();
  await page.waitForSelector('#alive-wrong[hidden]', { state: 'attached' });
  await page.context().close();
  await end(daemon);
});

test('a server that is not frazild is asked once, and shows the page without generators', async () => {
  for (const [status, type, body] of [
    [404, 'text/html', 'none'],
    [200, 'text/html', '<title>any path</title>'],
    [404, 'application/json', '{"error":"none"}'],
    [200, 'application/json', '{}'],
  ]) {
    let asked = 0;
    const server = http.createServer((request, answer) => {
      const isPage = request.url === '/';
      if (request.url === '/v1/generators') asked++;
      answer.writeHead(isPage ? 200 : status, { 'Content-Type': isPage ? 'text/html' : type });
      answer.end(isPage ? fs.readFileSync(FILE) : body);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const page = await visit(browser, `http://127.0.0.1:${server.address().port}/`);
    await page.waitForSelector('#alive', { state: 'hidden' });
    assert.equal(await page.isVisible('#alive-link'), false);
    await page.waitForTimeout(2500); // it would ask each second
    assert.equal(asked, 1, `${status} ${type}`);
    await page.context().close();
    server.closeAllConnections();
    server.close();
  }
});
