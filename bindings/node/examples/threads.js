// SPDX-License-Identifier: MIT
'use strict';

/** worker_threads: each thread opens the same spec, and the ids go to the main thread without a copy. Prints as cluster.js. */

const { isMainThread, parentPort, Worker } = require('node:worker_threads');

const { open } = require('frazil');

const THREADS = 4;

if (isMainThread) {
  const made = [];
  let left = THREADS;
  for (let i = 0; i < THREADS; i++) {
    const worker = new Worker(__filename);
    worker.on('message', (array) => made.push(...array));
    worker.on('exit', () => {
      if (--left === 0) console.log(made.length, new Set(made).size);
    });
  }
} else {
  const ids = open();
  ids.take(10_000).then(async (array) => {
    await ids.closeAsync();
    parentPort.postMessage(array, [array.buffer]);
  });
}
