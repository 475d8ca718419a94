"""Joins regimes to a frame of the reader without look-ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .archive import Archive
from .errors import UsageError
from .row_times import row_times
from .table import pandas_series

if TYPE_CHECKING:
    import numpy
    import pandas

ADDED = ("regime", "regime_backfilled")
DAY_NS = 86_400 * 10**9
LABEL_COLUMNS = ("regime", "backfilled")


def join_regimes(
    frame: pandas.DataFrame, on: str, chain: str | None, daily: bool | None, open_archive: Callable[[str], Archive]
) -> pandas.DataFrame:
    """Returns a copy of `frame` with the columns of ADDED. `Client.regimes_on` says what they contain."""
    import numpy

    check_frame(frame)
    taken = [name for name in ADDED if name in frame.columns]
    if taken:
        raise UsageError(f"The frame has a column {taken[0]!r} already. Rename it first.")
    moments = moments_of(row_times(frame, on), on, daily)
    chains = chains_of(frame, chain)
    regimes = numpy.full(len(frame), None, dtype="object")
    backfilled = numpy.zeros(len(frame), dtype="bool")
    for name in dict.fromkeys([chain] if chain is not None else chains):
        archive = open_archive(str(name))
        own = moments[chains[moments.index] == name]
        if len(own) > 0:
            found = choose(labels_of_days(archive, own["day"].min(), own["day"].max()), own)
            regimes[found.index], backfilled[found.index] = found["regime"], found["backfilled"]
    result: pandas.DataFrame = frame.copy()
    result["regime"] = pandas_series("regime", regimes.tolist())
    result["regime_backfilled"] = backfilled
    return result


def check_frame(frame: Any) -> None:
    """Raises UsageError for anything but a pandas frame, and says how to make one."""
    import pandas

    if isinstance(frame, pandas.DataFrame):
        return
    ways = {"collect": "frame.collect().to_pandas()", "to_pandas": "frame.to_pandas()", "to_frame": "frame.to_frame()"}
    way = next((way for name, way in ways.items() if hasattr(frame, name)), "pandas.DataFrame(frame)")
    kind = f"{type(frame).__module__.partition('.')[0]}.{type(frame).__name__}"
    raise UsageError(f"regimes_on needs a pandas.DataFrame, not {kind}. Use {way}.")


def choose(labels: pandas.DataFrame, moments: pandas.DataFrame) -> pandas.DataFrame:
    """Returns for each moment the label known before it; otherwise that of the first load, which is marked."""
    import pandas

    known = pandas.merge_asof(
        moments.sort_values("until", kind="stable").reset_index(names="row"),
        labels.sort_values("published", kind="stable"),
        left_on="until",
        right_on="published",
        by="day",
        allow_exact_matches=False,
    ).set_index("row")
    first = labels.drop_duplicates("day").set_index("day")
    first = first.loc[first["backfilled"], "regime"]
    is_known = known["published"].notna()
    regime = known["regime"].where(is_known, known["day"].map(first)).astype("object")
    backfilled = ~is_known & known["day"].isin(first.index)
    found: pandas.DataFrame = pandas.DataFrame({"regime": regime.where(regime.notna(), None), "backfilled": backfilled})
    return found


def labels_of_days(archive: Archive, first: int, last: int) -> pandas.DataFrame:
    """
    Returns the versions of the labels from the first to the last day, the oldest first. A row has the day, counted from
    1970, and when the version was published, in nanoseconds.
    """
    import numpy
    import pandas

    start, end = (str(numpy.datetime64(int(day), "D")) for day in (first, last))
    table = archive.versions(start, end, lambda *_: True, LABEL_COLUMNS)
    columns = {name: table.columns.get(name, []) for name in ("date", "in_force_from", *LABEL_COLUMNS)}
    since = pandas.Series(columns["in_force_from"], dtype="object")
    published = {each: archive.manifest.published_at(each) for each in since.unique()}
    labels: pandas.DataFrame = pandas.DataFrame(
        {
            "day": numpy.array(columns["date"], dtype="datetime64[D]").astype("int64"),
            "published": nanoseconds(pandas.to_datetime(since.map(published), utc=True)),
            "regime": pandas.Series(columns["regime"], dtype="object"),
            "backfilled": pandas.Series(columns["backfilled"], dtype="bool"),
        }
    )
    return labels


def nanoseconds(times: pandas.Series) -> pandas.Series:
    """Returns instants in UTC as whole numbers since 1970."""
    numbers: pandas.Series = times.dt.tz_convert(None).astype("datetime64[ns]").astype("int64")
    return numbers


def moments_of(times: pandas.Series, on: str, daily: bool | None) -> pandas.DataFrame:
    """
    Returns for each row with a time the day before, counted from 1970, and the nanoseconds until which a release counts
    as known to the row. If `daily` is None, a frame with times of day has instants, others whole days.
    """
    import pandas

    present = times.dropna()
    instants = nanoseconds(present)
    timed = present[instants % DAY_NS != 0]
    if daily and len(timed) > 0:
        advice = "Leave daily out, or make dates of the column."
        first = f"{timed.iloc[0]:%Y-%m-%dT%H:%M:%SZ}"
        raise UsageError(f"The column {on!r} has a time of day, {first}, but daily=True. {advice}")
    is_daily = len(timed) == 0 if daily is None else daily
    until = instants + (DAY_NS if is_daily else 0)
    moments: pandas.DataFrame = pandas.DataFrame({"day": instants // DAY_NS - 1, "until": until})
    return moments


def chains_of(frame: pandas.DataFrame, chain: str | None) -> numpy.ndarray[Any, Any]:
    """Returns the chain of each row."""
    import numpy
    import pandas

    if chain is not None:
        return numpy.full(len(frame), chain, dtype="object")
    if "chain" not in frame.columns:
        raise UsageError("The chain is unknown. Name it with chain=..., or add a column chain to the frame.")
    chains = frame["chain"]
    if not isinstance(chains, pandas.Series):
        raise UsageError("The frame has more than one column 'chain'. Rename the others.")
    missing = chains.isna().to_numpy()
    if missing.any():
        raise UsageError(f"The column 'chain' is empty in row {missing.argmax() + 1}. Fill it, or remove the row.")
    return chains.to_numpy(dtype="object")
