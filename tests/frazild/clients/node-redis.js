// SPDX-License-Identifier: MIT
// node-redis: PORT TOKEN
'use strict';
const { createClient } = require('redis');

async function main() {
  const [port, password] = process.argv.slice(2);
  const client = createClient({ socket: { host: '127.0.0.1', port: Number(port) }, password });
  client.on('error', (error) => {
    console.error(error);
    process.exit(1);
  });
  await client.connect();
  for (let i = 0; i < 20; i++) console.log(await client.sendCommand(['NEXT', 'main']));
  for (const id of await client.sendCommand(['NEXT', 'main', '50'])) console.log(id);
  for (let i = 0; i < 20; i++) console.log(String(await client.incr('orders:id')));
  const many = Array.from({ length: 10 }, () => client.sendCommand(['NEXT', 'main']));
  for (const id of await Promise.all(many)) console.log(id);
  const transaction = client.multi();
  for (let i = 0; i < 10; i++) transaction.addCommand(['NEXT', 'main']);
  for (const id of await transaction.exec()) console.log(id);
  await client.quit();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
