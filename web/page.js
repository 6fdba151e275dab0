// SPDX-License-Identifier: MIT

/**
 * The page. Every fact comes from the command (command.js): what it prints is shown, and what it refuses is shown as it
 * says so. Here is only how that is drawn.
 */

/* global makeCommand, readModule, FORMS, WASM */

const SECOND_MS = 1000;
const LEASES_EVERY_MS = 10 * SECOND_MS; // the coordinator is asked for them
const LOOK_MOST_MS = 15 * SECOND_MS; // then a look at frazild has failed, which says so itself after 10 s
const CELLS_MOST = 4096; // of a map of worker ids
const DOUBTFUL_SCORE = 20; // a reading that scores less is hardly an id
const LOCAL_TIME = { dateStyle: 'medium', timeStyle: 'long' };
const ROWS_MOST = 100; // of leases in words

const $ = (name) => document.getElementById(name);
const frazil = await makeCommand(await readModule(WASM));

// ---- small things ----------------------------------------------------------------------------------------

/** What the command refused, in its words. */
class Refusal extends Error {}

/** What the command prints; exit status 1 beside output is an answer too. */
function ask(...words) {
  const { status, out, err } = frazil(...words);
  if (status !== 0 && out === '') throw new Refusal(err.replace(/^frazil: /, '').trim());
  return out;
}

const askJson = (...words) => JSON.parse(ask(...words));

/** The lines "name   value" of the command's text, up to an empty line. */
function rowsOf(text) {
  return text
    .split('\n\n')[0]
    .split('\n')
    .map((line) => line.match(/^(\S+(?: \S+)*) {2,}(.*)$/))
    .filter((match) => match !== null)
    .map(([, name, value]) => [name, value]);
}

/** An element with attributes and children; text is text, never HTML. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function showFacts(list, rows) {
  list.replaceChildren(
    ...rows.flatMap(([term, ...values]) => [element('dt', {}, term), element('dd', {}, ...values.map(String))]),
  );
}

/** Runs show, which draws the part of that name and says whether there is anything to see; shows a refusal in its place. */
function attempt(name, show) {
  const wrong = $(`${name}-wrong`);
  let shown = false;
  wrong.hidden = true;
  try {
    shown = show();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    wrong.textContent = error.message;
    wrong.hidden = false;
  }
  $(`${name}-view`).hidden = !shown;
}

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not allowed: select and copy';
  }
  setTimeout(() => (button.textContent = 'Copy'), 2 * SECOND_MS);
}

function copyButton(text, what) {
  const button = element('button', { type: 'button', 'aria-label': `Copy ${what}` }, 'Copy');
  button.addEventListener('click', () => copy(button, text));
  return button;
}

function option(value, text = value) {
  return element('option', { value }, text);
}

// ---- an id -------------------------------------------------------------------------------------------------

/** The bits of an id that was inspected, the highest first. */
function bitsOf(inspected) {
  if (inspected.id !== undefined) return BigInt(inspected.id).toString(2).padStart(64, '0');
  return BigInt(`0x${inspected.hex}`).toString(2).padStart(80, '0');
}

/** Draws the fields of a layout with the bits of an id in them, each bit as wide as any other; below stands what they hold. */
function drawPicture(layout, bits) {
  let at = 0;
  const parts = layout.fields.map(({ name, bits: width }) => ({ name, width, own: bits.slice(at, (at += width)) }));
  const fields = parts.map(({ name, width, own }) => {
    const cells = Array.from(own, (bit) => element('span', { class: `bit bit${bit}` }, bit));
    const drawn = element('div', { class: `field ${name}`, title: `${name}, ${width} bits` }, ...cells);
    drawn.style.flexGrow = String(width);
    return drawn;
  });
  $('id-picture').replaceChildren(...fields);
  $('id-legend').replaceChildren(
    ...parts.map(({ name, width, own }) =>
      element(
        'div',
        {},
        element('dt', { class: name }, name),
        element('dd', {}, `${width} bit${width === 1 ? '' : 's'}: `, element('b', {}, BigInt(`0b${own}`).toString())),
      ),
    ),
  );
}

/** Warns that the text is hardly an id, if even its best reading is implausible. */
function showDoubt(best, layoutText) {
  const isDoubtful = layoutText === '' && best !== undefined && best.score < DOUBTFUL_SCORE;
  $('id-doubt').hidden = !isDoubtful;
  if (isDoubtful)
    $('id-doubt').textContent = `Hardly an id: read as ${best.form} in the layout ${best.layout}, ${best.reason}.`;
}

/** The other layouts that the id may be of, the most plausible first. */
function showGuesses(guesses, chosen) {
  $('id-guesses').replaceChildren(
    ...guesses.map((guess) => {
      const isChosen = guess.layout === chosen.layout && (chosen.form === '' || guess.form === chosen.form);
      const button = element(
        'button',
        { type: 'button', class: 'link', 'aria-pressed': String(isChosen) },
        guess.layout,
      );
      button.addEventListener('click', () => {
        $('id-layout').value = guess.layout;
        $('form').value = guess.form;
        look();
        $('id-guesses').querySelector('[aria-pressed="true"]')?.focus(); // look() drew the rows anew
      });
      return element(
        'tr',
        isChosen ? { class: 'chosen' } : {},
        element('td', {}, button, guess.form === 'dec' ? '' : ` as ${guess.form}`),
        element('td', { class: 'right' }, String(guess.score)),
        element('td', {}, guess.time ?? '\u2013'),
        element('td', { class: 'prose' }, guess.reason),
      );
    }),
  );
}

/** The neighbours of a 64-bit id, as links to themselves; the layout may end at either side of it. */
function neighboursOf(inspected, layout) {
  const id = BigInt(inspected.id);
  const usedBits = layout.fields.reduce((sum, { name, bits: width }) => sum + (name === 'zero' ? 0 : width), 0);
  const links = [id - 1n, id + 1n]
    .filter((other) => other >= 0n && other < 1n << BigInt(usedBits))
    .map(String)
    .map((text) => element('a', { href: addressOf({ id: text, layout: inspected.layout }) }, text));
  return links.length === 2 ? [links[0], ', ', links[1]] : links;
}

const addressOf = (state) => `#${new URLSearchParams(state)}`;

/** The layout and the form to read a text by: what the user says, else the most plausible. */
function readingOf(text, form, layout) {
  const named = form === '' ? [] : ['--form', form];
  if (layout !== '') return { layout, words: ['--layout', layout, ...named] };
  const [best] = askJson('inspect', '--guess', '--json', ...named, '--', text).guesses;
  return { layout: best.layout, words: ['--layout', best.layout, '--form', best.form] };
}

/** The guesses, which there are for each text in a form that can be recognised. */
function guessesOf(text, form) {
  try {
    return askJson('inspect', '--guess', '--json', ...(form === '' ? [] : ['--form', form]), '--', text).guesses;
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

function showId(text, form, layoutText) {
  const reading = readingOf(text, form, layoutText);
  const words = [...reading.words, '--', text];
  const inspected = askJson('inspect', '--json', '--forms', ...words);
  const rows = rowsOf(ask('inspect', ...words));
  const isNumber = inspected.id !== undefined;
  const layout = askJson('layout', '--json', reading.layout);
  drawPicture(layout, bitsOf(inspected));
  $('id-headline').textContent = rows.find(([name]) => name === 'time')[1];
  showFacts($('id-facts'), [
    ...rows,
    ['local time', new Date(inspected.unix_ms).toLocaleString(undefined, LOCAL_TIME)],
  ]);
  const neighbours = isNumber ? neighboursOf(inspected, layout) : [];
  if (neighbours.length > 0) $('id-facts').append(element('dt', {}, 'neighbours'), element('dd', {}, ...neighbours));
  $('id-forms').replaceChildren(
    ...Object.entries(inspected.forms).flatMap(([name, value]) => [
      element('dt', {}, name),
      element('dd', {}, element('span', {}, value), copyButton(value, name)),
    ]),
  );
  const guesses = guessesOf(text, form);
  showDoubt(guesses[0], layoutText);
  showGuesses(guesses, { layout: reading.layout, form: reading.words[3] ?? form });
}

function look() {
  const state = { id: $('id').value.trim(), layout: $('id-layout').value.trim(), form: $('form').value };
  attempt('id', () => {
    if (state.id === '') return false;
    showId(state.id, state.form, state.layout);
    return true;
  });
  // Without an id the address is empty, so that a link to the last one leads there again.
  const given = state.id === '' ? [] : Object.entries(state).filter(([, value]) => value !== '');
  history.replaceState(null, '', addressOf(given));
}

/** Shows the id that stands in the address; false: there is none. */
function lookAtAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has('id')) return false;
  $('id').value = given.get('id');
  $('id-layout').value = given.get('layout') ?? '';
  $('form').value = given.get('form') ?? '';
  look();
  return true;
}

// ---- a layout ----------------------------------------------------------------------------------------------

const BITS_MOST = 64;
const FIELDS = ['time', 'datacenter', 'worker', 'sequence'];
const FIELDS_SEQUENCE_FIRST = ['time', 'sequence', 'datacenter', 'worker'];
let order = FIELDS; // of the layout that is planned, the highest first

const bits = (field) => Number($(`${field}-bits`).value);

/** The description of the layout that is planned, as specs have it. */
function planText() {
  const split = bits('datacenter') > 0 ? `${bits('datacenter')}+${bits('worker')}` : `${bits('worker')}`;
  const isSequenceFirst = order.indexOf('sequence') < order.indexOf('worker');
  const widths = isSequenceFirst
    ? `${bits('time')}/${bits('sequence')}s/${split}w`
    : `${bits('time')}/${split}/${bits('sequence')}`;
  return `${widths} epoch=${$('epoch').value.trim()} tick=${$('tick').value.trim()}`;
}

/** Takes a preset as the beginning of a plan. */
function beginWith(name) {
  const layout = askJson('layout', '--json', name);
  const names = layout.fields.map((field) => field.name);
  order = names.indexOf('sequence') < names.indexOf('worker') ? FIELDS_SEQUENCE_FIRST : FIELDS;
  for (const field of FIELDS) $(`${field}-bits`).value = layout.fields.find((row) => row.name === field)?.bits ?? 0;
  $('epoch').value = layout.epoch;
  $('tick').value = `${layout.tick_ms}ms`;
}

/** The fields as they lie, with the bits above them that are always zero. */
function partsOfPlan() {
  const used = FIELDS.reduce((sum, field) => sum + bits(field), 0);
  const parts = order.map((name) => ({ name, bits: bits(name) }));
  return [{ name: 'zero', bits: BITS_MOST - used }, ...parts].filter((part) => part.bits > 0);
}

/** Moves bits over the border of two parts: to the left one where `by` is positive. */
function moveBorder(left, right, by) {
  const room = by > 0 ? right : left;
  const least = room.name === 'zero' || room.name === 'datacenter' || room.name === 'worker' ? 0 : 1;
  const moved = Math.min(Math.abs(by), room.bits - least) * Math.sign(by);
  if (moved === 0) return;
  if (left.name !== 'zero') $(`${left.name}-bits`).value = left.bits + moved;
  if (right.name !== 'zero') $(`${right.name}-bits`).value = right.bits - moved;
  $('preset').value = '';
  plan();
}

/** The border of two parts: a button, which is dragged, or moved by the arrow keys. */
function borderOf(left, right) {
  const name = `${left.name}-${right.name}`;
  const made = element('button', {
    type: 'button',
    class: 'border',
    'data-border': name,
    'aria-label': `Border between ${left.name}, ${left.bits} bits, and ${right.name}, ${right.bits} bits`,
  });
  made.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    moveBorder(left, right, by);
    document.querySelector(`[data-border="${name}"]`)?.focus();
  });
  return made;
}

function drawBar() {
  const parts = partsOfPlan();
  const drawn = parts.flatMap((part, i) => {
    const own = element('div', { class: `field ${part.name}` }, element('b', {}, part.name), ` ${part.bits}`);
    own.style.flexGrow = String(part.bits);
    return i === 0 ? [own] : [borderOf(parts[i - 1], part), own];
  });
  $('plan-bar').replaceChildren(...drawn);
}

/** Borders follow the pointer; the bar is drawn anew under it, so the bar itself has the listeners. */
function listenToBar() {
  const bar = $('plan-bar');
  let held = null;
  bar.addEventListener('pointerdown', (event) => {
    const name = event.target.dataset.border;
    if (name === undefined) return;
    event.preventDefault();
    bar.setPointerCapture(event.pointerId);
    held = { name, x: event.clientX };
  });
  bar.addEventListener('pointermove', (event) => {
    if (held === null) return;
    const bit = bar.clientWidth / BITS_MOST;
    const by = Math.trunc((event.clientX - held.x) / bit);
    const parts = partsOfPlan();
    const i = parts.findIndex((part, at) => at > 0 && `${parts[at - 1].name}-${part.name}` === held.name);
    if (by === 0 || i < 1) return;
    held.x += by * bit;
    moveBorder(parts[i - 1], parts[i], by);
  });
  for (const end of ['pointerup', 'pointercancel']) bar.addEventListener(end, () => (held = null));
}

/** How likely two of the hosts have one worker id, and what a move from another layout does. */
function questionsOfPlan(layout, text) {
  const rows = [];
  const hosts = $('hosts').value;
  const before = $('before').value.trim();
  if (hosts !== '') {
    const chance = ask('worker', '--expect', hosts, '--max', String(layout.workers)).trim();
    rows.push([
      'collision',
      `${chance} is the probability that two of ${hosts} hosts, which hash their name, share a worker id`,
    ]);
  }
  if (before !== '') rows.push(['moving', ask('layout', 'overlap', before, text).trim()]);
  return rows;
}

function plan() {
  drawBar();
  attempt('plan', () => {
    const text = planText();
    const layout = askJson('layout', '--json', text);
    const rows = rowsOf(ask('layout', '--color', 'never', text).split('\n\n').pop());
    showFacts($('plan-facts'), [...rows.filter(([name]) => name !== 'fingerprint'), ...questionsOfPlan(layout, text)]);
    $('plan-spec').textContent = `layout='${layout.fingerprint}'`;
    return true;
  });
}

// ---- a time range --------------------------------------------------------------------------------------------

function range() {
  attempt('range', () => {
    const layout = $('range-layout').value.trim() || 'frazil';
    const { first, last } = askJson(
      'range',
      '--json',
      '--layout',
      layout,
      '--',
      $('from').value.trim(),
      $('to').value.trim(),
    );
    const quote = layout === 'sno' ? "'" : '';
    $('range-sql').textContent = `WHERE id BETWEEN ${quote}${first}${quote} AND ${quote}${last}${quote}`;
    return true;
  });
}

// ---- alive: only where frazild serves the page --------------------------------------------------------------

const alive = {
  issued: new Map(),
  leases: new Map(),
  leasesAt: 0,
  refused: new Set(),
  taken: new Map(),
  aheadMs: 0,
  isSeen: false,
};
const NOT_FOUND = 404;
const SERVER_ERROR = 500; // the first status of a server, or of a proxy before it, that may answer later
const SIGNS = { held: '\u25cf', abandoned: '\u00d7', mine: '\u2605' };

/** The answer is not of frazild: another server has the page. */
class Stranger extends Error {}

/** The JSON of an answer. A server that has none, and is not out of order, is not frazild. */
async function jsonOf(answer) {
  const isJson = /^application\/(problem\+)?json\b/.test(answer.headers.get('Content-Type') ?? '');
  if (isJson) return answer.json();
  const sentence = `the answer is ${answer.status}, and no JSON`;
  throw answer.status < SERVER_ERROR ? new Stranger(sentence) : new Error(sentence);
}

/** JSON of frazild; a problem becomes an error with its sentence. The signal ends the request. */
async function fetchJson(path, signal) {
  const token = $('token').value.trim();
  const headers = { 'X-Requested-With': 'frazil.html', ...(token === '' ? {} : { Authorization: `Bearer ${token}` }) };
  const answer = await fetch(path, { headers, signal });
  const json = await jsonOf(answer);
  if (answer.status === 401) $('alive-form').hidden = false;
  if (!answer.ok) throw Object.assign(new Error(json.detail ?? json.title), { status: answer.status });
  noteClock(answer);
  return json;
}

/** A look at frazild, which does not wait for ever: a request for ids may wait as long as its generator does. */
async function lookJson(path) {
  const signal = AbortSignal.timeout(LOOK_MOST_MS);
  try {
    return await fetchJson(path, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Error(`no answer within ${LOOK_MOST_MS / SECOND_MS} s`);
  }
}

/** Grants end by the clock of the daemon's host: by how much it is ahead of the browser's. Its seconds are cut off. */
function noteClock(answer) {
  const aheadMs = Date.parse(answer.headers.get('Date')) + SECOND_MS / 2 - Date.now();
  alive.aheadMs = Math.abs(aheadMs) > SECOND_MS ? aheadMs : 0;
}

/** "in 42 s", "over". */
function untilThen(unixMs) {
  const seconds = Math.round((unixMs - Date.now() - alive.aheadMs) / SECOND_MS);
  return seconds > 0 ? `in ${seconds} s` : 'over';
}

/** The worker ids of a generator, with the ends of their grants; only its first, if the user may not read them. */
const workersOf = (generator) => generator.workers ?? [generator];

/**
 * When the daemon's own grant of that worker id ends; undefined if the row is of another holder. The list of leases is
 * seconds old, and the daemon's own grants are extended since; another holder's grant ends after the daemon's has.
 */
function ownEnd(row, generator) {
  const own = workersOf(generator).find(({ worker }) => worker === row.worker);
  const end = Date.parse(own?.grant_end);
  return row.holding === 'held' && end >= row.until_unix_ms ? end : undefined;
}

/** When the grant of a worker id ends. */
function endOf(row, generator) {
  const end = ownEnd(row, generator) ?? row.until_unix_ms;
  return end > 0 ? untilThen(end) : '\u2013';
}

/** The state of a worker id in the pool of a generator. */
const stateOf = (row, generator) => (ownEnd(row, generator) === undefined ? row.holding : 'mine');

/** One cell a worker id, with a sign beside the colour. */
function drawMap(pool, generator) {
  const known = new Map(pool.leases.map((row) => [row.worker, row]));
  const cells = Array.from({ length: Math.min(pool.workers, CELLS_MOST) }, (_, worker) => {
    const row = known.get(worker);
    const state = row === undefined ? 'free' : stateOf(row, generator);
    const owner = row === undefined ? '' : `: ${row.owner}`;
    return element('span', { class: state, title: `worker ${worker}, ${state}${owner}` }, SIGNS[state] ?? '');
  });
  const label = `${pool.held} of ${pool.workers} worker ids are held`;
  return element('div', { class: 'map', role: 'img', 'aria-label': label }, ...cells);
}

function drawLeases(pool, generator) {
  const rows = pool.leases.slice(0, ROWS_MOST).map((row) => {
    const state = stateOf(row, generator);
    return element(
      'tr',
      {},
      element('td', { class: 'right' }, String(row.worker)),
      element('td', {}, `${SIGNS[state] ?? ''} ${state}`),
      element('td', {}, row.owner),
      element('td', {}, endOf(row, generator)),
    );
  });
  const names = ['worker', 'state', 'owner', 'grant ends'];
  const head = element('tr', {}, ...names.map((name) => element('th', { scope: 'col' }, name)));
  return [
    element(
      'p',
      {},
      `${pool.held} of ${pool.workers} worker ids are held.  \u2605 by this daemon  \u25cf held  \u00d7 abandoned`,
    ),
    drawMap(pool, generator),
    element('table', {}, element('thead', {}, head), element('tbody', {}, ...rows)),
  ];
}

/** What the statistics of a generator say; nothing, if the user may not read them. */
function rowsOfStats({ name, stats }) {
  if (stats === undefined) return [];
  const before = alive.issued.get(name);
  const taken = before === undefined ? 0 : Math.max(0, stats.issued - before.issued); // a restart begins with 0
  const rate = taken === 0 ? 0 : Math.round((taken * SECOND_MS) / (performance.now() - before.at));
  alive.issued.set(name, { issued: stats.issued, at: performance.now() });
  return [
    ['ids a second', rate],
    ['issued', stats.issued],
    ['waits', `${stats.waits}, ${Math.round(stats.waited_us / 1000)} ms in all`],
    [
      'ahead of the clock',
      `${Math.round(stats.lead_us / 1000)} ms, ${Math.round(stats.lead_max_us / 1000)} ms at most`,
    ],
  ];
}

/** The worker ids of a generator; of a user who may not read them all, the one that is worst off. */
function workerRow(generator) {
  const workers = workersOf(generator).map(({ worker }) => worker);
  const others = generator.worker_ids - workers.length;
  const text = `${workers.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
  return [generator.worker_ids > 1 ? 'workers' : 'worker', text];
}

function drawGenerator(generator) {
  const list = element('dl', { class: 'facts' });
  showFacts(list, [
    ['state', generator.state],
    ['layout', generator.fingerprint],
    workerRow(generator),
    ...rowsOfStats(generator),
    ...(generator.grant_end === undefined ? [] : [['grant ends', untilThen(Date.parse(generator.grant_end))]]),
  ]);
  const pool = alive.leases.get(generator.name);
  return [
    element('h3', {}, generator.name),
    takerOf(generator),
    list,
    ...(pool === undefined ? [] : drawLeases(pool, generator)),
  ];
}

/** A button that takes an id, and the ids that it took; each second it is put in place again, not made anew. */
function takerOf(generator) {
  const taker = alive.taken.get(generator.name) ?? makeTaker(generator.name);
  taker.dataset.layout = generator.fingerprint; // another one after a reload
  return taker;
}

function makeTaker(name) {
  const button = element('button', { type: 'button' }, 'Take an id');
  const taken = element('output', {});
  const made = element('p', { class: 'result' }, button, taken);
  button.addEventListener('click', async () => {
    try {
      const { ids } = await fetchJson(`/v1/generators/${encodeURIComponent(name)}/ids`);
      const links = ids.map((id) => element('a', { href: addressOf({ id, layout: made.dataset.layout }) }, id));
      taken.replaceChildren(...links);
    } catch (error) {
      taken.textContent = error.message;
    }
  });
  alive.taken.set(name, made);
  return made;
}

/** JSON of frazild; undefined if the user may not have it. After a refusal it asks only when another token is typed. */
async function fetchAllowed(path) {
  const asked = `${$('token').value.trim()} ${path}`; // an answer may come after another token was typed
  if (alive.refused.has(asked)) return undefined;
  try {
    return await lookJson(path);
  } catch (error) {
    if (![401, 403].includes(error.status)) throw error;
    alive.refused.add(asked);
    return undefined;
  }
}

/** The generators, as they are listed. */
async function fetchGenerators() {
  const { generators } = await lookJson('/v1/generators').catch((error) => {
    throw error.status === NOT_FOUND ? new Stranger(error.message) : error;
  });
  if (!Array.isArray(generators)) throw new Stranger('the answer lists no generators');
  return generators;
}

/** A generator with its statistics, or as it is listed. */
async function fetchGenerator(listed) {
  return (await fetchAllowed(`/v1/generators/${encodeURIComponent(listed.name)}`)) ?? listed;
}

async function fetchLeases({ name, leased }) {
  if (leased === 0) return;
  const pool = await fetchAllowed(`/v1/leases/${encodeURIComponent(name)}`).catch(() => undefined);
  if (pool === undefined) alive.leases.delete(name);
  else alive.leases.set(name, pool);
}

/** Whether the daemon wants a token, and nobody has typed one. */
const wantsToken = () => !$('alive-form').hidden && $('token').value.trim() === '';

/** What only a page of frazild's has, and the manual, which it does not have. */
function showAlive(isAlive) {
  $('alive').hidden = $('alive-link').hidden = !isAlive;
  for (const link of document.querySelectorAll('[data-disk]')) link.hidden = isAlive;
}

async function watch() {
  if (wantsToken()) return setTimeout(watch, SECOND_MS);
  try {
    const generators = await fetchGenerators();
    alive.isSeen = true;
    const full = await Promise.all(generators.map(fetchGenerator));
    if (Date.now() - alive.leasesAt >= LEASES_EVERY_MS) {
      alive.leasesAt = Date.now();
      await Promise.all(generators.map(fetchLeases));
    }
    const focused = document.activeElement;
    $('alive-view').replaceChildren(...full.flatMap(drawGenerator));
    if (focused.isConnected) focused.focus({ preventScroll: true });
    $('alive-wrong').hidden = true;
  } catch (error) {
    // A daemon that was seen may come back behind whatever answers now.
    if (error instanceof Stranger && !alive.isSeen) return showAlive(false);
    const message = `frazild does not answer this: ${error.message}`;
    // Screen readers announce each change of the text, even an equal one.
    if ($('alive-wrong').textContent !== message) $('alive-wrong').textContent = message;
    $('alive-wrong').hidden = false;
  }
  return setTimeout(watch, SECOND_MS);
}

// ---- the start ------------------------------------------------------------------------------------------------

/** The names of the presets. */
function presets() {
  return ask('layout', '--json')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).layout);
}

function start() {
  const names = presets();
  $('presets').append(...names.map((name) => option(name)));
  $('preset').append(option('', 'your own'), ...names.filter((name) => name !== 'sno').map((name) => option(name)));
  $('form').append(option('', 'recognised'), ...FORMS.map((name) => option(name)));
  $('look-form').addEventListener('input', look);
  $('token').addEventListener('input', () => {
    alive.refused.clear();
    alive.leasesAt = 0;
  });
  $('range-form').addEventListener('input', range);
  $('plan-form').addEventListener('input', (event) => {
    if (event.target === $('preset') && $('preset').value !== '') beginWith($('preset').value);
    else if (event.target !== $('hosts') && event.target !== $('before')) $('preset').value = '';
    plan();
  });
  for (const form of document.forms) form.addEventListener('submit', (event) => event.preventDefault());
  for (const button of document.querySelectorAll('[data-copy]')) {
    button.addEventListener('click', () => copy(button, $(button.dataset.copy).textContent));
  }
  listenToBar();
  $('preset').value = 'frazil';
  beginWith('frazil');
  plan();
  const today = new Date().toISOString().slice(0, 10);
  $('from').value = `${today}T00:00:00Z`;
  $('to').value = `${today}T23:59:59.999Z`;
  range();
  lookAtAddress();
  window.addEventListener('hashchange', lookAtAddress);
  if (location.protocol.startsWith('http')) {
    showAlive(true);
    watch();
  }
  document.documentElement.dataset.ready = `${Math.round(performance.now())} ms`;
}

start();
