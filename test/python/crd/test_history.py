"""History from volumes, bundles and day files, as it is and as it was."""

from __future__ import annotations

import datetime
import importlib.util
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pytest

from crd import ChangedError, Client, NotFoundError, UsageError
from service import Answer, Service, problem, sha256_of
from story import DATES, LAST, OLD, R1, R2, R3, R4, RESTATED, WITHDRAWN, publish_volume, tell, versions_of

EAST = datetime.timezone(datetime.timedelta(hours=3))
PROVENANCE = ["methodology_version", "published_revision", "in_force_from", "in_force_until"]


def expected(revision: str) -> dict[str, float | None]:
    """Returns the count of each date that was known at a revision; None while it was withdrawn."""
    known: dict[str, float | None] = {}
    for date in DATES:
        for since, record in versions_of("gold", date):
            if since <= revision:
                known[date] = None if record is None else record["metrics"]["tx_count"]
    return known


def counts(client: Client, **options: Any) -> dict[str, float | None]:
    table = client.tables.history("gold", "base", **options)
    return dict(zip(table.columns["date"], table.columns["tx_count"]))


@pytest.mark.parametrize("volumes", [True, False])
@pytest.mark.parametrize(
    ("as_of", "revision"),
    [
        (None, R4),
        (R4, R4),
        (R3, R3),
        (R1, R1),
        ("2026-01-20", R1),
        ("2026-01-22T05:59:59Z", R2),
        ("2026-01-22T06:00:00Z", R3),
        (datetime.date(2026, 1, 20), R1),
        (datetime.datetime(2026, 1, 22, 7, tzinfo=EAST), R2),
        (datetime.datetime(2026, 1, 22, 6), R3),
        ("2026-11-01", R4),
    ],
)
def test_history_has_the_versions_that_were_in_force(
    service: Service, client: Client, volumes: bool, as_of: str | datetime.date | None, revision: str
) -> None:
    tell(service, volumes)
    assert counts(client, as_of=as_of) == expected(revision)


def test_as_of_before_the_first_release_is_refused(client: Client) -> None:
    with pytest.raises(UsageError, match=r"before the first release \(2026-01-20\.000001, published at 2026-01-20T06"):
        client.history("gold", "base", as_of="2026-01-19")
    with pytest.raises(UsageError, match=r"Use a date \(2024-03-01\), an instant"):
        client.history("gold", "base", as_of="yesterday")


def test_a_midnight_is_an_instant_and_a_date_means_its_end(client: Client) -> None:
    for midnight in (datetime.datetime(2026, 1, 22), pandas.Timestamp("2026-01-22"), "2026-01-22T00:00:00"):
        assert counts(client, as_of=midnight) == expected(R2)
    for date in (datetime.date(2026, 1, 22), pandas.Timestamp("2026-01-22").date(), "2026-01-22"):
        assert counts(client, as_of=date) == expected(R3)


def test_as_of_in_the_future_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    now = datetime.datetime(2026, 1, 22, 12, tzinfo=datetime.timezone.utc)
    monkeypatch.setattr("crd.manifest.utc_now", lambda: now)
    for today in (now, now.date(), "2026-01-22", "2026-01-22T15:00:00+03:00"):
        assert counts(client, as_of=today) == expected(R3)
    for later in ("2026-01-23", datetime.date(2026, 1, 23), "2026-01-22T12:00:01Z", R4):
        with pytest.raises(UsageError, match=r"is in the future: now is 2026-01-22T12:00:00Z\. Leave as_of out"):
            client.history("gold", "base", as_of=later)


def test_start_and_end_belong_to_the_history(client: Client) -> None:
    for start, end in itertools.combinations(["2026-01-01", "2026-01-15", "2026-01-16", LAST], 2):
        found = list(counts(client, start=start, end=end))
        assert found == [date for date in DATES if start <= date <= end]
    with pytest.raises(UsageError, match="is after"):
        client.history("gold", "base", start=LAST, end=OLD)
    with pytest.raises(NotFoundError, match=r"There are no gold days of base from 2027-01-01\."):
        client.history("gold", "base", start="2027-01-01")


def test_a_range_reads_only_the_files_that_it_needs(service: Service, client: Client) -> None:
    client.history("gold", "base", end="2026-01-10")
    assert not any("latest.json" in path or "?revision=" in path for path in service.paths())
    client.history("gold", "base", start="2026-01-16")
    assert not any("volumes" in path for path in service.paths())


def test_volumes_are_the_same_as_parquet_and_as_csv(
    client_of: Callable[..., Client], monkeypatch: pytest.MonkeyPatch, service: Service
) -> None:
    for genre in ("gold", "meta"):
        table = client_of().tables.history(genre, "base", provenance=True)
        service.paths()
        monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
        assert client_of().tables.history(genre, "base", provenance=True) == table
        assert any(path.endswith(".csv") for path in service.paths())
        monkeypatch.undo()


@pytest.mark.parametrize("genre", ["gold", "meta"])
def test_volumes_and_day_files_give_the_same_rows(service: Service, client: Client, genre: str) -> None:
    packed = client.tables.history(genre, "base", provenance=True, as_of=R3)
    tell(service, volumes=False)
    assert client.tables.history(genre, "base", provenance=True, as_of=R3).rows() == packed.rows()


def test_frames_are_typed_and_have_no_other_columns(client: Client) -> None:
    frame = client.history("gold", "base")
    assert list(frame.columns) == ["date", "chain", "fees_total", "tx_count", "source", "status", "backfilled"]
    assert pandas.api.types.is_datetime64_dtype(frame["date"])
    assert frame["tx_count"].dtype == frame["fees_total"].dtype == "float64"  # one column is all null
    assert {str(frame[name].dtype) for name in ("chain", "source", "status")} == {"category"}
    assert frame["backfilled"].dtype == "bool"
    assert frame.attrs["revision"] == R4
    assert frame.attrs["attribution"] == ["Made Up, CC0"]
    assert len(frame.attrs["digest"]) == 64
    assert list(client.history("gold", "base", columns=["tx_count"]).columns) == ["date", "tx_count"]
    assert list(client.history("gold", "base", provenance=True).columns)[-4:] == PROVENANCE
    with pytest.raises(UsageError, match=r"no column 'price'\. The columns are: date, "):
        client.history("gold", "base", columns=["price"])


def test_backfilled_and_withdrawn_rows_are_marked(client: Client) -> None:
    frame = client.history("gold", "base").set_index("date")
    assert frame.loc[:"2026-01-12", "backfilled"].all()  # the restated one too
    assert not frame.loc["2026-01-13":, "backfilled"].any()
    assert frame.loc[WITHDRAWN, "status"] == "withdrawn"
    assert frame.loc[WITHDRAWN, ["tx_count", "fees_total"]].isna().all()


def test_the_second_read_downloads_nothing(service: Service, client: Client) -> None:
    first = client.history("meta", "base", as_of=R1)
    service.paths()
    assert client.history("meta", "base", as_of=R1).equals(first)
    assert not any(path.startswith("/objects/") for path in service.paths())


GOLD = "/api/v1/files/gold/base"


def requested(service: Service) -> list[str]:
    """Returns the requests for links to a manifest and to volumes."""
    return [path.removeprefix(GOLD) for path in service.paths() if "manifest" in path or "/volumes/" in path]


def test_the_links_of_volumes_come_with_their_manifest(service: Service, client: Client) -> None:
    assert counts(client) == expected(R4)
    assert requested(service) == ["/manifest.json?volumes=parquet"]


def test_volumes_are_read_by_their_paths_if_no_link_came_that_works(
    service: Service, client_of: Callable[..., Client], tmp_path: Path
) -> None:
    def refuse_once(path: str) -> Answer | None:
        if path != f"/objects/{sha256_of(service.files[f'{GOLD}/volumes/2026-01.parquet'])}":
            return None
        service.fault = lambda _: None
        return problem(403, "link-invalid")

    def older(path: str) -> Answer | None:
        return problem(400, "request-malformed") if "volumes=" in path else None

    for fault, expires_in in ((lambda _: None, 5), (older, 300), (refuse_once, 300)):
        service.fault, service.expires_in = fault, expires_in
        client = client_of(cache_dir=tmp_path / f"{fault.__name__} {expires_in}", tries=1)
        service.paths()
        assert counts(client) == expected(R4)
        assert "/volumes/2026-01.parquet" in requested(service)


def test_a_release_in_the_middle_is_read_again(
    service: Service, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    volume = "/api/v1/files/gold/base/volumes/2026-01.parquet"
    stale = service.files[volume]
    service.files[volume] = b"newer"

    def publish(path: str) -> None:
        if path == "/api/v1/files/gold/base/manifest.json" and len(service.requests) > 5:
            service.files[volume] = stale

    service.fault = publish
    assert counts(client) == expected(R4)
    service.files[volume] = b"newer"
    client.files.cache.objects.rename(client.files.cache.objects.with_name("emptied"))
    service.fault = lambda _: None
    with pytest.raises(ChangedError, match="Run it again"):
        client.history("gold", "base")


@pytest.mark.parametrize("genre", ["gold", "meta"])
def test_a_year_that_replaces_its_month_in_the_middle_is_read_instead(
    service: Service, client: Client, genre: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    month = f"/api/v1/files/{genre}/base/volumes/2026-01"
    before = client.tables.history(genre, "base").rows()
    client.files.cache.objects.rename(client.files.cache.objects.with_name("emptied"))
    service.paths()

    def replace(path: str) -> None:
        if path == f"{month}.parquet":
            publish_volume(service, genre, period="2026", through="2026-01-20")
            for kind in ("parquet", "csv"):
                del service.files[f"{month}.{kind}"]

    service.fault = replace
    service.expires_in = 0  # so that no volume is read by a link that came with the manifest
    if genre == "gold":
        assert client.tables.history(genre, "base").rows() == before
    else:
        frame = pandas.DataFrame({"date": ["2026-01-14"]})
        assert client.regimes_on(frame, chain="base")["regime_backfilled"].tolist() == [False]
    paths = service.paths()
    assert [path.rpartition("/")[2] for path in paths if "/volumes/" in path] == ["2026-01.parquet", "2026.parquet"]


def test_a_volume_that_stays_missing_is_reported(
    service: Service, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    del service.files["/api/v1/files/gold/base/volumes/2026-01.parquet"]
    with pytest.raises(ChangedError, match=r"removed after its manifest was read\. Run it again\."):
        client.history("gold", "base")
    assert waits == [0, 4, 12]


def test_a_restated_date_is_read_from_its_day_file(service: Service, client: Client) -> None:
    client.history("gold", "base", as_of=R1)
    days = [path for path in service.paths() if "/gold/" in path and "?revision=" in path]
    assert days == [f"/api/v1/files/gold/base/{RESTATED}.json?revision={R1}"]
