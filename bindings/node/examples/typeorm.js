// SPDX-License-Identifier: MIT
'use strict';

/** TypeORM: a bigint column whose values are bigints, also where the driver has strings (PostgreSQL, MySQL). */

const { open } = require('frazil');
const { DataSource, EntitySchema, EventSubscriber } = require('typeorm');

const ids = open();

/** For each column that holds an id. Conditions of find go through it as well. */
const idColumn = {
  to: (id) => (typeof id === 'bigint' ? String(id) : id),
  from: (value) => {
    // Such a driver has to be told not to make numbers of them, as below.
    if (typeof value === 'number') throw new RangeError('the driver gives ids as numbers, which lose digits');
    return value === null ? null : BigInt(value);
  },
};

class Order {}

const orders = new EntitySchema({
  name: 'Order',
  target: Order,
  columns: {
    id: { type: 'bigint', primary: true, transformer: idColumn },
    item: { type: 'text' },
  },
});

/** Gives an id to each order that is new, and waits in the event loop if this millisecond has no more. */
class IdsOfOrders {
  listenTo() {
    return Order;
  }

  async beforeInsert({ entity }) {
    entity.id ??= (await ids.take(1))[0];
  }
}
EventSubscriber()(IdsOfOrders); // in TypeScript: @EventSubscriber() above the class

const source = new DataSource({
  type: 'better-sqlite3',
  database: process.env.DATABASE ?? ':memory:',
  entities: [orders],
  subscribers: [IdsOfOrders],
  synchronize: true,
  // SQLite's driver gives numbers unless it is told so; those of PostgreSQL and MySQL give strings.
  prepareDatabase: (database) => database.defaultSafeIntegers(),
});

module.exports = { Order, ids, source };
