// SPDX-License-Identifier: MIT
'use strict';

/**
 * Finds the addon: the one built on this machine, or else the one that the package has for this kind of machine. Each
 * path is a literal in a `try` of its own, so that bundlers and file tracers find the addons that exist.
 */

const fs = require('node:fs');
const path = require('node:path');

/** Looks for musl's loader in memory. process.report would tell as well, but resolves each open socket by DNS. */
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
