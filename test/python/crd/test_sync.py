"""Mirrors with volumes, and the command `crd`. Mirrors of day files are tested in test/integration/clients."""

from __future__ import annotations

from pathlib import Path

import pytest

from crd import Client, CrdError, IncompleteError, UsageError
from crd.cli import main
from service import KEY, Service, problem, sha256_of
from story import LAST, R4, WITHDRAWN, publish_volume, tell, versions_of


def names_of(folder: Path) -> list[str]:
    return sorted(str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file())


AFTER = [f"2026-01-{day}.json" for day in (16, 17, 18, 19, 21)]
COMPLETE = [*AFTER, "manifest.json", "volumes/2026-01.parquet"]


def test_a_mirror_has_volumes_and_the_later_days(service: Service, client: Client, tmp_path: Path) -> None:
    counts = "20 dates, 5 fetched, 0 restated, 0 repaired, 0 moved aside, 1 of 1 volumes fetched"
    assert client.sync(tmp_path, ["base"], ["gold"]) == [f"base gold at {R4}: {counts}"]
    mirror = tmp_path / "gold" / "base"
    assert names_of(mirror) == COMPLETE
    root = "/api/v1/files/gold/base"
    for name in COMPLETE:
        published = service.files[f"{root}/{name}"]
        assert (mirror / name).read_bytes() == published
    assert not any("?revision=" in path for path in service.paths())  # the days come from one bundle
    client.sync(tmp_path, ["base"], ["gold"])
    assert [path for path in service.paths() if "files" in path or "objects" in path] == [f"{root}/manifest.json"]


def test_a_volume_replaces_the_volumes_of_its_months(service: Service, client: Client, tmp_path: Path) -> None:
    client.sync(tmp_path, ["base"], ["gold"])
    mirror = tmp_path / "gold" / "base"
    publish_volume(service, "gold", period="2026", through="2026-01-20")
    client.sync(tmp_path, ["base"], ["gold"])
    assert names_of(mirror) == ["2026-01-21.json", "manifest.json", "volumes/2026.parquet"]


def test_a_changed_volume_is_repaired(service: Service, client: Client, tmp_path: Path) -> None:
    client.sync(tmp_path, ["base"], ["gold"])
    volume = tmp_path / "gold" / "base" / "volumes" / "2026-01.parquet"
    volume.write_bytes(b"mine")
    assert client.sync(tmp_path, ["base"], ["gold"])[0].endswith("1 of 1 volumes fetched")
    assert volume.read_bytes() == service.files["/api/v1/files/gold/base/volumes/2026-01.parquet"]


def test_a_mirror_without_its_volume_is_incomplete(
    service: Service, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del service.files["/api/v1/files/gold/base/volumes/2026-01.parquet"]
    monkeypatch.setattr("time.sleep", lambda _: None)
    with pytest.raises(CrdError, match="not-found"):
        client.sync(tmp_path, ["base"], ["gold"])
    assert "manifest.json" not in names_of(tmp_path / "gold" / "base")


def test_a_mirror_of_days_has_every_date(service: Service, client: Client, tmp_path: Path) -> None:
    tell(service, volumes=False)
    client.sync(tmp_path, ["base"], ["gold"], days=True)
    names = names_of(tmp_path / "gold" / "base")
    assert len(names) == 21
    assert f"{WITHDRAWN}.json" not in names


def test_a_mirror_has_only_the_files_of_its_mode(client: Client, tmp_path: Path) -> None:
    mirror = tmp_path / "gold" / "base"
    client.sync(tmp_path, ["base"], ["gold"], days=True)
    days = [name for name in names_of(mirror) if name != "manifest.json"]
    assert len(days) == 20
    assert client.sync(tmp_path, ["base"], ["gold"])[0].endswith("1 of 1 volumes fetched, 15 removed")
    assert names_of(mirror) == COMPLETE
    assert client.sync(tmp_path, ["base"], ["gold"], days=True)[0].endswith("0 moved aside, 1 removed")
    assert names_of(mirror) == [*days, "manifest.json"]
    assert not (mirror / "volumes").exists()


def test_a_volume_that_is_not_listed_any_more_is_removed(service: Service, client: Client, tmp_path: Path) -> None:
    client.sync(tmp_path, ["base"], ["gold"])
    tell(service, volumes=False)
    assert client.sync(tmp_path, ["base"], ["gold"])[0].endswith("0 moved aside, 1 removed")
    assert len(names_of(tmp_path / "gold" / "base")) == 21


def test_a_mirror_never_deletes_files_that_it_did_not_write(client: Client, tmp_path: Path) -> None:
    mirror = tmp_path / "gold" / "base"
    client.sync(tmp_path, ["base"], ["gold"], days=True)
    (mirror / "volumes").mkdir()
    foreign = ["2026-01-03.json", "volumes/2019.parquet", "volumes/mine.parquet", "notes.txt"]
    for name in foreign:
        (mirror / name).write_text(name)
    aside = [f"withdrawn/{Path(name).stem}-{sha256_of(name.encode())[:16]}{Path(name).suffix}" for name in foreign[:2]]
    line = client.sync(tmp_path, ["base"], ["gold"])[0]
    assert line.endswith("2 moved aside, 1 of 1 volumes fetched, 14 removed")
    assert names_of(mirror) == sorted([*COMPLETE, *aside, *foreign[2:]])
    for name, kept in zip(foreign, [*aside, *foreign[2:]]):
        assert (mirror / kept).read_text() == name


def test_a_mirror_does_not_go_back(service: Service, client: Client, tmp_path: Path) -> None:
    client.sync(tmp_path, ["base"], ["gold"])
    path = "/api/v1/files/gold/base/manifest.json"
    service.files[path] = service.files[path].replace(b'"sequence": 4', b'"sequence": 3')
    with pytest.raises(IncompleteError, match="older release"):
        client.sync(tmp_path, ["base"], ["gold"])
    with pytest.raises(UsageError, match="Use one of: base, bitcoin"):
        client.sync(tmp_path, ["doge"])


@pytest.fixture
def environment(service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in (("BASE_URL", service.url), ("API_KEY", KEY), ("CACHE_DIR", str(tmp_path / "cache"))):
        monkeypatch.setenv(f"CRD_{name}", value)


@pytest.mark.usefixtures("environment")
def test_the_command_prints_csv_json_and_one_line_for_an_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["history", "gold", "base", "--start", LAST, "--provenance"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == f"{LAST},base,,1021.0,made up,available,false,v1,{r3()},{r3()},"
    assert main(["day", "gold", "base", LAST]) == 0
    assert '"tx_count": 1021' in capsys.readouterr().out
    frame = tmp_path / "mine.csv"
    frame.write_text("day,x\n2026-01-22,1\n")
    assert main(["regimes-on", str(frame), "--on", "day", "--chain", "base"]) == 0
    assert capsys.readouterr().out == "day,x,regime,regime_backfilled\n2026-01-22,1,steady,False\n"
    assert main(["sync", "--chain", "base", "--genre", "gold", "--to", str(tmp_path)]) == 0
    assert capsys.readouterr().out.startswith(f"base gold at {R4}: ")
    assert main(["calendar", "doge"]) == 2
    assert capsys.readouterr().err == "calendar: There is no chain 'doge'. Use one of: base, bitcoin.\n"


@pytest.mark.usefixtures("environment")
def test_the_command_exits_1_when_the_list_of_chains_cannot_be_read(
    service: Service, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    service.fault = lambda _: problem(503, "store-unavailable")
    assert main(["sync", "--to", str(tmp_path), "--tries", "1"]) == 1
    host = service.url.removeprefix("http://")
    assert capsys.readouterr() == ("", f"sync: {host}: A sentence. (store-unavailable)\n")
    assert len(service.requests) == 1


@pytest.mark.usefixtures("environment")
def test_the_command_sends_the_key_only_to_the_service_of_the_environment(
    service: Service, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    other = service.url.replace("127.0.0.1", "localhost")
    assert main(["sync", "--to", str(tmp_path), "--gateway", other]) == 2
    assert "sync: CRD_API_KEY was not sent to http://localhost" in capsys.readouterr().err
    assert service.requests == []


@pytest.mark.usefixtures("environment")
def test_the_command_explains_a_file_that_it_cannot_read(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["regimes-on", str(tmp_path / "none.csv")]) == 2
    assert "none.csv cannot be read as CSV: " in capsys.readouterr().err


def r3() -> str:
    return versions_of("gold", LAST)[0][0]
