// SPDX-License-Identifier: MIT
import * as node from './index.js';

/** The same as in frazil, with the same types. */
export {
  FrazilError,
  Layout,
  layout,
  version,
  textForms,
  format,
  parse,
  fromBytes,
  shard,
  hashWorker,
  collisionPpm,
  kasumi,
  scramble,
  unscramble,
  formatTime,
  parseTime,
} from './index.js';
export type {
  ErrorClass,
  ErrorCode,
  Fields,
  IdLike,
  LayoutDescription,
  Overlap,
  SnoFields,
  SnoLike,
  TextForm,
  Time,
} from './index.js';

/** Browsers have no Buffer: they get a Uint8Array. */
type InBrowsers<T> = T extends Uint8Array
  ? Uint8Array
  : T extends (...given: infer Given) => infer Result
    ? (...given: Given) => InBrowsers<Result>
    : T extends object
      ? { [Key in keyof T]: InBrowsers<T[Key]> }
      : T;

/** An id as 8 bytes, the highest first. */
export const toBytes: InBrowsers<typeof node.toBytes>;
/** Snos: 80-bit ids, of 10 bytes, or of 16 characters that sort alike. */
export const sno: InBrowsers<typeof node.sno>;
