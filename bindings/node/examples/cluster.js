// SPDX-License-Identifier: MIT
'use strict';

/**
 * cluster, as PM2 uses it, too: each worker opens the same spec. Processes of a host with one worker number share one
 * sequence through files. Prints how many ids the workers made, and how many of them differ.
 */

const cluster = require('node:cluster');

const { open } = require('frazil');

const WORKERS = 4;

if (cluster.isPrimary) {
  const made = [];
  let left = WORKERS;
  cluster.on('message', (worker, texts) => made.push(...texts));
  cluster.on('exit', () => {
    if (--left === 0) console.log(made.length, new Set(made).size);
  });
  for (let i = 0; i < WORKERS; i++) cluster.fork();
} else {
  const ids = open();
  ids.take(10_000).then(async (array) => {
    await ids.closeAsync();
    // Messages between processes are JSON.
    process.send(Array.from(array, String), () => process.disconnect());
  });
}
