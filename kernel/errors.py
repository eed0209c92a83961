"""The errors that people see.

TesaError                   one sentence for a person, a stable code for a program
├── InvalidInput            the input cannot be used; says what is wrong and where
│   └── Conflict            well-formed input that does not fit what is stored
├── NotFound                nothing is stored under that id or name
├── NotAllowed              this person may not do this
├── WrongState              the object is not in a state that allows this
├── UnknownPlugin           no plug-in has that name
├── Cancelled               somebody asked the running job to stop
└── Unavailable             an outside service did not answer; trying again may help
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class TesaError(Exception):
    """Base of all errors whose text may be shown to the person who caused them."""

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 400

    @property
    def message(self) -> str:
        return str(self)


class InvalidInput(TesaError):
    """Input that cannot be used. `field` or `where` (file, line) says which part of it."""

    code = "invalid_input"
    status = 422

    def __init__(self, problem: str, *, field: str = "", where: str = "", others: Sequence[str] = ()) -> None:
        """`others`: what else is wrong in the same field."""
        self.problem, self.field, self.where, self.others = problem, field, where, tuple(others)
        place = where or field
        super().__init__(f"{place}: {problem}" if place else problem)

    @property
    def sentence(self) -> str:
        """The problem as a sentence, to be shown beside its field."""
        return f"{self.problem[:1].upper()}{self.problem[1:].removesuffix('.')}."


class Conflict(InvalidInput):
    code = "conflict"
    status = 409


class NotFound(TesaError):
    """Without a message, the answer is the page for an address that does not exist."""

    code = "not_found"
    status = 404


class NotAllowed(TesaError):
    code = "not_allowed"
    status = 403


class WrongState(TesaError):
    code = "wrong_state"
    status = 409


class UnknownPlugin(TesaError):
    code = "unknown_plugin"


class Cancelled(TesaError):
    code = "cancelled"
    status = 409


class Unavailable(TesaError):
    code = "unavailable"
    status = 503
