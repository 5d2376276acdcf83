"""The error tree: what the world did wrong is told apart from what we did wrong.

QtuneError
├── KnownError   the world is at fault: one sentence and a hint reach the user, no traceback
└── BugError     we are at fault: logged with its traceback, shown as a fault of the program
"""

from __future__ import annotations

from qtune.core.messages import Message, ParamValue


class QtuneError(Exception):
    """Root of every error qtune raises on purpose."""


class KnownError(QtuneError):
    """Something outside the program went wrong, in a way that has a sentence.

    Attributes:
        message: The stable code with its parameters; renders to one sentence and a hint.
    """

    def __init__(self, code: str, /, **params: ParamValue) -> None:
        self.message = Message.of(code, **params)
        super().__init__(self.message.sentence())

    @property
    def code(self) -> str:
        """Stable identifier of the fault, e.g. ``model_not_gguf``."""
        return self.message.code

    @classmethod
    def from_message(cls, message: Message) -> KnownError:
        """Raise-able form of a message that was carried as a value until now."""
        return cls(message.code, **dict(message.params))


class BugError(QtuneError):
    """A condition our own code promised could not happen."""
