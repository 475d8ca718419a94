"""Files of different releases are not combined, and a failure is retried in one place only."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest

from crd import ChangedError, Client, CrdError, DataError
from crd.methodology import online
from service import Answer, Service, problem, with_etag
from story import CALENDAR, DATES, FIRST, LAST, R3, R4, calendar_of, manifest_of, volume_files, volume_rows

DAY = f"/api/v1/files/gold/base/{LAST}.json"
RELEASE = "/api/v1/release"


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Returns the waits, which take no time."""
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    return waits


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replaces the methodology: the hash of a date is its count, as in the calendar of the story."""

    def recompute(gold: dict[str, Any], _: None) -> list[tuple[str, ...]]:
        counts = {date: day["metrics"]["tx_count"] for date, day in gold.items()}
        labels = {"2026-01-19": "quiet", "2026-01-02": "slack"}
        restated = {date: label for date, label in labels.items() if counts[date] >= 2000}
        return [(date, "base", restated.get(date, "steady"), "0.5", f"{count:.0f}") for date, count in counts.items()]

    monkeypatch.setattr(online, "Chain", lambda _, __, gold: gold)
    monkeypatch.setattr(online, "check_gold", lambda *_: None)
    monkeypatch.setattr(online, "recompute", recompute)


def publish_manifests(service: Service, revision: str) -> None:
    for genre in ("gold", "meta"):
        manifest = json.dumps(manifest_of(genre, "manifest/1", revision)).encode()
        service.files[f"/api/v1/files/{genre}/base/manifest.json"] = manifest


def old_copy(service: Service, ignores: bool) -> Callable[[str], Answer | None]:
    """Returns the answers of a cache with an older calendar, which may ignore that a request wants a fresh one."""

    def answer(path: str) -> Answer | None:
        headers = service.requests[-1][1]
        is_old = path == CALENDAR and (ignores or headers.get("cache-control") != "no-cache")
        return with_etag(calendar_of("base", R3), headers) if is_old else None

    return answer


@pytest.mark.usefixtures("counted")
def test_recomputing_reads_one_release(service: Service, client: Client) -> None:
    assert str(client.recompute("base")) == "20 dates compared, 0 differ"
    service.revision = R3  # a cache has the release before, and the archives are newer
    service.publish(CALENDAR, calendar_of("base", R3))
    assert str(client.recompute("base")) == "20 dates compared, 0 differ"
    service.publish(CALENDAR, calendar_of("base", R4).replace(b"1010", b"1011"))
    service.revision = R4
    assert client.recompute("base").differing == [
        "2026-01-10: determinism_hash is published as 1011, recomputed as 1010"
    ]


@pytest.mark.usefixtures("counted")
def test_recomputing_reads_the_calendar_that_the_release_lists(
    service: Service, client: Client, waits: list[float]
) -> None:
    service.fault = old_copy(service, ignores=False)
    assert str(client.recompute("base")) == "20 dates compared, 0 differ"
    assert waits == []
    client.files.cache.objects.rename(client.files.cache.objects.with_name("emptied"))
    service.fault = old_copy(service, ignores=True)
    with pytest.raises(ChangedError, match=r"regime-calendar: .* caches keep files for up to five minutes\. Run it"):
        client.recompute("base")


@pytest.mark.usefixtures("counted")
def test_recomputing_waits_for_a_copy_of_the_service_that_is_behind(
    service: Service, client: Client, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    publish_manifests(service, R3)
    with pytest.raises(ChangedError, match="of base and its archive are of different releases"):
        client.recompute("base")
    assert waits == [0, 4, 12]
    monkeypatch.setattr("time.sleep", lambda _: publish_manifests(service, R4))
    assert str(client.recompute("base")) == "20 dates compared, 0 differ"


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize("column", [name for name in volume_rows("gold", [FIRST])[0] if name in online.NOT_METRICS])
def test_a_volume_without_a_column_that_is_no_metric_is_refused(service: Service, client: Client, column: str) -> None:
    root = "/api/v1/files/gold/base"
    rows = volume_rows("gold", [date for date in DATES if date <= "2026-01-15"])
    files = volume_files([{name: row.get(name) for name in rows[0] if name != column} for row in rows])
    volume: dict[str, Any] = {"period": "2026-01", "first_date": FIRST, "last_date": "2026-01-15"}
    for kind, data in files.items():
        service.files[f"{root}/volumes/2026-01.{kind}"] = data
        about = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        volume[kind] = {"path": f"{root}/volumes/2026-01.{kind}", **about}
    manifest = {**manifest_of("gold", "manifest/2"), "volumes": [volume]}
    service.files[f"{root}/manifest.json"] = json.dumps(manifest).encode()
    with pytest.raises(DataError, match=f"the column {column} is missing"):
        client.recompute("base")


def test_all_calendars_are_of_one_release(service: Service, client: Client) -> None:
    releases = 0

    def publish(path: str) -> None:
        nonlocal releases
        releases += path == RELEASE
        if path == CALENDAR and service.revision != R3:
            service.revision = R3
            for chain in ("base", "bitcoin"):
                service.publish(CALENDAR.replace("base", chain), calendar_of(chain, R3))

    service.fault = publish
    frame = client.calendars()
    assert frame.attrs["revision"] == R3
    assert frame.groupby("chain", observed=True)["published_revision"].max().to_dict() == {"base": R3, "bitcoin": R3}
    assert releases == 3  # for the chains, for the calendars, and again


def test_the_status_of_a_date_is_not_read_from_an_older_manifest(service: Service, client: Client) -> None:
    manifest = manifest_of("meta", "manifest/1", R4)
    manifest["dates"] = [each for each in manifest["dates"] if each["date"] != "2026-01-19"]
    service.files["/api/v1/files/meta/base/manifest.json"] = json.dumps(manifest).encode()
    with pytest.raises(ChangedError, match="The manifest of base meta is older than the one of gold"):
        client.tables.history("gold", "base", as_of="2026-01-20", start="2026-01-19")


@pytest.mark.parametrize(
    ("failing", "read"),
    [
        (RELEASE, lambda client: client.calendar("base")),
        (CALENDAR, lambda client: client.calendar("base")),
        (CALENDAR, lambda client: client.calendars()),
        (DAY, lambda client: client.day("gold", "base", LAST)),
        ("/objects/", lambda client: client.day("gold", "base", LAST)),
        ("/api/v1/files/gold/base/manifest.json", lambda client: client.history("gold", "base")),
        ("/api/v1/files/gold/base/volumes/2026-01.parquet", lambda client: client.history("gold", "base")),
        ("/api/v1/files/gold/base/30d/latest.json", lambda client: client.history("gold", "base")),
        ("/api/v1/files/meta/base/manifest.json", lambda client: client.regimes_on(frame(), chain="base")),
    ],
)
def test_a_failing_request_is_made_as_often_as_the_client_tries(
    service: Service,
    client_of: Callable[..., Client],
    failing: str,
    read: Callable[[Client], Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = client_of(tries=3)
    service.expires_in = 0  # so that volumes are not read by the links that came with their manifest
    monkeypatch.setattr(client.files.transport.stopped, "wait", lambda _: False)
    if failing != RELEASE:
        client.status()
    service.paths()
    service.fault = lambda path: problem(503, "store-unavailable") if path.startswith(failing) else None
    with pytest.raises(CrdError):
        read(client)
    paths = service.paths()
    assert len([path for path in paths if path.startswith(failing)]) == 3
    assert paths.count(RELEASE) <= 3


def frame() -> Any:
    import pandas

    return pandas.DataFrame({"date": [LAST]})
