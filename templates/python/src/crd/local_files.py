"""Local files whose names or contents come from a service: none is outside its folder, and none is endless."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from .errors import UsageError
from .values import MAX_FILE_BYTES


def inside(folder: Path, name: str) -> Path:
    """Returns the path of a name in a folder. Raises UsageError if it leads outside, also through a link."""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise UsageError(f"{path} leads to a place outside {folder}. Remove the link, or use another folder.")
    return path


def read_file(path: str | os.PathLike[str], most: int = MAX_FILE_BYTES) -> bytes:
    """Returns the content of a file. Raises OSError for more than `most` bytes, and for anything but a file."""
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(f"{os.fspath(path)!r} is not a file")
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(f"{os.fspath(path)!r} has more than {most:,} bytes")
    return data
