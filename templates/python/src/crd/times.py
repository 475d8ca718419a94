"""Dates and instants that a caller names: datetimes and ISO 8601 texts, in UTC."""

from __future__ import annotations

import datetime
import re

from .errors import UsageError

Date = str | datetime.date
# The extended format with a date, perhaps a time of day, and perhaps an offset. Week dates and 20260301 are refused.
ISO_TEXT = re.compile(
    r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?:(:\d\d)(\.\d{1,9})?)?(?:Z|([+-](?:[01]\d|2[0-3]))(?::?([0-5]\d))?)?)?",
    re.ASCII,
)


def is_iso_text(text: str) -> bool:
    """Returns whether a text has the form of an ISO 8601 date or time, which can still be one that does not exist."""
    return ISO_TEXT.fullmatch(text) is not None


def has_offset(text: str) -> bool:
    """Returns whether a text that `is_iso_text` has an offset from UTC, or Z."""
    return re.search("[Z+-]", text[10:]) is not None


def parse_instant(text: str) -> datetime.datetime:
    """Returns the instant that an ISO 8601 text means, in UTC. Raises ValueError for any other text."""
    found = ISO_TEXT.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:100]!r} is not an ISO 8601 time")
    date, minute, second, fraction, hours, minutes = (each or "" for each in found.groups())
    zone = f"{hours}:{minutes or '00'}" if hours else "+00:00"
    clock = f"{minute or '00:00'}{second or ':00'}.{fraction[1:7]:0<6}"
    return in_utc(datetime.datetime.fromisoformat(f"{date}T{clock}{zone}"))


def in_utc(instant: datetime.datetime) -> datetime.datetime:
    """Returns an instant in UTC. Raises ValueError for NaT of pandas, which is a datetime."""
    if instant != instant:
        raise ValueError("NaT is not a time")
    if instant.tzinfo is None:
        return instant.replace(tzinfo=datetime.timezone.utc)
    return instant.astimezone(datetime.timezone.utc)


def midnight_of(date: str) -> datetime.datetime:
    return datetime.datetime.combine(datetime.date.fromisoformat(date), datetime.time(), datetime.timezone.utc)


def parse_date(date: Date, name: str = "date") -> str:
    """
    Returns a date, or the date of an instant in UTC, as YYYY-MM-DD. Raises UsageError for anything else, which calls
    the argument `name`.
    """
    try:
        if isinstance(date, datetime.datetime):
            return in_utc(date).date().isoformat()
        if isinstance(date, datetime.date):
            return date.isoformat()
        if isinstance(date, str):
            return parse_instant(date).date().isoformat()
    except (ValueError, OverflowError):
        pass
    advice = "Use a datetime, or an ISO 8601 text such as 2024-02-29"
    raise UsageError(f"{name}={date!r} is not a date. {advice}.")
