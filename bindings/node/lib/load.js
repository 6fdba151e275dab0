// SPDX-License-Identifier: MIT
'use strict';

/** Finds the addon: what was built on this machine, or else what the package brings for this kind of machine. */

const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');
const built = path.join(root, 'build', 'Release', 'frazil.node');
const isGlibc = process.platform !== 'linux' || !runsOnMusl();
const brought = path.join(
  root,
  'prebuilds',
  `${process.platform}-${process.arch}${isGlibc ? '' : '-musl'}`,
  'frazil.node',
);

/** By its loader, which the process has in its memory. A report of Node's says it, too, and asks DNS for each open socket. */
function runsOnMusl() {
  try {
    return fs.readFileSync('/proc/self/maps', 'utf8').includes('/ld-musl-');
  } catch {
    return false; // without /proc
  }
}

function load() {
  if (fs.existsSync(built)) return require(built);
  if (fs.existsSync(brought)) return require(brought);
  throw new Error(
    `frazil has no addon for ${process.platform}-${process.arch}: neither ${brought} nor ${built} is there; ` +
      "run 'npm rebuild frazil' with a C compiler, make and Python 3 installed",
  );
}

module.exports = { built, brought, load };
