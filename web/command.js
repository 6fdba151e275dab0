// SPDX-License-Identifier: MIT

/**
 * The command `frazil` in WebAssembly, with as much of WASI around it as it asks for: arguments, a clock, and two
 * streams that are written. It has no files, no environment and no network.
 */

/* global WASM */

const WASI_OK = 0;
const WASI_EBADF = 8;
const WASI_ENOSYS = 52;
const CHARACTER_DEVICE = 2;

/** What ends a run before its main function returns. */
class Exit extends Error {
  constructor(status) {
    super(`exit status ${status}`);
    this.status = status;
  }
}

/** The module out of base64 and gzip. */
async function readModule(base64) {
  const zipped = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new DecompressionStream('gzip');
  const writer = stream.writable.getWriter();
  void writer.write(zipped).then(() => writer.close());
  return new Response(stream.readable).arrayBuffer();
}

/**
 * Makes the function that runs the command: (arguments) -> { status, out, err }. A run begins with the memory that the
 * module began with, so that nothing of an earlier run is left.
 */
async function makeCommand(bytes) {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let given = [];
  let written = { 1: '', 2: '' };

  const view = () => new DataView(exported.memory.buffer);
  const bytesAt = (at, length) => new Uint8Array(exported.memory.buffer, at, length);

  const host = {
    args_sizes_get(retCount, retSize) {
      view().setUint32(retCount, given.length, true);
      const size = given.reduce((sum, argument) => sum + argument.length, 0);
      view().setUint32(retSize, size, true);
      return WASI_OK;
    },
    args_get(retPointers, to) {
      given.forEach((argument, i) => {
        view().setUint32(retPointers + 4 * i, to, true);
        bytesAt(to, argument.length).set(argument);
        to += argument.length;
      });
      return WASI_OK;
    },
    clock_time_get(id, precision, ret) {
      view().setBigUint64(ret, BigInt(Date.now()) * 1000000n, true);
      return WASI_OK;
    },
    fd_write(fd, parts, count, ret) {
      let size = 0;
      for (let i = 0; i < count; i++) {
        const length = view().getUint32(parts + 8 * i + 4, true);
        written[fd] += decoder.decode(bytesAt(view().getUint32(parts + 8 * i, true), length));
        size += length;
      }
      view().setUint32(ret, size, true);
      return WASI_OK;
    },
    fd_fdstat_get(fd, ret) {
      bytesAt(ret, 24).fill(0);
      view().setUint8(ret, CHARACTER_DEVICE);
      return WASI_OK;
    },
    fd_prestat_get: () => WASI_EBADF,
    proc_exit(status) {
      throw new Exit(status);
    },
  };
  const imports = new Proxy(host, { get: (known, name) => known[name] ?? (() => WASI_ENOSYS) });
  const { instance } = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: imports });
  const exported = instance.exports;
  const memoryAtStart = bytesAt(0).slice();
  const stackAtStart = exported.__stack_pointer.value;

  return function frazil(...words) {
    given = ['frazil', ...words].map((word) => encoder.encode(`${word}\0`));
    written = { 1: '', 2: '' };
    bytesAt(0).fill(0);
    bytesAt(0).set(memoryAtStart);
    exported.__stack_pointer.value = stackAtStart;
    let status = 0;
    try {
      exported._start();
    } catch (end) {
      if (!(end instanceof Exit)) throw end;
      status = end.status;
    }
    return { status, out: written[1], err: written[2] };
  };
}
