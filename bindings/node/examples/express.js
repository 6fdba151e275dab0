// SPDX-License-Identifier: MIT
'use strict';

/** Express: ids leave as strings, and come back as strings. FRAZIL_WORKER says where the worker number comes from. */

const express = require('express');
const { FrazilError, open, parse } = require('frazil');

const ids = open();
const orders = new Map();
const app = express();
app.use(express.json());

// JSON.stringify throws on a bigint, and a number would lose digits.
app.set('json replacer', (key, value) => (typeof value === 'bigint' ? String(value) : value));

app.post('/orders', async (request, response) => {
  // take waits in the event loop where next would throw.
  const [id] = await ids.take(1);
  const order = { id, item: request.body.item };
  orders.set(id, order);
  response.status(201).json(order);
});

app.get('/orders/:id', (request, response) => {
  const order = orders.get(parse(request.params.id));
  if (order === undefined) response.status(404).json({ error: 'there is no such order' });
  else response.json(order);
});

app.get('/health', (request, response) => {
  const { state, serving } = ids.health();
  response.status(serving ? 200 : 503).json({ state });
});

// Express tells handlers of errors from others by their four parameters.
app.use((error, request, response, next) => {
  if (!(error instanceof FrazilError)) return next(error);
  if (error.class === 'retry') response.set('Retry-After', String(Math.ceil(error.retryMs / 1000)));
  response.status(error.class === 'usage' ? 400 : 503).json({ error: error.message });
});

module.exports = { app, ids };
