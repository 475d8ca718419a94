"""The client against a running gateway with a small release of base: CRD_BASE_URL and CRD_API_KEY say where."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pandas
import pytest

import crd

FIRST, LAST = "2025-01-01", "2025-04-29"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRD_CACHE_DIR", str(tmp_path / "cache"))
    crd.default_client.cache_clear()


def test_the_calendar_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CRD_API_KEY")
    frame = crd.calendar("base")
    assert (str(frame["date"].min().date()), str(frame["date"].max().date())) == (FIRST, LAST)
    assert crd.calendars().equals(frame)
    assert list(crd.status()["chains"]) == ["base"]
    with pytest.raises(crd.AccessError, match="api-key-missing"):
        crd.history("gold", "base")


@pytest.mark.parametrize("genre", ["meta", "gold", "derived"])
def test_history_has_every_date_and_value(genre: str) -> None:
    frame = crd.history(genre, "base")
    dates = list(frame["date"].dt.strftime("%Y-%m-%d"))
    assert dates == list(crd.calendar("base")["date"].dt.strftime("%Y-%m-%d"))
    latest = crd.latest(genre, "base")
    assert latest["date"] == LAST
    recent = crd.bundle(genre, "base", "30d")
    shared = [name for name in recent.columns if name in frame.columns]
    assert set(frame.columns) - set(shared) <= {"status", "backfilled"} | {n for n in frame.columns if "driver_" in n}
    tail = frame[shared].tail(30).reset_index(drop=True)
    pandas.testing.assert_frame_equal(tail, recent[shared], check_categorical=False)


def test_meta_history_is_the_calendar() -> None:
    names = ["date", "regime", "confidence", "run_days", "determinism_hash"]
    history = crd.history("meta", "base")[names]
    # A meta day has a confidence of 0 without a label, the calendar an empty cell.
    history["confidence"] = history["confidence"].where(history["regime"] != "indeterminate")
    pandas.testing.assert_frame_equal(history, crd.calendar("base")[names])


def test_history_as_of_the_first_release_is_complete() -> None:
    revision = crd.status()["published_revision"]
    assert crd.history("gold", "base", as_of=revision).equals(crd.history("gold", "base"))
    with pytest.raises(crd.UsageError, match="before the first release"):
        crd.history("gold", "base", as_of=FIRST)


def test_days_and_labels_agree() -> None:
    assert crd.day("gold", "base", LAST)["metrics"]["tx_count"] == crd.history("gold", "base")["tx_count"].iloc[-1]
    joined = crd.regimes_on(pandas.DataFrame({"date": ["2025-02-02"]}), chain="base")
    label = crd.calendar("base").set_index("date").loc["2025-02-01", "regime"]
    assert joined.loc[0, ["regime", "regime_backfilled"]].tolist() == [label, True]


def test_recomputing_finds_no_difference() -> None:
    result = crd.recompute("base")
    assert (result.compared, result.differing) == (119, [])


def test_sync_mirrors_what_history_reads(tmp_path: Path) -> None:
    for line in crd.sync(tmp_path, genres=["gold"]):
        assert line.startswith("base gold at ")
    mirror = tmp_path / "gold" / "base"
    assert (mirror / f"{LAST}.json").exists() and (mirror / "manifest.json").exists()
    assert " 0 fetched" in crd.sync(tmp_path, genres=["gold"])[0]


def test_the_command_prints_tables_and_records() -> None:
    def run(*arguments: str) -> str:
        line = [sys.executable, "-m", "crd", *arguments]
        done = subprocess.run(line, capture_output=True, text=True, check=True, env=os.environ.copy())
        return done.stdout

    assert run("history", "gold", "base", "--start", LAST).splitlines()[1].startswith(f"{LAST},base,")
    assert run("calendar", "base").splitlines()[-1].startswith(f"{LAST},base,")
    assert f'"date": "{LAST}"' in run("latest", "gold", "base")
    assert run("recompute", "--chain", "base") == "119 dates compared, 0 differ\n"
