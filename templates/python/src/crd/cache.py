"""A folder of downloaded files, named by their digests. Any file in it can be deleted at any time."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import NamedTuple


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class Known(NamedTuple):
    """The last answer for a URL: its ETag, and the digest of its content."""

    etag: str
    sha256: str


class Cache:
    """Keeps contents by digest, and remembers the last answer for each URL."""

    def __init__(self, folder: Path) -> None:
        self.objects = folder / "objects"
        self.answers = folder / "answers"

    def read(self, digest: str) -> bytes | None:
        """Returns the content with this digest, or None. A damaged file counts as missing."""
        try:
            data = (self.objects / digest).read_bytes()
        except OSError:
            return None
        return data if sha256_hex(data) == digest else None

    def write(self, data: bytes) -> str:
        """Keeps a content and returns its digest."""
        digest = sha256_hex(data)
        replace_file(self.objects / digest, data)
        return digest

    def known(self, url: str) -> Known | None:
        """Returns the last answer for a URL, or None."""
        try:
            known = json.loads((self.answers / sha256_hex(url.encode())).read_bytes())
            return Known(str(known["etag"]), str(known["sha256"]))
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def remember(self, url: str, known: Known) -> None:
        replace_file(self.answers / sha256_hex(url.encode()), json.dumps(known._asdict()).encode())


def replace_file(path: Path, data: bytes) -> None:
    """Writes a file at once or not at all. Does nothing if the folder cannot be written: it is only a cache."""
    part = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
            part = file.name
            file.write(data)
        os.replace(part, path)
    except OSError:
        if part is not None:
            Path(part).unlink(missing_ok=True)
