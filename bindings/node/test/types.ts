// SPDX-License-Identifier: MIT
// tsc compiles this and nobody runs it: the declared types are those of the calls.
import { type ErrorCode, FrazilError, layout, open, openShared } from 'frazil';
import FlakeId = require('frazil/flake-idgen');

export async function types() {
  const ids = open({ layout: 'twitter', worker: 'fixed:7' });
  open({ worker: 'fixed:7', namespace: null, maxWait: undefined });
  open({ worker: 'fixed:7', hostDir: '/dev/shm', share: 'host', keeper: 'other' });
  open({ worker: 7, maxWait: 10, epoch: new Date(), layout: layout('twitter'), partition: [65, 10] });
  openShared({ worker: 7, horizon: '60s' });
  // @ts-expect-error: a time span is no Date
  open({ worker: 7, maxWait: new Date() });
  // @ts-expect-error: a text is no boolean
  open({ allowShortLife: 'true' });
  const id: bigint = ids.next();
  const text: string = ids.nextString();
  ids.nextString('crockford');
  // @ts-expect-error it is no form
  ids.nextString('crokford');
  const maybe: bigint | null = ids.tryNext();
  const many: BigUint64Array = await ids.take(10);
  for (const id of ids) if (id > 0n) break;
  for await (const id of ids) if (id > 0n) break;
  const three: bigint[] = Array.from({ length: 3 }, () => ids.next());
  const issued: number = ids.stats().issued;
  for (const { kind, code } of ids.events()) console.log(kind satisfies string, code satisfies string | null);
  const isClosed: boolean = ids.closed;
  const code: ErrorCode = new FrazilError('', 'FRAZIL_EFULL', 'retry').code;
  // @ts-expect-error: there is no such code
  if (code === 'FRAZIL_ENONE') throw new Error();
  const ms: number = ids.inspect(id).unixMs;
  layout('twitter').range(ms - 3_600_000, ms);
  const bytes: Buffer = new FlakeId({ datacenter: 9, worker: 7 }).next();
  // @ts-expect-error: an id is no number
  const number: number = ids.next();
  // @ts-expect-error: a number in place of an id is refused
  ids.inspect(5);
  await ids.closeAsync();
  return [text, maybe, many, bytes, number, three, issued, isClosed];
}
