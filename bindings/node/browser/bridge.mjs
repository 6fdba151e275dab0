// SPDX-License-Identifier: MIT

/**
 * The end of frazil/browser: build.sh puts lib/core.js in front of it in place of the import, and in between `WASM`, the pure
 * part of the library in base64. It gives the shims of the addon the part of Node-API that they use (libc/node_api.h).
 */

/* global WASM */
import { FrazilError, makeCore } from '../lib/core.js';

const TYPES = [
  'undefined',
  'null',
  'boolean',
  'number',
  'string',
  'symbol',
  'object',
  'function',
  'external',
  'bigint',
];
const UINT8_ARRAY = 1;
const OTHER_ARRAY = 11;
const AUTO_LENGTH = 0xffffffff;

let exported;
let values = [undefined]; // of a call; the first is what a null pointer stands for
let thrown;

const view = () => new DataView(exported.memory.buffer);
const bytesAt = (at, length) => new Uint8Array(exported.memory.buffer, at, length);

function textAt(at, length = AUTO_LENGTH) {
  const size = length >>> 0 === AUTO_LENGTH ? bytesAt(at).indexOf(0) : length;
  return new TextDecoder().decode(bytesAt(at, size));
}

/** Writes a value's place for C; 0 is napi_ok. */
function give(ret, value) {
  view().setUint32(ret, values.push(value) - 1, true);
  return 0;
}

function set(method, ret, value) {
  view()[method](ret, value, true);
  return 0;
}

function typeOf(value) {
  return TYPES.indexOf(value === null ? 'null' : typeof value);
}

/** printf with %s, %.40s, %d, %zu and %.0f, whose arguments lie one behind the other. */
function print(to, size, format, list) {
  let at = list;
  const text = textAt(format).replace(/%(?:\.([0-9]+))?(s|d|zu|f)/g, (_, precision, conversion) => {
    if (conversion === 'f') {
      at = (at + 7) & ~7;
      at += 8;
      return view()
        .getFloat64(at - 8, true)
        .toFixed(Number(precision));
    }
    at += 4;
    if (conversion === 's') return textAt(view().getUint32(at - 4, true)).slice(0, precision ?? Infinity);
    return String(conversion === 'd' ? view().getInt32(at - 4, true) : view().getUint32(at - 4, true));
  });
  const { written } = new TextEncoder().encodeInto(text, bytesAt(to, size - 1));
  bytesAt(to)[written] = 0;
  return written;
}

/** Writes a text and a zero byte, or says only how long it is. */
function giveText(value, to, size, ret) {
  const bytes = new TextEncoder().encode(value);
  if (to === 0) return set('setUint32', ret, bytes.length);
  const part = bytes.subarray(0, size - 1);
  bytesAt(to, part.length).set(part);
  bytesAt(to)[part.length] = 0;
  return set('setUint32', ret, part.length);
}

/** Copies the content of a typed array to where C can read it. */
function giveBytes(value, retType, retLength, retData) {
  const copy = exported.malloc(value.byteLength);
  bytesAt(copy, value.byteLength).set(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  set('setUint32', retType, value instanceof Uint8Array ? UINT8_ARRAY : OTHER_ARRAY);
  set('setUint32', retLength, value.length);
  return set('setUint32', retData, copy);
}

const api = {
  vsnprintf: print,
  napi_typeof: (_, v, ret) => set('setUint32', ret, typeOf(values[v])),
  napi_get_value_double: (_, v, ret) => set('setFloat64', ret, values[v]),
  napi_get_value_bigint_uint64(_, v, ret, retLossless) {
    set('setBigUint64', ret, BigInt.asUintN(64, values[v]));
    return set('setUint8', retLossless, BigInt.asUintN(64, values[v]) === values[v] ? 1 : 0);
  },
  napi_get_value_bool: (_, v, ret) => set('setUint8', ret, values[v] ? 1 : 0),
  napi_is_date: (_, v, ret) => set('setUint8', ret, values[v] instanceof Date ? 1 : 0),
  napi_get_date_value: (_, v, ret) => set('setFloat64', ret, values[v].getTime()),
  napi_get_value_string_utf8: (_, v, to, size, ret) => giveText(values[v], to, size, ret),
  napi_is_typedarray: (_, v, ret) =>
    set('setUint8', ret, ArrayBuffer.isView(values[v]) && !(values[v] instanceof DataView) ? 1 : 0),
  napi_get_typedarray_info: (_, v, retType, retLength, retData) => giveBytes(values[v], retType, retLength, retData),
  napi_create_bigint_uint64: (_, number, ret) => give(ret, BigInt.asUintN(64, number)),
  napi_create_double: (_, number, ret) => give(ret, number),
  napi_get_boolean: (_, truth, ret) => give(ret, truth !== 0),
  napi_create_string_utf8: (_, at, length, ret) => give(ret, textAt(at, length)),
  napi_create_buffer_copy: (_, length, at, retData, ret) => give(ret, bytesAt(at, length).slice()),
  napi_create_object: (_, ret) => give(ret, {}),
  napi_set_named_property(_, object, name, v) {
    values[object][textAt(name)] = values[v];
    return 0;
  },
  napi_create_array: (_, ret) => give(ret, []),
  napi_set_element(_, array, i, v) {
    values[array][i] = values[v];
    return 0;
  },
  napi_get_reference_value: (_, ref, ret) => give(ret, FrazilError),
  napi_new_instance(_, of, n, list, ret) {
    const fields = Array.from({ length: n }, (unused, i) => values[view().getUint32(list + 4 * i, true)]);
    return give(ret, new values[of](...fields));
  },
  napi_throw(_, error) {
    thrown = values[error];
    return 0;
  },
};

function call(number, given) {
  values = [undefined, ...given];
  thrown = undefined;
  const result = values[exported.call(number, given.length)];
  values = [undefined];
  if (thrown !== undefined) throw thrown;
  return result;
}

const module = Uint8Array.from(atob(WASM), (character) => character.charCodeAt(0));
exported = (await WebAssembly.instantiate(module, { env: api })).instance.exports;

const native = {};
for (let number = 0; exported.name(number) !== 0; number++) {
  native[textAt(exported.name(number))] = (...given) => call(number, given);
}
const core = makeCore(native);

export { FrazilError };
export const {
  Layout,
  layout,
  sno,
  version,
  textForms,
  format,
  parse,
  toBytes,
  fromBytes,
  shard,
  hashWorker,
  collisionPpm,
  kasumi,
  scramble,
  unscramble,
  formatTime,
  parseTime,
} = core;
