// SPDX-License-Identifier: MIT
'use strict';

/** Folders of a test's own, and errors. */

const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after } = require('node:test');

const { FrazilError } = require('frazil');

/** Removes a folder, where threads of generators that nobody has closed may still make files. */
function remove(folder, tries = 100) {
  try {
    fs.rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (error.code !== 'ENOTEMPTY' || tries === 0) throw error;
    remove(folder, tries - 1);
  }
}

/** `on(spec)` is the spec with run, state and host directories of this test's own, which are removed at its end. */
function scratch(name) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), `frazil-node-${name}-`));
  after(() => remove(root));
  const on = (spec) => `${spec} run_dir=${root}/run state_dir=${root}/state host_dir=${root}/host`;
  on.folder = (folder) => {
    fs.mkdirSync(path.join(root, folder), { recursive: true });
    return path.join(root, folder);
  };
  on.env = {
    ...process.env,
    FRAZIL_RUN_DIR: `${root}/run`,
    FRAZIL_STATE_DIR: `${root}/state`,
    FRAZIL_HOST_DIR: `${root}/host`,
  };
  return on;
}

/** Calls it, and returns the FrazilError that it throws. */
function throwing(call, code, errorClass, message) {
  let thrown;
  assert.throws(call, (error) => {
    thrown = error;
    return true;
  });
  assert.ok(thrown instanceof FrazilError, thrown.stack);
  if (code !== undefined) assert.equal(thrown.code, code, thrown.message);
  if (errorClass !== undefined) assert.equal(thrown.class, errorClass, thrown.message);
  if (message !== undefined) assert.match(thrown.message, message);
  return thrown;
}

module.exports = { scratch, throwing };
