// SPDX-License-Identifier: MIT
// ioredis: PORT TOKEN
'use strict';
const Redis = require('ioredis');
const { version } = require('ioredis/package.json');

// Before version 5 it does not say its name, so the daemon cannot know that it rounds integers.
const rounds = version.startsWith('4.');

async function main() {
  const [port, password] = process.argv.slice(2);
  const client = new Redis({ port: Number(port), host: '127.0.0.1', password });
  for (let i = 0; i < 20; i++) console.log(await client.call('NEXT', 'main'));
  for (const id of await client.call('NEXT', 'main', '50')) console.log(id);
  for (let i = 0; i < 20; i++) {
    console.log(String(await (rounds ? client.call('NEXT', 'main') : client.incr('orders:id'))));
  }
  const pipeline = client.pipeline();
  for (let i = 0; i < 10; i++) pipeline.call('NEXT', 'main');
  for (const [error, id] of await pipeline.exec()) {
    if (error) throw error;
    console.log(id);
  }
  const transaction = client.multi();
  for (let i = 0; i < 10; i++) transaction.call('NEXT', 'main');
  for (const [error, id] of await transaction.exec()) {
    if (error) throw error;
    console.log(id);
  }
  await client.quit();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
