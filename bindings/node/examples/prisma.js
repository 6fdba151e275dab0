// SPDX-License-Identifier: MIT
'use strict';

/** Prisma: an extension of the client gives each new order its id. schema.prisma says BigInt, without a default. */

const { PrismaBetterSqlite3 } = require('@prisma/adapter-better-sqlite3');
const { open } = require('frazil');
const { PrismaClient } = require('./generated');

const ids = open();

/** Gives each row an id. More rows than a millisecond has ids are waited for in the event loop. */
async function withIds(rows) {
  const taken = await ids.take(rows.length);
  return rows.map((row, i) => ({ id: taken[i], ...row }));
}

const withId = async (row) => (await withIds([row]))[0];
const createMany = async ({ args, query }) => query({ ...args, data: await withIds([args.data].flat()) });

const client = new PrismaClient({
  adapter: new PrismaBetterSqlite3({ url: process.env.DATABASE ?? ':memory:' }),
}).$extends({
  query: {
    order: {
      create: async ({ args, query }) => query({ ...args, data: await withId(args.data) }),
      createMany,
      createManyAndReturn: createMany,
      upsert: async ({ args, query }) => query({ ...args, create: await withId(args.create) }),
    },
  },
});

module.exports = { client, ids };
