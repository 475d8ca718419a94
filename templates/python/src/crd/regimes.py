"""Joins regimes to a frame of the reader without look-ahead."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from .archive import Archive
from .errors import UsageError
from .manifest import in_utc
from .table import pandas_series

if TYPE_CHECKING:
    import pandas

ADDED = ("regime", "regime_backfilled")
DAY = datetime.timedelta(days=1)
MIDNIGHT = datetime.time()


class Moment(NamedTuple):
    """The day before a row of the reader, and the time until which a release counts as known to the row."""

    day_before: str
    until: datetime.datetime


class Label(NamedTuple):
    """A label in one version of a date."""

    published: datetime.datetime
    regime: str | None
    backfilled: bool


def join_regimes(
    frame: pandas.DataFrame, on: str, chain: str | None, daily: bool | None, open_archive: Callable[[str], Archive]
) -> pandas.DataFrame:
    """Returns a copy of `frame` with the columns of ADDED. `Client.regimes_on` says what they contain."""
    taken = [name for name in ADDED if name in frame.columns]
    if taken:
        raise UsageError(f"The frame has a column {taken[0]!r} already. Rename it first.")
    moments = moments_of(frame, on, daily)
    chains = chains_of(frame, chain)
    labels: dict[str, dict[str, list[Label]]] = {}
    for name in dict.fromkeys(chains):
        days = [each.day_before for each, own in zip(moments, chains) if each is not None and own == name]
        labels[name] = labels_of_days(open_archive(name), days)
    found = [
        (None, False) if moment is None else choose(labels[name].get(moment.day_before, []), moment.until)
        for moment, name in zip(moments, chains)
    ]
    result: pandas.DataFrame = frame.copy()
    result["regime"] = pandas_series("regime", [regime for regime, _ in found])
    result["regime_backfilled"] = [backfilled for _, backfilled in found]
    return result


def choose(labels: list[Label], until: datetime.datetime) -> tuple[str | None, bool]:
    """Returns the label known before `until`; otherwise that of the first load, which is marked."""
    known = [each for each in labels if each.published < until]
    if known:
        return known[-1].regime, False
    return (labels[0].regime, True) if labels and labels[0].backfilled else (None, False)


def labels_of_days(archive: Archive, days: Iterable[str]) -> dict[str, list[Label]]:
    """Returns the versions of the labels between the first and the last of these days, the oldest first."""
    wanted = sorted(days)
    if not wanted:
        return {}
    table = archive.versions(wanted[0], wanted[-1], lambda *_: True)
    names = ("date", "in_force_from", "regime", "backfilled")
    result: dict[str, list[Label]] = {}
    for date, since, regime, backfilled in zip(*(table.columns.get(name, []) for name in names)):
        label = Label(archive.manifest.published_at(since), regime, backfilled)
        result.setdefault(date, []).append(label)
    return result


def moments_of(frame: pandas.DataFrame, on: str, daily: bool | None) -> list[Moment | None]:
    """Returns the moment of each row. If `daily` is None, a frame with times of day has instants, others whole days."""
    import pandas

    if on not in frame.columns and on != frame.index.name:
        raise UsageError(f"The frame has no column {on!r}. Name its column of dates with on=...")
    values = frame[on] if on in frame.columns else frame.index
    try:
        parsed = pandas.to_datetime(pandas.Series(list(values)), utc=True)
    except (ValueError, TypeError) as fault:
        raise UsageError(f"The column {on!r} does not contain dates: {fault}") from fault
    instants = [None if pandas.isna(each) else in_utc(each.to_pydatetime()) for each in parsed]
    timed = next((each for each in instants if each is not None and each.time() != MIDNIGHT), None)
    if daily and timed is not None:
        advice = "Leave daily out, or make dates of the column."
        raise UsageError(f"The column {on!r} has a time of day, {timed:%Y-%m-%dT%H:%M:%SZ}, but daily=True. {advice}")
    is_daily = timed is None if daily is None else daily
    return [None if each is None else moment_of(each, is_daily) for each in instants]


def moment_of(instant: datetime.datetime, is_daily: bool) -> Moment:
    return Moment((instant - DAY).date().isoformat(), instant + DAY if is_daily else instant)


def chains_of(frame: pandas.DataFrame, chain: str | None) -> list[str]:
    """Returns the chain of each row."""
    if chain is not None:
        return [chain] * len(frame)
    if "chain" not in frame.columns:
        raise UsageError("The chain is unknown. Name it with chain=..., or add a column chain to the frame.")
    return [str(each) for each in frame["chain"]]
