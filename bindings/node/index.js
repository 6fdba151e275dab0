// SPDX-License-Identifier: MIT
'use strict';

const {
  core,
  native,
  open,
  openAsync,
  openShared,
  Generator,
  ManualClock,
  FrazilError,
} = require('./lib/generator.js');

// One by one, so that Node finds the names when an ES module imports them.
exports.open = open;
exports.openAsync = openAsync;
exports.openShared = openShared;
exports.Generator = Generator;
exports.ManualClock = ManualClock;
exports.FrazilError = FrazilError;
exports.Layout = core.Layout;
exports.layout = core.layout;
exports.sno = core.sno;
exports.version = core.version;
exports.textForms = core.textForms;
exports.format = core.format;
exports.parse = core.parse;
exports.toBytes = core.toBytes;
exports.fromBytes = core.fromBytes;
exports.shard = core.shard;
exports.hashWorker = core.hashWorker;
exports.collisionPpm = core.collisionPpm;
exports.kasumi = core.kasumi;
exports.scramble = core.scramble;
exports.unscramble = core.unscramble;
exports.newSalt = native.newSalt;
exports.formatTime = core.formatTime;
exports.parseTime = core.parseTime;
