// SPDX-License-Identifier: MIT
'use strict';

/** Goal of this test: the settings of README's "Bundlers" and "Bun and Deno" are right, and attw has nothing against the types. */

const assert = require('node:assert/strict');
const { execFile, spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, test } = require('node:test');
const { setTimeout } = require('node:timers/promises');
const { promisify } = require('node:util');

const run = promisify(execFile);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'frazil-bundlers-'));
after(() => fs.rmSync(folder, { recursive: true, force: true }));
Object.assign(process.env, {
  NEXT_TELEMETRY_DISABLED: '1',
  FRAZIL_RUN_DIR: path.join(folder, 'run'),
  FRAZIL_STATE_DIR: path.join(folder, 'state'),
  FRAZIL_HOST_DIR: path.join(folder, 'host'),
});

const tool = (name) => path.join(__dirname, 'node_modules', '.bin', name);

/** Beside the packages, or, where the addon is in the bundle, away from them. */
function place(name, isAway) {
  const here = path.join(isAway ? folder : path.join(__dirname, 'built'), name);
  fs.rmSync(here, { recursive: true, force: true });
  fs.mkdirSync(here, { recursive: true });
  return here;
}

async function works(file) {
  const { stdout } = await run(process.execPath, [file], { cwd: path.dirname(file) });
  assert.equal(stdout, 'ok\n');
}

const ESBUILD = ['bundled.mjs', '--bundle', '--platform=node', '--log-level=warning'];

test('esbuild leaves the package outside', async () => {
  const out = path.join(place('esbuild'), 'app.cjs');
  await run(tool('esbuild'), [...ESBUILD, '--external:frazil', `--outfile=${out}`], { cwd: __dirname });
  await works(out);
});

test('esbuild copies the addon', async () => {
  const out = path.join(place('esbuild', true), 'app.cjs');
  await run(tool('esbuild'), [...ESBUILD, '--loader:.node=copy', `--outfile=${out}`], { cwd: __dirname });
  await works(out);
});

test('a bundle without the addon says what to do', async () => {
  const out = path.join(place('alone', true), 'app.cjs');
  await run(tool('esbuild'), [...ESBUILD, '--loader:.node=empty', '--external:*.node', `--outfile=${out}`], {
    cwd: __dirname,
  });
  await assert.rejects(works(out), /keep it outside, as an external package/);
});

for (const [name, isAway, settings] of [
  [
    'leaves the package outside',
    false,
    { externals: { frazil: 'commonjs frazil', 'frazil/flake-idgen': 'commonjs frazil/flake-idgen' } },
  ],
  ['copies the addon', true, { module: { rules: [{ test: /\.node$/, loader: 'node-loader' }] } }],
]) {
  test(`webpack ${name}`, async () => {
    const out = place('webpack', isAway);
    const config = { target: 'node', mode: 'production', entry: path.join(__dirname, 'bundled.mjs'), ...settings };
    const stats = await promisify(require('webpack'))({ ...config, output: { path: out, filename: 'app.cjs' } });
    assert.ok(!stats.hasErrors(), stats.toString());
    await works(path.join(out, 'app.cjs'));
  });
}

test('Vite leaves packages outside', async () => {
  const { build } = await import('vite');
  const outDir = place('vite');
  await build({ root: __dirname, configFile: false, logLevel: 'warn', build: { ssr: 'bundled.mjs', outDir } });
  await works(path.join(outDir, fs.readdirSync(outDir)[0]));
});

const NEXT = {
  'package.json': '{"private": true}',
  'next.config.mjs': "export default { serverExternalPackages: ['frazil'] };",
  'app/layout.js': 'export default function Layout({ children }) { return <html><body>{children}</body></html>; }',
  'app/page.js': 'export default function Page() { return <p>ids</p>; }',
  'app/id/route.js': `
    import { open } from 'frazil';
    export const dynamic = 'force-dynamic';
    const ids = open({ worker: 7 });
    export function GET() { return Response.json({ id: ids.nextString() }); }`,
};

test('Next leaves the package outside, and a route gives ids', async () => {
  const site = place('next');
  for (const [name, text] of Object.entries(NEXT)) {
    fs.mkdirSync(path.dirname(path.join(site, name)), { recursive: true });
    fs.writeFileSync(path.join(site, name), text);
  }
  await run(tool('next'), ['build'], { cwd: site });
  const next = path.join(__dirname, 'node_modules', 'next', 'dist', 'bin', 'next');
  const server = spawn(process.execPath, [next, 'start', '-p', '0'], { cwd: site });
  let said = '';
  server.stdout.setEncoding('utf8').on('data', (text) => (said += text));
  try {
    while (!/Ready/.test(said)) {
      assert.equal(server.exitCode, null, said);
      await setTimeout(50);
    }
    const answer = await fetch(`${said.match(/http:\/\/localhost:\d+/)[0]}/id`);
    assert.match((await answer.json()).id, /^\d{17,19}$/);
  } finally {
    server.kill();
  }
});

test('Bun and Deno run the package', async () => {
  const options = { cwd: __dirname };
  assert.equal((await run(tool('bun'), ['bundled.mjs'], options)).stdout, 'ok\n');
  const deno = ['run', '--no-prompt', '--allow-ffi', '--allow-read', '--allow-env', 'bundled.mjs'];
  assert.equal((await run(tool('deno'), deno, options)).stdout, 'ok\n');
});

test('attw finds the types of each entry', { skip: !process.env.TARBALL }, async () => {
  const options = ['--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm', '--no-emoji'];
  await run(tool('attw'), [process.env.TARBALL, ...options]);
});
