"""Where the files of a verification come from: a service, or the folder of a mirror."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from ..cache import sha256_hex
from ..errors import AccessError, DamagedError, NotFoundError, TemporaryError, UsageError
from ..files import Files, Received
from ..local_files import inside, read_file
from ..trust_paths import MIRRORED
from .faults import VerificationError


class Source(Protocol):
    """Reads files that are not verified yet. Raises VerificationError "unreachable" if there is no answer."""

    def read(self, path: str, fresh: bool, size: int | None = None) -> Received | None:
        """
        Returns a file by its URL path; None if there is none. `fresh` asks caches to revalidate. A file of more than
        `size` bytes is cut off.
        """

    def name(self, path: str) -> str:
        """Returns how messages name a file."""


class Site:
    """A service. Subscriber files are read with its key."""

    def __init__(self, files: Files) -> None:
        self.files = files

    def name(self, path: str) -> str:
        return path

    def read(self, path: str, fresh: bool, size: int | None = None) -> Received | None:
        try:
            return self.files.receive_public(path, fresh, size)
        except NotFoundError:
            return None
        except (TemporaryError, AccessError) as fault:
            raise VerificationError("unreachable", path, str(fault)) from fault

    def subscriber(self, path: str, sha256: str | None) -> bytes | None:
        """
        Returns a subscriber file; None if there is none. If the service says that it has the bytes of this digest, or
        without one those of the last download, and the cache has them too, they are not downloaded again. Raises
        AccessError if the plan does not include it.
        """
        try:
            if sha256 is None:
                return self.files.subscriber(path).data
            data = self.files.newest(path, self.files.cache.read(sha256))
        except NotFoundError:
            return None
        except DamagedError as fault:
            raise VerificationError("file-altered", path, "not the bytes that its link names") from fault
        except TemporaryError as fault:
            raise VerificationError("unreachable", path, str(fault)) from fault
        if sha256_hex(data) == sha256:
            self.files.cache.write(data, sha256)
        return data


class Folder:
    """A mirror that `crd sync` created."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if not folder.is_dir():
            raise UsageError(f"{folder} is not a folder. Use the one of crd sync --to, or the address of a service.")

    def name(self, path: str) -> str:
        return MIRRORED.get(path, path)

    def read(self, path: str, fresh: bool, size: int | None = None) -> Received | None:  # noqa: ARG002
        data = self.file(MIRRORED[path])
        return None if data is None else Received(data, False)

    def file(self, name: str) -> bytes | None:
        """Returns a file by its path in the folder; None if there is none."""
        try:
            return read_file(inside(self.folder, name))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as fault:
            raise VerificationError("unreachable", name, str(fault)) from fault
