# SPDX-License-Identifier: MIT
"""The exceptions of frazil: one class for each way to handle an error."""

from __future__ import annotations

from typing import Optional

__all__ = ["FatalError", "FencedError", "FrazilError", "RetryError", "SystemCallError", "UsageError"]


class FrazilError(Exception):
    """An error of frazil.  Catch a subclass, which tells what to do.

    code       the name of the error in the manual, such as "FRAZIL_EFULL"
    number     the number of the error, negative
    message    one sentence: what failed, where, what to do next
    retry_ns   nanoseconds after which the same call can succeed; 0 if unknown
    behind_us  microseconds by which the clock is behind, if that is the reason; else 0
    position   for a parse error: the offset of the first wrong byte; else None
    errno      for FRAZIL_ESYS: the errno of the system; else 0
    """

    #: The class of the error: "usage", "retry", "fenced" or "fatal".
    error_class = "fatal"
    errno: Optional[int]

    def __init__(
        self,
        message: str,
        code: str = "FRAZIL_EINVAL",
        number: int = -1,
        retry_ns: int = 0,
        behind_us: int = 0,
        position: int = -1,
        errno: int = 0,
    ) -> None:
        # All values are arguments, so that process pools can pickle the exception.
        super().__init__(message, code, number, retry_ns, behind_us, position, errno)
        self.message = message
        self.code = code
        self.number = number
        self.retry_ns = retry_ns
        self.behind_us = behind_us
        self.position = position if position >= 0 else None
        self.errno = errno

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"

    @property
    def retry(self) -> float:
        """Seconds after which the same call can succeed; 0.0 if unknown."""
        return self.retry_ns / 1e9


class UsageError(FrazilError, ValueError):
    """The call or the configuration is wrong: correct it."""

    error_class = "usage"


class RetryError(FrazilError, TimeoutError):
    """No id is available right now: try again after `retry` seconds."""

    error_class = "retry"


class FencedError(FrazilError):
    """The generator cannot issue ids now: its grant of the worker id has ended.  Use another generator, or wait."""

    error_class = "fenced"


class FatalError(FrazilError):
    """The error will not go away: the layout has no tick left, the system fails, or the generator is closed."""

    error_class = "fatal"


class SystemCallError(FatalError, OSError):
    """A system call failed, for example because a folder is not writable; `errno` tells why."""


def run_handlers() -> None:
    """Lets PyPy run signal handlers, which it does between two steps of a Python function."""
    for _ in range(2):
        pass
