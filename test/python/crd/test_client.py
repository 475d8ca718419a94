"""Requests, keys, the cache, and what errors say."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import crd
from crd import (
    AccessError,
    ChangedError,
    Client,
    DamagedError,
    MissingPackageError,
    NotFoundError,
    TemporaryError,
    UsageError,
)
from crd.cli import main
from crd.settings import installed_from
from crd.table import Table
from service import KEY, Answer, Service, problem, sha256_of
from story import CALENDAR, LAST, R1, RESTATED

DAY = f"/api/v1/files/gold/base/{LAST}.json"


def test_a_calendar_needs_no_key_and_sends_none(service: Service, client_of: Callable[..., Client]) -> None:
    for client in (client_of(api_key=None), client_of()):
        frame = client.calendar("base")
        assert frame.attrs["digest"] == sha256_of(service.public[CALENDAR])
        assert frame["run_days"].dtype == "Int64"
    assert client.calendars().groupby("chain", observed=True).size().to_dict() == {"base": 20, "bitcoin": 20}
    assert not any("x-api-key" in headers for _, headers in service.requests)


def test_the_key_is_sent_only_for_links(service: Service, client: Client) -> None:
    client.day("gold", "base", LAST)
    keyed = [path for path, headers in service.requests if "x-api-key" in headers]
    assert keyed == [DAY]
    service.fault = lambda path: Answer(307, b"", {"Location": f"{service.url}/elsewhere"}) if path == DAY else None
    service.paths()
    with pytest.raises(AccessError, match="the key was not sent there"):
        client.day("gold", "base", LAST)
    assert service.paths()[-1] == DAY


def test_a_day_is_read_in_a_revision(client: Client) -> None:
    assert client.day("gold", "base", RESTATED)["metrics"]["tx_count"] == 2000
    assert client.day("gold", "base", RESTATED, revision=R1)["metrics"]["tx_count"] == 1019
    assert client.latest("meta", "base")["date"] == LAST


def test_unchanged_files_are_not_downloaded_again(service: Service, client: Client) -> None:
    for read in (lambda: client.day("gold", "base", LAST), lambda: client.calendar("base")):
        first = str(read())
        service.paths()
        assert str(read()) == first
        assert not {CALENDAR} & set(service.paths()) and not any("/objects/" in path for path in service.paths())


def test_a_damaged_cache_is_not_used(client: Client) -> None:
    client.day("gold", "base", LAST)
    for file in client.files.cache.objects.iterdir():
        file.write_bytes(b"{}")
    assert client.day("gold", "base", LAST)["date"] == LAST


def test_damaged_downloads_are_refused(service: Service, client_of: Callable[..., Client]) -> None:
    client = client_of(tries=1)
    client.status()
    for damage in (lambda data: data[1:], lambda data: b"X" + data[1:], lambda data: data + b" "):
        service.fault = lambda path, damage=damage: (  # type: ignore[misc]
            Answer(200, damage(service.files[DAY]), {}) if "/objects/" in path else None
        )
        with pytest.raises(DamagedError, match=rf"^{DAY}: its size or digest differs from the listed one"):
            client.day("gold", "base", LAST)
    service.fault = lambda path: Answer(200, b"date\n", {}) if path == CALENDAR else None
    with pytest.raises(ChangedError, match="regime-calendar: its size or digest"):
        client.calendar("base")


def test_temporary_errors_are_retried_after_the_wait_that_they_name(
    service: Service, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(client.files.transport.stopped, "wait", waits.append)
    answers = [problem(429, "rate-limited", {"Retry-After": "7"}), problem(503, "store-unavailable")]
    service.fault = lambda path: answers.pop(0) if path == DAY and answers else None
    assert client.day("gold", "base", LAST)["date"] == LAST
    assert waits == [7, 1]
    service.fault = lambda path: problem(503, "store-unavailable") if path == DAY else None
    with pytest.raises(TemporaryError, match=r"A sentence\. \(store-unavailable\)"):
        client.day("gold", "base", LAST)
    assert len(waits) == 2 + 5


def test_refusals_say_what_the_service_says_and_which_one_answered(
    service: Service, client_of: Callable[..., Client]
) -> None:
    with pytest.raises(AccessError, match=r"\(api-key-missing\) No API key is set\. Create one at") as refused:
        client_of(api_key=None).day("gold", "base", LAST)
    assert refused.value.code == "api-key-missing"
    service.fault = lambda path: problem(403, "not-entitled") if path == DAY else None
    host = re.escape(service.url.removeprefix("http://"))
    with pytest.raises(AccessError, match=rf"^{host}: A sentence\. \(not-entitled\)$"):
        client_of().day("gold", "base", LAST)
    with pytest.raises(NotFoundError, match="not-found"):
        client_of().day("gold", "base", "2020-01-01")


def test_wrong_arguments_are_refused_with_the_valid_ones(client: Client) -> None:
    with pytest.raises(UsageError, match=r"no chain '\.\./base'\. Use one of: base, bitcoin\."):
        client.calendar("../base")
    with pytest.raises(UsageError, match="Use one of: meta, gold, derived, briefs"):
        client.day("golf", "base", LAST)
    with pytest.raises(UsageError, match="'2026-02-30' is not a date"):
        client.day("gold", "base", "2026-02-30")
    with pytest.raises(UsageError, match="'newest' is not a revision"):
        client.day("gold", "base", LAST, revision="newest")
    with pytest.raises(UsageError, match="Use one of: latest, 7d"):
        client.bundle("gold", "base", "8d")


def test_a_newer_manifest_asks_for_a_newer_client(service: Service, client: Client) -> None:
    service.files["/api/v1/files/gold/base/manifest.json"] = b'{"schema": "manifest/3"}'
    with pytest.raises(crd.CrdError, match=r"manifest/3\. Install a newer version"):
        client.history("gold", "base")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (100.0, "100.0"),
        (-0.0, "0.0"),
        (0.00005, "0.00005"),
        (1.5e-7, "1.5e-7"),
        (1e16, "10000000000000000.0"),
        (1e21, "1.0e+21"),
        (-5e-324, "-5.0e-324"),
    ],
)
def test_numbers_in_csv_have_a_decimal_point(number: float, text: str) -> None:
    assert Table({"tx_count": [number]}).to_csv() == f"tx_count\n{text}\n"
    assert float(text) == number


def test_rows_need_no_other_package(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    table = client.tables.bundle("gold", "base", "30d")
    assert table.rows()[-1]["tx_count"] == 1021
    assert table.to_csv().splitlines()[-1] == f"{LAST},base,,1021.0,made up"
    with pytest.raises(MissingPackageError, match='pip install pandas"'):
        table.to_pandas()
    with pytest.raises(MissingPackageError, match='pip install polars"'):
        table.to_polars()


def test_polars_frames_are_typed(client: Client) -> None:
    frame = client.tables.history("gold", "base").to_polars()
    types = {name: str(kind) for name, kind in frame.schema.items()}
    assert [types[name] for name in ("date", "tx_count", "fees_total", "backfilled")] == [
        *("Date", "Float64", "Float64", "Boolean")
    ]
    assert types["status"].startswith("Categorical")


def test_the_environment_configures_the_functions(
    service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    crd.default_client.cache_clear()
    monkeypatch.delenv("CRD_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="Set CRD_BASE_URL"):
        crd.status()
    for name, value in (("BASE_URL", f"{service.url}/"), ("API_KEY", KEY), ("CACHE_DIR", str(tmp_path))):
        monkeypatch.setenv(f"CRD_{name}", value)
    assert list(crd.status()["chains"]) == ["base", "bitcoin"]
    assert crd.tables().history("gold", "base", start=LAST).columns["date"] == [LAST]
    crd.default_client().close()
    crd.default_client.cache_clear()


def test_the_address_is_that_of_the_installed_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "https://data.example.com/api/v1/python/chain_reference_data-1.0.0-py3-none-any.whl"

    def installed(text: str | None) -> str | None:
        fake = type("Fake", (), {"read_text": lambda *_: text})
        monkeypatch.setattr("crd.settings.distribution", lambda _: fake())
        return installed_from()

    assert installed(json.dumps({"url": url})) == "https://data.example.com"
    assert installed(json.dumps({"url": "file:///tmp/chain_reference_data.whl"})) is None
    assert installed(None) is None


def test_the_command_judges_freshness_by_the_clock(
    service: Service, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def chain(late_after: str | None, stale_after: str | None) -> dict[str, object]:
        last = None if late_after is None else LAST
        limits = {"late_after": late_after, "stale_after": stale_after}
        due = "2026-01-22T00:00:00Z" if late_after is None else late_after
        return {"last_available": last, "sources": [], "expected_next_by": due, **limits}

    chains = {
        "bitcoin": chain("9999-01-01T00:00:00Z", "9999-01-02T00:00:00Z"),
        "ethereum": chain("2026-01-22T00:00:00Z", "9999-01-02T00:00:00Z"),
        "arbitrum": chain("2026-01-22T00:00:00Z", "2026-01-24T00:00:00Z"),
        "base": chain(None, None),
    }
    status = {"published_revision": R1, "published_at": "2026-01-21T06:00:00Z", "hold": None, "chains": chains}
    service.publish("/api/v1/status", {**status, "holds": {"arbitrum": "a test"}})
    for name, value in (("CRD_BASE_URL", service.url), ("CRD_CACHE_DIR", str(tmp_path / "cache"))):
        monkeypatch.setenv(name, value)
    assert main(["status"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"release {R1}, published at 2026-01-21T06:00:00Z",
        f"bitcoin   fresh  last day {LAST}, next by 9999-01-01T00:00:00Z",
        f"ethereum  late   last day {LAST}, next was due by 2026-01-22T00:00:00Z",
        f"arbitrum  stale  last day {LAST}, next was due by 2026-01-22T00:00:00Z, on hold: a test",
        "base      stale  no day is available",
    ]
    assert main(["status", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == status | {"holds": {"arbitrum": "a test"}}
