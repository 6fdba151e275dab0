# SPDX-License-Identifier: MIT
"""multiprocessing: ids in a pool of processes, forked or spawned.  FRAZIL_WORKER says which worker this host is.

A spawned process imports the module anew and opens the generator anew; kept state makes it go on where all of them are.
"""

import multiprocessing
import sys

import frazil

ids = frazil.open("layout=frazil")


def work(n):
    return ids.next_n(n)


if __name__ == "__main__":
    method = sys.argv[1] if len(sys.argv) > 1 else "spawn"
    with multiprocessing.get_context(method).Pool(4) as pool:
        batches = pool.map(work, [500] * 20, chunksize=1)
    taken = [id for batch in batches for id in batch]
    print(f"{len(taken)} ids, {len(set(taken))} of them different")
