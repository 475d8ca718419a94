"""A folder of downloaded files, named by their digests. Any file in it can be deleted at any time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import uuid
from pathlib import Path
from typing import NamedTuple

from .errors import DataError
from .local_files import read_file
from .strict_json import parse_object
from .values import either, etag, exactly, having, judge, sha256


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


ANSWER = having({}, etag=either(exactly(""), etag), sha256=sha256)


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
            data = read_file(self.objects / judge(digest, sha256, "A digest"))
        except OSError:
            return None
        return data if sha256_hex(data) == digest else None

    def write(self, data: bytes, digest: str) -> None:
        """Keeps a content by its digest."""
        replace_file(self.objects / digest, data)

    def known(self, url: str) -> Known | None:
        """Returns the last answer for a URL, or None."""
        try:
            known = parse_object(read_file(self.answers / sha256_hex(url.encode())), "An answer", ANSWER)
        except (OSError, DataError):
            return None
        return Known(known["etag"], known["sha256"])

    def remember(self, url: str, known: Known) -> None:
        replace_file(self.answers / sha256_hex(url.encode()), json.dumps(known._asdict()).encode())


def replace_file(path: Path, data: bytes) -> None:
    """Writes a file at once or not at all. Does nothing if the folder cannot be written: it is only a cache."""
    part = path.with_name(f"{uuid.uuid4().hex}.part")
    try:
        if not path.parent.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("xb") as file:
            file.write(data)
        part.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
