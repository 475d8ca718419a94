"""The result of a verification."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Report = Callable[[str], None]


@dataclass(frozen=True)
class Verification:
    """The result: what was proven and not proven, as sentences and as counts."""

    site: str
    root: str
    key_set_version: int
    revision: str
    sequence: int
    sha256: str
    published_at: str
    as_of: str
    expires: str
    generator: dict[str, Any]
    counts: dict[str, int]
    proven: tuple[str, ...]
    not_proven: tuple[str, ...]


@dataclass
class Notes:
    """The lines and figures of a verification that is running. `report` receives each proven line at once."""

    report: Report
    proven: list[str] = field(default_factory=list)
    not_proven: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def prove(self, line: str, **counts: int) -> None:
        self.counts.update(counts)
        self.proven.append(line)
        self.report(line)

    def leave(self, line: str) -> None:
        """Notes what is not proven."""
        self.not_proven.append(line)


def count_of(number: int, noun: str) -> str:
    """Returns a number with its noun, such as "1 file" or "2 files"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def match_of(number: int, noun: str) -> str:
    """Returns a number with its noun and verb, such as "1 file matches" or "2 files match"."""
    return f"{count_of(number, noun)} match{'es' if number == 1 else ''}"
