# SPDX-License-Identifier: MIT
"""Prints 2,500 ids of a process and of its child, which C forks while a block is begun."""

import ctypes
import os

import block

ids = block.Ids(os.environ["FRAZILD_URL"])
first = [ids.next() for _ in range(100)]
child = ctypes.CDLL(None).fork()
rest = [ids.next() for _ in range(1200)]
if child == 0:
    os.write(1, "".join(f"{id_}\n" for id_ in rest).encode())
    os._exit(0)
os.waitpid(child, 0)
print(*first, *rest, sep="\n")
