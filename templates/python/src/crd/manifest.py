"""The manifest of an archive: which version of each date was in force at which revision."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .document_forms import MANIFEST
from .errors import CrdError, DataError, UsageError
from .strict_json import parse_object
from .times import Date, in_utc, midnight_of, parse_date, parse_instant
from .values import ADVICE, REVISION, judge

if TYPE_CHECKING:
    from .files import File

SCHEMAS = ("manifest/1", "manifest/2")
BACKFILLED_AFTER = datetime.timedelta(days=7)


@dataclass(frozen=True)
class Version:
    """A version of a date. `until` is None for the one in force now; a withdrawn version has no values."""

    date: str
    sha256: str
    bytes: int
    revision: str
    since: str
    until: str | None
    status: str | None  # None for a superseded version with values: only its meta record says it
    backfilled: bool


class Manifest:
    """A verified manifest."""

    def __init__(self, file: File, genre: str, chain: str) -> None:
        value = parse_manifest(file.data, file.path)
        if (value["chain"], value["genre"]) != (chain, genre):
            raise DataError(f"{file.path} belongs to another archive. {ADVICE}")
        self.sha256 = file.sha256
        self.path = file.path
        self.revision: str = value["published_revision"]
        self.methodology_version: str = value["methodology_version"]
        self.volumes: list[dict[str, Any]] = value.get("volumes", [])
        self.entries: dict[str, dict[str, Any]] = {each["date"]: each for each in value["dates"]}
        published = {name: parse_instant(each["published_at"]) for name, each in value["revisions"].items()}
        self.published: dict[str, datetime.datetime] = dict(sorted(published.items()))

    def versions(self, date: str) -> Iterator[Version]:
        """Yields the versions of a date, the oldest first."""
        entry = self.entries[date]
        listed = [*entry["superseded"], entry]
        for i, each in enumerate(listed):
            yield Version(
                date=date,
                sha256=each["sha256"],
                bytes=each["bytes"],
                revision=each["revision"],
                since=each["in_force_from"],
                until=listed[i + 1]["in_force_from"] if i + 1 < len(listed) else None,
                status=each.get("status"),
                backfilled=self.is_late(date, each["revision"]),
            )

    def is_late(self, date: str, revision: str) -> bool:
        """Returns whether a revision was published more than seven days after the end of a date."""
        end = midnight_of(date) + datetime.timedelta(days=1)
        return self.published_at(revision) - end > BACKFILLED_AFTER

    def published_at(self, revision: str) -> datetime.datetime:
        """Returns when a revision was published."""
        if revision not in self.published:
            raise DataError(f"{self.path} does not list the revision {revision}. {ADVICE}")
        return self.published[revision]

    def revision_at(self, as_of: Date | None) -> str:
        """Returns the newest listed revision at a revision, at an instant, or at the end of a date (UTC)."""
        if as_of is None:
            return self.revision
        instant = parse_as_of(as_of)
        if is_revision(as_of):
            known = [each for each in self.published if each <= str(as_of)]
        else:
            known = [name for name, published in self.published.items() if published <= instant]
        if not known:
            name, published = next(iter(self.published.items()), (self.revision, instant))
            first = f"{name}, published at {published:%Y-%m-%dT%H:%M:%SZ}"
            raise UsageError(f"as_of={as_of} is before the first release ({first}). Use that time or a later one.")
        return known[-1]


def parse_manifest(data: bytes, path: str) -> dict[str, Any]:
    """Returns the manifest in a file. Raises CrdError for one of a newer form, DataError for anything else."""
    value = parse_object(data, path)
    if value.get("schema") not in SCHEMAS:
        found = str(value.get("schema"))
        raise CrdError(f"The manifest {path} is {found[:100]}. Install a newer version of chain-reference-data.")
    return judge(value, MANIFEST, path)


def freshness(limits: dict[str, Any], now: datetime.datetime) -> str:
    """
    Returns how fresh a chain is at a time, by its `late_after` and `stale_after`: fresh, late or stale.
    """
    for name in ("stale", "late"):
        limit = limits[f"{name}_after"]
        if limit is None or now >= parse_instant(limit):
            return name
    return "fresh"


def utc_now() -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc)


def parse_as_of(as_of: Date) -> datetime.datetime:
    """
    Returns the instant that `as_of` means: of a date or a revision, the end of its date. Raises UsageError for a time
    that is to come, except the end of today.
    """
    try:
        first, last = span_of(as_of)
    except (ValueError, OverflowError) as fault:
        form = "a date (2024-03-01), an instant (2024-03-01T06:00:00Z) or a revision (2024-03-01.000001)"
        raise UsageError(f"as_of={as_of!r} is not valid. Use {form}.") from fault
    now = utc_now()
    if first > now:
        advice = f"Leave as_of out for what is known now, or use {now:%Y-%m-%d} or an earlier time."
        raise UsageError(f"as_of={as_of} is in the future: now is {now:%Y-%m-%dT%H:%M:%SZ}. {advice}")
    return last


def span_of(as_of: Date) -> tuple[datetime.datetime, datetime.datetime]:
    """Returns the first and the last moment of a date or of the date of a revision, or an instant twice."""
    if isinstance(as_of, datetime.datetime):
        return in_utc(as_of), in_utc(as_of)
    if isinstance(as_of, str) and len(as_of) > 10 and not is_revision(as_of):
        return parse_instant(as_of), parse_instant(as_of)
    first = midnight_of(parse_date(as_of[:10] if isinstance(as_of, str) else as_of))
    return first, first + datetime.timedelta(days=1, microseconds=-1)


def is_revision(as_of: Date) -> bool:
    return isinstance(as_of, str) and re.fullmatch(REVISION, as_of) is not None
