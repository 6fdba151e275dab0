// SPDX-License-Identifier: MIT
'use strict';

/** Prisma: an extension of the client gives each new order its id. schema.prisma says BigInt, without a default. */

const { PrismaBetterSqlite3 } = require('@prisma/adapter-better-sqlite3');
const { open } = require('frazil');
const { PrismaClient } = require('./generated');

const ids = open();
const withId = (data) => ({ id: ids.next(), ...data });

const client = new PrismaClient({
  adapter: new PrismaBetterSqlite3({ url: process.env.DATABASE ?? ':memory:' }),
}).$extends({
  query: {
    order: {
      create: ({ args, query }) => query({ ...args, data: withId(args.data) }),
      createMany: ({ args, query }) => query({ ...args, data: [args.data].flat().map(withId) }),
      upsert: ({ args, query }) => query({ ...args, create: withId(args.create) }),
    },
  },
});

module.exports = { client, ids };
