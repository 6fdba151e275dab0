// SPDX-License-Identifier: MIT
import * as node from './index.js';

/** These names and types are the same as in Node. */
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

/** The type with Uint8Array in place of Buffer, which browsers do not have. */
type InBrowsers<T> = T extends Uint8Array
  ? Uint8Array
  : T extends (...given: infer Given) => infer Result
    ? (...given: Given) => InBrowsers<Result>
    : T extends object
      ? { [Key in keyof T]: InBrowsers<T[Key]> }
      : T;

/** Returns an id as 8 bytes, big-endian. */
export const toBytes: InBrowsers<typeof node.toBytes>;
/** Functions for snos: 80-bit ids of 10 bytes, or of 16 characters that sort in the same order. */
export const sno: InBrowsers<typeof node.sno>;
