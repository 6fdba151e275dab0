// SPDX-License-Identifier: MIT
'use strict';

/** Writes ids until somebody kills it. */

const fs = require('node:fs');

const { open } = require('frazil');

const generator = open(process.argv[2]);
for (;;) {
  let lines = '';
  for (let i = 0; i < 100; i++) lines += `${generator.nextString({ block: true })}\n`;
  fs.writeSync(1, lines);
}
