// SPDX-License-Identifier: MIT
'use strict';

/** A primary with four workers, each a maker; prints how many ids they made, and how many of them differ. */

const cluster = require('node:cluster');
const path = require('node:path');

cluster.setupPrimary({ exec: path.join(__dirname, 'maker.js') });
const all = [];
let left = 4;
for (let i = 0; i < 4; i++) {
  cluster.fork().on('message', (texts) => {
    all.push(...texts);
    if (--left === 0) console.log(JSON.stringify({ made: all.length, different: new Set(all).size }));
  });
}
