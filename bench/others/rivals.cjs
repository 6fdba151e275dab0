// SPDX-License-Identifier: MIT
// What ids of packages for Node.js cost, and of Node.js itself: lines as those of rivals.c.
// Run with NODE_PATH at a folder in which they are installed.
"use strict";
const { randomUUID } = require("node:crypto");
const FlakeId = require("flake-idgen");
const { Snowflake: SapphireSnowflake } = require("@sapphire/snowflake");
const { Snowflake: NodejsSnowflake } = require("nodejs-snowflake");

const flake = new FlakeId();
const sapphire = new SapphireSnowflake(new Date("2026-01-01T00:00:00Z"));
const nodejs = new NodejsSnowflake({ custom_epoch: Date.parse("2026-01-01T00:00:00Z") });

// flake-idgen throws when the ids of a millisecond are used up: then it is asked again.
function flakeNext() {
    for (;;) {
        try {
            return flake.next();
        } catch (error) {
            continue;
        }
    }
}

const functions = [
    ["flake-idgen next()", flakeNext],
    ["@sapphire/snowflake generate()", () => sapphire.generate()],
    ["nodejs-snowflake getUniqueID()", () => nodejs.getUniqueID()],
    ["Node.js crypto.randomUUID()", () => randomUUID()],
];

const rounds = 31;
const count = 20000;
let sink;

function sample(generate) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < count; i++) sink = generate();
    return Number(process.hrtime.bigint() - start) / count;
}

const samples = functions.map(() => []);
for (let round = 0; round < rounds + 3; round++) {
    functions.forEach(([, generate], i) => {
        const ns = sample(generate);
        if (round >= 3) samples[i].push(ns); // the first ones are compiled meanwhile
    });
}
functions.forEach(([name], i) => {
    const sorted = samples[i].sort((a, b) => a - b);
    const at = (share) => sorted[Math.floor(rounds * share)].toFixed(2);
    console.log([name, at(0.5), at(0.25), at(0.75), rounds].join("\t"));
});
if (sink === undefined) process.exit(1);
