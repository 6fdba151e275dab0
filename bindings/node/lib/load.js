// SPDX-License-Identifier: MIT
'use strict';

/**
 * Finds the addon: what was built on this machine, or else what the package brings for this kind of machine. The paths stand
 * here word for word, and each in a `try`, so that bundlers and tracers of files find those that are there.
 */

const fs = require('node:fs');
const path = require('node:path');

/** By its loader, which the process has in its memory. A report of Node's says it, too, and asks DNS for each open socket. */
function runsOnMusl() {
  try {
    return fs.readFileSync('/proc/self/maps', 'utf8').includes('/ld-musl-');
  } catch {
    return false; // without /proc
  }
}

const isMusl = process.platform === 'linux' && runsOnMusl();
const kind = `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;
const brought = path.join(__dirname, '..', 'prebuilds', kind, 'frazil.node');

function built() {
  try {
    return require('../build/Release/frazil.node');
  } catch (error) {
    return missing(error);
  }
}

function prebuilt() {
  try {
    if (kind === 'linux-x64') return require('../prebuilds/linux-x64/frazil.node');
    if (kind === 'linux-arm64') return require('../prebuilds/linux-arm64/frazil.node');
    if (kind === 'linux-x64-musl') return require('../prebuilds/linux-x64-musl/frazil.node');
    if (kind === 'linux-arm64-musl') return require('../prebuilds/linux-arm64-musl/frazil.node');
  } catch (error) {
    return missing(error);
  }
  return undefined;
}

/** A file that is not there is no error; one that does not load is. */
function missing(error) {
  if (error.code === 'MODULE_NOT_FOUND') return undefined;
  throw error;
}

function load() {
  const native = built() ?? prebuilt();
  if (native !== undefined) return native;
  if (!fs.existsSync(path.join(__dirname, 'load.js'))) {
    throw new Error(
      `frazil was taken into a bundle (${__filename}) without its addon: keep it outside, as an external package, and ` +
        'install it beside the bundle (README.md, "Bundlers")',
    );
  }
  throw new Error(
    `frazil has no addon for ${kind}: run 'npm rebuild frazil' with a C compiler, make and Python 3 installed, which ` +
      `builds ${path.join(__dirname, '..', 'build', 'Release', 'frazil.node')}`,
  );
}

module.exports = { brought, load };
