// SPDX-License-Identifier: MIT
// As types.ts, for the entry for browsers, which is an ES module alone.
import { open } from 'frazil';
import { type ErrorCode, FrazilError, layout, sno } from 'frazil/browser';

export function types(text: string) {
  const bytes: Uint8Array = sno.decode('brpk4q72xwf2m63l');
  // @ts-expect-error: a browser has no Buffer
  const buffer: Buffer = sno.decode('brpk4q72xwf2m63l');
  const worker: number = layout('twitter').inspect(text).worker;
  const code: ErrorCode = new FrazilError('', 'FRAZIL_EPARSE', 'usage').code;
  return [bytes, buffer, worker, code, open];
}
