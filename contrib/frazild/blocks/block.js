// SPDX-License-Identifier: MIT
// Ids of frazild in blocks, with node-redis: FRAZILD_URL=redis://127.0.0.1:6380 node block.js
'use strict';
const { createClient } = require('redis');

/** Ids of one generator: a request fetches 1,000 of them, for a second at most. They are text, as numbers would round them. */
class Ids {
  #client;
  #command;
  #lifeMs;
  #ids = [];
  #until = 0;
  #filling = null;

  constructor(client, generator = 'main', size = 1000, lifeMs = 1000) {
    this.#client = client;
    this.#command = ['NEXT', generator, String(size)];
    this.#lifeMs = lifeMs;
  }

  async next() {
    while (this.#ids.length === 0 || performance.now() > this.#until) {
      this.#filling ??= this.#fill().finally(() => (this.#filling = null)); // one request for all who wait
      await this.#filling;
    }
    return this.#ids.pop();
  }

  async #fill() {
    this.#ids = (await this.#client.sendCommand(this.#command)).reverse();
    this.#until = performance.now() + this.#lifeMs;
  }
}

async function main() {
  const client = await createClient({ url: process.env.FRAZILD_URL }).connect();
  const ids = new Ids(client);
  for (let i = 0; i < 2500; i++) console.log(await ids.next());
  client.destroy();
}

if (require.main === module) main();
module.exports = { Ids };
