"""Regimes joined to the reader's own frame."""

from __future__ import annotations

from typing import Any

import pandas
import pytest

from crd import Client, UsageError
from story import FIRST, LAST


def join(client: Client, dates: list[str], **options: Any) -> list[tuple[str | None, bool]]:
    frame = client.regimes_on(pandas.DataFrame({"date": dates, "x": 1}), **{"chain": "base", **options})
    regimes = [None if pandas.isna(each) else each for each in frame["regime"]]
    return list(zip(regimes, frame["regime_backfilled"]))


def test_rows_have_the_label_of_the_day_before(client: Client) -> None:
    assert join(client, ["2026-01-22", "2026-01-16"]) == [("steady", False), (None, False)]


def test_labels_of_the_first_load_are_marked(client: Client) -> None:
    assert join(client, ["2026-01-02", "2026-01-12"]) == [("steady", True), ("steady", True)]


def test_a_later_restatement_is_not_used(client: Client) -> None:
    assert join(client, ["2026-01-03"]) == [("steady", True)]  # restated by the fourth release
    assert join(client, ["2026-01-20"]) == [("steady", False)]  # restated on the next day


def test_a_label_that_was_not_published_in_time_is_missing(client: Client) -> None:
    assert join(client, ["2026-01-15"]) == [(None, False)]  # published on 2026-01-20, not backfilled
    assert join(client, ["2026-01-01", "2026-01-24"]) == [(None, False), (None, False)]  # no day before


def test_times_of_day_know_only_what_was_published_before(client: Client) -> None:
    times = ["2026-01-22T05:00:00Z", "2026-01-22T06:00:00Z", "2026-01-22T06:00:01Z", "2026-01-22T09:00:01+03:00"]
    assert [regime for regime, _ in join(client, times)] == [None, None, "steady", "steady"]


def test_midnights_are_days_or_instants_as_the_caller_says(client: Client) -> None:
    hours = pandas.date_range("2026-01-20", "2026-01-22T23:00", freq="h", tz="UTC")
    midnights = [str(each) for each in hours[hours.hour == 0]]
    assert [regime for regime, _ in join(client, midnights)] == ["steady"] * 3  # published at 06:00 of these days
    assert join(client, midnights, daily=True) == join(client, midnights)
    assert [regime for regime, _ in join(client, midnights, daily=False)] == [None, None, None]
    assert join(client, ["2026-01-02"], daily=False) == [("steady", True)]  # the first load, marked
    with pytest.raises(UsageError, match=r"time of day, 2026-01-20T01:00:00Z, but daily=True\. Leave daily out"):
        join(client, [str(each) for each in hours], daily=True)


def test_the_frame_keeps_its_rows_index_and_columns(client: Client) -> None:
    frame = pandas.DataFrame({"when": [LAST, None, FIRST, LAST], "chain": "base"}, index=[7, 5, 3, 1])
    joined = client.regimes_on(frame, on="when")
    assert joined[["when", "chain"]].equals(frame)
    assert list(joined.columns) == ["when", "chain", "regime", "regime_backfilled"]
    assert joined["regime"].dtype == "category"
    by_index = client.regimes_on(pandas.DataFrame({"x": 1}, index=pandas.Index([LAST], name="date")), chain="base")
    assert list(by_index.columns) == ["x", "regime", "regime_backfilled"]


def test_frames_that_cannot_be_joined_are_refused(client: Client) -> None:
    frame = pandas.DataFrame({"date": [LAST]})
    with pytest.raises(UsageError, match="Name it with chain="):
        client.regimes_on(frame)
    with pytest.raises(UsageError, match="no column 'day'"):
        client.regimes_on(frame, on="day", chain="base")
    with pytest.raises(UsageError, match="has 'soon' in row 1, which is not a datetime"):
        client.regimes_on(pandas.DataFrame({"date": ["soon"]}), chain="base")
    with pytest.raises(UsageError, match="'regime' already"):
        client.regimes_on(frame.assign(regime="mine"), chain="base")
    with pytest.raises(UsageError, match="Use one of: base, bitcoin"):
        client.regimes_on(frame, chain="doge")
