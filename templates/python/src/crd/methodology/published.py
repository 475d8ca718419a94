"""Published results to compare with."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from typing import Any

from ..errors import UsageError
from ..values import date as date_form
from .arithmetic import Json
from .days import read_bytes, read_days, shift
from .records import COLUMNS, Result, state_of

# Regime, confidence and hash by date. Without a regime there is no confidence.
Published = dict[str, tuple[str, float | None, str]]


def read_published(path: str, chain: str) -> Published:
    """Reads regime, confidence and hash by date from a regime calendar (CSV) or from meta days."""
    if os.path.isdir(path) or path.endswith(".json"):
        rows = [meta_row(day, path) for day in read_days([path], "meta").values()]
    else:
        rows = read_calendar(path)
    if not rows:
        raise UsageError(f"{path} has no rows. Download it again.")
    if any(row["chain"] != chain for row in rows):
        raise UsageError(f"{path} belongs to another chain than the gold days. Use the file of {chain}.")
    try:
        return {
            row["date"]: (row["regime"], score_of_label(row["regime"], row["confidence"]), row["determinism_hash"])
            for row in rows
        }
    except (TypeError, ValueError) as error:
        raise UsageError(f"{path} has a row without a confidence. Download it again.") from error


def score_of_label(regime: str, score: Any) -> float | None:
    """Returns the confidence of a label. A calendar has an empty cell, and a meta day 0, where there is no label."""
    return None if regime == "indeterminate" else float(score)


def meta_row(day: Json, file: str) -> dict[str, Any]:
    try:
        regime, score = day["regime"], day["confidence"]["score"]
        values = (day["date"], day["chain"], regime["label"], score, regime["determinism_hash"])
    except (KeyError, TypeError) as error:
        raise UsageError(f"{file}: the meta day {day['date']} is incomplete. Download it again.") from error
    return dict(zip(COLUMNS, values))


def read_calendar(file: str) -> list[dict[str, Any]]:
    try:
        lines = csv.DictReader(read_bytes(file).decode("utf-8").splitlines())
        rows = list(lines) if set(COLUMNS) <= set(lines.fieldnames or []) else None
    except (ValueError, csv.Error) as error:
        raise UsageError(f"{file} cannot be read as CSV: {error}. Download it again.") from error
    if rows is None:
        raise UsageError("{} is not a regime calendar: it must have the columns {}.".format(file, ", ".join(COLUMNS)))
    if any(date_form(row["date"]) is not None for row in rows):
        raise UsageError(f"{file} has a row without a date. Download it again.")
    return rows


def read_start(file: str, dates: Sequence[str], days: int) -> tuple[str, Json]:
    """Reads a published meta record to start from. Returns its date and state."""
    records = list(read_days([file], "meta").values())
    if len(records) != 1 or records[0]["date"] not in dates[:-1]:
        raise UsageError(
            f"{file} is not a meta day with gold days after it. Use one meta day from before the last gold day."
        )
    date = records[0]["date"]
    latest = shift(date, 2 - days)
    if dates[0] > latest:
        raise UsageError(
            f"the gold days begin on {dates[0]}. To start from {file}, add the gold days from {latest} on."
        )
    try:
        return date, state_of(records[0])
    except (AttributeError, KeyError, TypeError) as error:
        raise UsageError(f"{file}: the meta day {date} is incomplete. Download it again.") from error


def compare(rows: Sequence[Result], published: Published) -> tuple[int, list[str]]:
    """Returns the number of compared dates, and a line for each date that differs."""
    found = {row[0]: (row[2], score_of_label(row[2], row[3]), row[4]) for row in rows}
    first = rows[0][0]
    differing = []
    for date in sorted(date for date in published if date >= first):
        if date not in found:
            differing.append(f"{date}: published, but there is no gold day. Download it.")
        elif found[date] != published[date]:
            pairs = zip(("regime", "confidence", "determinism_hash"), published[date], found[date])
            parts = ["{} is published as {}, recomputed as {}".format(*pair) for pair in pairs if pair[1] != pair[2]]
            differing.append("{}: {}".format(date, "; ".join(parts)))
    return sum(date >= first for date in published), differing
