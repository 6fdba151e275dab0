# SPDX-License-Identifier: MIT
"""The exceptions of frazil: one class for each thing that a caller can do about an error."""

from __future__ import annotations

from typing import Optional

__all__ = ["FatalError", "FencedError", "FrazilError", "RetryError", "SystemCallError", "UsageError"]


class FrazilError(Exception):
    """An error of frazil.  Catch one of its subclasses, which say what to do.

    code       its name in the manual, as "FRAZIL_EFULL"
    number     its number, negative
    message    one sentence: what failed, where, what to do next
    retry_ns   nanoseconds after which the same call can succeed; 0: not known
    behind_us  microseconds by which the clock is behind, where that is the reason; else 0
    position   of a text that was read: bytes before what is wrong; None: at no place
    errno      of the system for FRAZIL_ESYS; else 0
    """

    #: What can be done about it: "usage", "retry", "fenced" or "fatal".
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
        # All of them are arguments, so that the exception can be pickled: pools of processes hand it on.
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
        """Seconds after which the same call can succeed; 0.0: not known."""
        return self.retry_ns / 1e9


class UsageError(FrazilError, ValueError):
    """The call or the configuration is wrong: correct it."""

    error_class = "usage"


class RetryError(FrazilError, TimeoutError):
    """No id can be had right now: try again later, after `retry` seconds."""

    error_class = "retry"


class FencedError(FrazilError):
    """This generator cannot give ids now: its grant of the worker id has ended.  Go elsewhere, or wait."""

    error_class = "fenced"


class FatalError(FrazilError):
    """It will not get better by itself: the layout's life is over, or the system fails, or the generator is closed."""

    error_class = "fatal"


class SystemCallError(FatalError, OSError):
    """The system has failed, as where a folder may not be written; `errno` says how."""


def run_handlers() -> None:
    """Lets PyPy run the handlers of signals: it does so between two steps of a function of Python."""
    for _ in range(2):
        pass
