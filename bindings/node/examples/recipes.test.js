// SPDX-License-Identifier: MIT
'use strict';

/** Goal of this test: the examples do what they promise, with the packages that they are for. */

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, test } = require('node:test');
const { promisify } = require('node:util');

const run = promisify(execFile);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'frazil-recipes-'));
after(() => fs.rmSync(folder, { recursive: true, force: true }));
Object.assign(process.env, {
  FRAZIL_WORKER: 'fixed:5',
  FRAZIL_RUN_DIR: path.join(folder, 'run'),
  FRAZIL_STATE_DIR: path.join(folder, 'state'),
  FRAZIL_HOST_DIR: path.join(folder, 'host'),
});

/** Orders over HTTP: the digits of an id survive both ways. */
async function ordersOver(base, ids) {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"item":"tea"}' };
  const made = await fetch(`${base}/orders`, post);
  assert.equal(made.status, 201);
  const text = await made.text();
  const { id } = JSON.parse(text);
  assert.match(text, /"id":"[0-9]{18,}"/);
  assert.equal(ids.inspect(id).worker, 5);
  assert.deepEqual(await (await fetch(`${base}/orders/${id}`)).json(), { id, item: 'tea' });
  assert.equal((await fetch(`${base}/orders/${BigInt(id) + 1n}`)).status, 404);
  const wrong = await fetch(`${base}/orders/12x`);
  assert.equal(wrong.status, 400);
  assert.match((await wrong.json()).error, /x/);

  ids.stop();
  const stopped = await fetch(`${base}/orders`, post);
  assert.equal(stopped.status, 503, 'a generator that gives no ids is no fault of the caller');
}

test('Express', async () => {
  const { app, ids } = require('./express.js');
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${server.address().port}`;
  assert.equal((await fetch(`${base}/health`)).status, 200);
  await ordersOver(base, ids);
  assert.equal((await fetch(`${base}/health`)).status, 503);
  server.closeAllConnections();
  server.close();
  await ids.closeAsync();
});

test('Fastify', async () => {
  const { app, ids } = require('./fastify.js');
  await ordersOver(await app.listen({ port: 0, host: '127.0.0.1' }), ids);
  await app.close();
  assert.throws(() => ids.next(), { code: 'FRAZIL_ESTOPPED' });
});

test('TypeORM', async () => {
  const { Order, ids, source } = require('./typeorm.js');
  const { Between, In } = require('typeorm');
  await source.initialize();
  const table = source.getRepository(Order);
  const first = await table.save(table.create({ item: 'tea' }));
  assert.equal(typeof first.id, 'bigint');
  const many = await table.save(Array.from({ length: 100 }, (_, i) => table.create({ item: `cup ${i}` })));
  const stored = await table.find({ order: { id: 'ASC' } });
  assert.deepEqual(
    stored.map(({ id }) => id),
    [first, ...many].map(({ id }) => id),
  );
  assert.equal((await table.findOneByOrFail({ id: first.id })).item, 'tea');
  assert.equal(await table.countBy({ id: In([first.id, many[3].id]) }), 2);
  const [from, to] = hour(ids);
  assert.equal((await table.findBy({ id: Between(from, to) })).length, 101);
  await source.destroy();
  await ids.closeAsync();
});

/** The ids of the hour around now. */
function hour(ids) {
  const { first, last } = ids.layout.range(Date.now() - 1_800_000, Date.now() + 1_800_000);
  return [first, last];
}

test('Prisma', async () => {
  // The client alone: this part of Prisma, which is no package of npm, is for migrations.
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' };
  await run('npx', ['--no-install', 'prisma', 'generate', '--schema', 'schema.prisma'], { cwd: __dirname, env });
  const { client, ids } = require('./prisma.js');
  await client.$executeRawUnsafe('CREATE TABLE "Order" (id BIGINT PRIMARY KEY, item TEXT NOT NULL)');
  const { id } = await client.order.create({ data: { item: 'tea' } });
  assert.equal(ids.inspect(id).worker, 5);
  // More than a millisecond has ids.
  await client.order.createMany({ data: Array.from({ length: 5000 }, (_, i) => ({ item: `cup ${i}` })) });
  const [can] = await client.order.createManyAndReturn({ data: [{ item: 'can' }] });
  assert.equal(ids.inspect(can.id).worker, 5);
  const upsert = { where: { id: 1n }, create: { item: 'pot' }, update: {} };
  assert.ok((await client.order.upsert(upsert)).id > id);
  const [gte, lte] = hour(ids);
  const stored = await client.order.findMany({ where: { id: { gte, lte } }, orderBy: { id: 'asc' } });
  assert.equal(stored.length, 5003);
  assert.deepEqual(stored[0], { id, item: 'tea' });
  assert.equal(new Set(stored.map((order) => order.id)).size, 5003);
  await client.$disconnect();
  await ids.closeAsync();
});

for (const name of ['cluster.js', 'threads.js']) {
  test(name, async () => {
    const { stdout } = await run(process.execPath, [path.join(__dirname, name)]);
    assert.equal(stdout, '40000 40000\n');
  });
}
