// SPDX-License-Identifier: MIT
'use strict';

/**
 * Runs when the package is installed. The addon that it brings is used where it loads; elsewhere it is built from source,
 * as it is with FRAZIL_SOURCE=1, and with FRAZIL_SYSTEM=1, which links the libfrazil of the system.
 */

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');

const { brought } = require('./lib/load.js');

function loads() {
  if (!fs.existsSync(brought)) return false;
  // In a separate process, as an addon for another C library can crash it.
  return spawnSync(process.execPath, ['-e', `require(${JSON.stringify(brought)})`]).status === 0;
}

if (process.env.FRAZIL_SOURCE || process.env.FRAZIL_SYSTEM || !loads()) {
  const gyp = process.env.npm_config_node_gyp;
  const [command, args] = gyp ? [process.execPath, [gyp, 'rebuild']] : ['node-gyp', ['rebuild']];
  const { status, error } = spawnSync(command, args, { cwd: __dirname, stdio: 'inherit' });
  if (status !== 0) {
    console.error(
      `frazil could not build its addon${error ? ` (${error.message})` : ''}: it needs a C compiler, make, Python 3 and ` +
        'the headers of Node, which node-gyp downloads unless npm_config_nodedir names their folder',
    );
    process.exitCode = 1;
  }
}
