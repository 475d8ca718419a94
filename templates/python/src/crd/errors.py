"""The errors of the client. Every message says what happened and what to do."""

from __future__ import annotations

from .terminal import printable


class CrdError(Exception):
    """Any error of the client. Its text can quote a service: it is one line without control characters."""

    def __init__(self, text: str = "") -> None:
        super().__init__(printable(text))


class UsageError(CrdError, ValueError):
    """A wrong argument or setting."""


class MissingPackageError(CrdError, ImportError):
    """An optional package is not installed."""


class AccessError(CrdError):
    """The service refuses the key, or the plan does not include the file. The message names a plan that does."""

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.code = code


class NotFoundError(CrdError):
    """The file does not exist, or its date was withdrawn."""


class TemporaryError(CrdError):
    """A temporary error that remained after all retries; a later run may succeed."""

    def __init__(self, text: str, seconds: float | None = None) -> None:
        super().__init__(text)
        self.seconds = seconds  # the wait that the service asked for, if any


class FileError(TemporaryError):
    """A temporary error of one file; other files can still be fetched."""


class DamagedError(FileError):
    """The bytes of a file do not have the listed size or digest."""


class IncompleteError(TemporaryError):
    """A mirror is incomplete; the next run continues it."""


class DataError(CrdError):
    """A document of the service, or a file, is not what it must be. The message names the first invalid value."""


class ChangedError(CrdError):
    """A file changed after its manifest was read, because a release was published in between. Run it again."""
