#!/bin/sh
# SPDX-License-Identifier: MIT
# size.sh LIBRARY COMPILER_ID: libfrazil.so, stripped, has at most 248 KiB as gcc builds it.  Containers carry that much, and
# each process maps it.  Raise the limit only for a feature, and say here which:
# - 128 KiB until programs could bring worker ids and counters of their own
# - 160 KiB until files that others may have put there were refused with their reason
# - 176 KiB until 0.2 brought options, shared generators, health, events and one keeper's thread for all generators
# - 208 KiB until spellings of one layout, and names of other systems' settings were told apart
# - 216 KiB until the users of a host claimed their worker ids (12 KiB), and URLs were compared by their places
# - 232 KiB until each call had one deadline, waiters came in order, and claims that somebody removes came back (15 KiB)
# - 248 KiB until events could be waited for by a descriptor, constants read as rows, and ids taken by the fast path
# - 252 KiB until a process could end while its threads are in OpenSSL (0.3 KiB, over the edge of a page)
# - 256 KiB until tables held no pointers to texts, and the room of options no tables for unwinding
# - 240 KiB until a thread that wakes late kept what it had waited for (1 KiB, over the edge of a page)
# - 244 KiB until a full pool was waited for, and calls kept their time without a thread (4 KiB)
# - 248 KiB until folders were known again, so that no claim or grant moves with a path after chroot() (1.5 KiB, over an edge)
# - 252 KiB until gcc made small code of the rooms that are never hot by -Oz, and no table padded its sentences (4 KiB)
#
# The file grows by whole pages of 4 KiB.
# The same code is a fifteenth larger as clang builds it.
set -eu

allowed=253952
[ "$2" = GNU ] || allowed=266240
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
strip -o "$scratch/library" "$1"
bytes=$(wc -c <"$scratch/library")
echo "stripped: $bytes bytes, $allowed allowed"
[ "$bytes" -le "$allowed" ]
