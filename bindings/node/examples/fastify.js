// SPDX-License-Identifier: MIT
'use strict';

/** Fastify: the schema of an answer says that its id is a string, and Fastify writes the bigint as one. */

const { FrazilError, open, parse } = require('frazil');
const fastify = require('fastify');

const ids = open();
const orders = new Map();
const app = fastify();
const order = { type: 'object', properties: { id: { type: 'string' }, item: { type: 'string' } } };

app.post('/orders', { schema: { response: { 201: order } } }, async (request, reply) => {
  const [id] = await ids.take(1);
  orders.set(id, { id, item: request.body.item });
  return reply.code(201).send(orders.get(id));
});

app.get('/orders/:id', { schema: { response: { 200: order } } }, async (request, reply) => {
  const found = orders.get(parse(request.params.id));
  return found ?? reply.code(404).send({ error: 'there is no such order' });
});

app.setErrorHandler((error, request, reply) => {
  if (!(error instanceof FrazilError)) return reply.send(error);
  if (error.class === 'retry') reply.header('Retry-After', Math.ceil(error.retryMs / 1000));
  return reply.code(error.class === 'usage' ? 400 : 503).send({ error: error.message });
});

// Gives the worker number back.
app.addHook('onClose', () => ids.closeAsync());

module.exports = { app, ids };
