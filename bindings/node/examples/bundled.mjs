// SPDX-License-Identifier: MIT
// What recipes.sh puts through bundlers and other runtimes: it prints ok.
import { open } from 'frazil';
import FlakeId from 'frazil/flake-idgen';

async function main() {
  const ids = open({ worker: 7, state: 'memory' });
  const taken = [ids.next(), ...(await ids.take(100))];
  for await (const id of ids) if (taken.push(id) === 110) break;
  for (const id of ids) if (taken.push(id) === 120) break;
  new FlakeId({ id: 9 }).next((error, bytes) => console.log(!error && bytes.length === 8 ? 'ok' : error));
  await ids.closeAsync();
  if (new Set(taken).size !== 120 || !ids.closed) throw new Error('an id was made twice');
}

main();
