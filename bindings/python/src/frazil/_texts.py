# SPDX-License-Identifier: MIT
"""64-bit ids as text and bytes, shards, hashed worker numbers, and kasumi, konayuki's scrambler."""

from __future__ import annotations

from . import _frazil

#: The names of all text forms.  Forms of fixed width sort like the numbers, except base64url.
#: base58, base62 and base64url need a case-sensitive collation: under another one, a database takes different ids as
#: equal.
TEXT_FORMS = tuple(_frazil.text_forms())


def to_text(id: int, form: str = "dec") -> str:
    """Returns an id in a text form: "dec", "crockford", "hex", "base62" and so on."""
    return _frazil.id_format(id, form)


def from_text(text: str, form: str = "dec") -> int:
    """Reads an id strictly: it refuses text that the form would not write."""
    return _frazil.id_parse(text, form)


def to_bytes(id: int) -> bytes:
    """Returns an id as 8 bytes, big-endian, which sort as the numbers do."""
    return _frazil.bytes_write(id)


def from_bytes(data: bytes) -> int:
    """Reads an id of exactly 8 bytes, big-endian."""
    return _frazil.bytes_read(data)


def shard(id: int, shards: int) -> int:
    """Returns the shard of an id as konayuki computes it."""
    return _frazil.shard(id, shards)


def worker_hash(text: str, workers: int) -> int:
    """Returns a worker number for a host name or address as konayuki computes it.  Two hosts can get the same."""
    return _frazil.worker_hash(text, workers)


def worker_collision(hosts: int, workers: int) -> int:
    """Returns the probability that two hosts share a hashed worker number, in parts per million, rounded up."""
    return _frazil.worker_collision(hosts, workers)


def new_salt() -> int:
    """Returns a new salt for scramble().  Keep it: scrambled ids cannot be read without it."""
    return _frazil.salt_new()


def kasumi(salt: int, id: int) -> int:
    """Returns the scrambled id as a number; the same call unscrambles it."""
    return _frazil.kasumi(salt, id)


def scramble(salt: int, id: int, *, checked: bool = False) -> str:
    """Returns the id as konayuki's scrambled text, with check digits if wanted.  It hides nothing from an attacker."""
    return _frazil.scramble(salt, checked, id)


def unscramble(salt: int, text: str, *, checked: bool = False) -> int:
    """Returns the id of a scrambled text."""
    return _frazil.unscramble(salt, checked, text)
