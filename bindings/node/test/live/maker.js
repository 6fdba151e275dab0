// SPDX-License-Identifier: MIT
'use strict';

/** Makes ids in a separate process or thread: `MAKER` has a spec and their number. Its starter gets the ids. */

const cluster = require('node:cluster');
const { isMainThread, parentPort } = require('node:worker_threads');

const { open } = require('frazil');

async function main() {
  const { spec, n } = JSON.parse(process.env.MAKER);
  const generator = open(spec);
  const ids = [];
  // Plain calls and batches in turn, so that both share the sequence with those of others.
  while (ids.length < n) {
    ids.push(...(await generator.take(50)));
    for (let i = 0; i < 50; i++) {
      const id = generator.tryNext();
      if (id !== null) ids.push(id);
    }
  }
  await generator.closeAsync();
  const texts = ids.map(String);
  if (!isMainThread) parentPort.postMessage(texts);
  else if (cluster.isWorker || process.send) process.send(texts, () => process.disconnect());
  else process.stdout.write(texts.join('\n'));
}

main();
