// SPDX-License-Identifier: MIT
// tsc compiles this and nobody runs it: the declared types are those of the calls.
import { FrazilError, layout, open } from 'frazil';
import { sno, layout as layoutInBrowsers } from 'frazil/browser';
import FlakeId = require('frazil/flake-idgen');

export async function types() {
  const ids = open({ layout: 'twitter', worker: 'fixed:7' });
  open({ worker: 'fixed:7', namespace: null, maxWait: undefined });
  open({ worker: 'fixed:7', hostDir: '/dev/shm', share: 'host', keeper: 'other' });
  // @ts-expect-error: a text is no boolean
  open({ allowShortLife: 'true' });
  const id: bigint = ids.next();
  const text: string = ids.nextString();
  const maybe: bigint | null = ids.tryNext();
  const many: BigUint64Array = await ids.take(10);
  const ms: number = ids.inspect(id).unixMs;
  layout('twitter').range(ms - 3_600_000, ms);
  const bytes: Buffer = new FlakeId({ datacenter: 9, worker: 7 }).next();
  const inBrowsers: Uint8Array = sno.decode('brpk4q72xwf2m63l');
  const worker: number = layoutInBrowsers('twitter').inspect(text).worker;
  // @ts-expect-error: an id is no number
  const number: number = ids.next();
  // @ts-expect-error: a number in place of an id is refused
  ids.inspect(5);
  await ids.closeAsync();
  return [text, maybe, many, bytes, inBrowsers, worker, number, FrazilError];
}
