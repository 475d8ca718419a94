"""What `crd verify` proves and prints, its memory, and the signed files of mirrors."""

from __future__ import annotations

import base64
import json
import re
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import crd
from crd import Client, MissingPackageError, UsageError, Verification, VerificationError
from crd.cli import main
from crd.values import to_time
from crd.verification.forms import FORMS
from crd.verification.public_files import check_each, releases_in
from crd.verification.signatures import OneAlgorithm
from service import KEY, Answer, Service, problem, sha256_of
from signed import KEYS, RELEASES, SITE, STATEMENT, TIMESTAMP, Signer, moment, read_json
from story import CALENDAR, R1, R4, tell

GOLD = "/api/v1/files/gold/base"
RELEASE = "/api/v1/release"
METADATA = Path(__file__).resolve().parents[3] / "templates" / "python" / "METADATA"
NAMES = ["keys.jws", "release.json", "release.jws", "releases.json", "timestamp.jws"]


@pytest.fixture
def signer(service: Service) -> Signer:
    signer = Signer()
    signer.publish(service)
    return signer


@pytest.fixture(autouse=True)
def environment(service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in (("BASE_URL", service.url), ("API_KEY", KEY), ("CACHE_DIR", str(tmp_path / "cache"))):
        monkeypatch.setenv(f"CRD_{name}", value)
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setattr("crd.client.TRIES", 1)
    monkeypatch.setattr("crd.transport.FIRST_WAIT_SECONDS", 0)


def fault_of(run: Callable[[], Verification | None]) -> tuple[str, str]:
    with pytest.raises(VerificationError) as raised:
        run()
    return raised.value.code, raised.value.subject


def test_the_command_prints_what_is_proven_and_what_is_not(
    service: Service, signer: Signer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", service.url, "--trust", signer.trust]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"proven: key set 1 of {SITE}: signed by the root key {signer.trust[-43:]}"
    assert lines[1].startswith("proven: timestamp: release 4 was the current one, signed at ")
    assert lines[2:8] == [
        f"proven: release {R4}: signed, published at 2026-01-23T06:00:00Z by generator 0.1.0",
        "proven: the list of 4 public files matches the signed statement",
        "proven: the history of 4 releases matches the signed digest",
        "proven: 4 public files match the list",
        "proven: 2 manifests match the signed statement",
        "proven: 40 latest days in bundles match the manifests",
    ]
    assert lines[8] == "proven: 0 volume files and 0 day files match the manifests"
    assert [line.partition(": ")[0] for line in lines[9:]] == ["not proven"] * 4
    assert lines[10] == "not proven: the file of each day, and volumes as CSV (--days verifies them)"
    assert not any(re.search(r"/\d{4}-\d\d-\d\d\.json", path) for path in service.paths())


def test_dates_before_the_bundle_are_proven_by_volumes(service: Service, signer: Signer) -> None:
    cut_bundle(service, 3)
    found = crd.verify(signer.trust)
    assert (found.counts["latest_days"], found.counts["volume_files"]) == (23, 1)
    alone = "the file of each day, 2 dates of which no volume and no bundle contains, and volumes as CSV"
    assert f"{alone} (--days verifies them)" in found.not_proven


def test_without_the_largest_bundle_the_next_one_proves_the_latest_days(service: Service, signer: Signer) -> None:
    service.fault = lambda path: problem(403, "not-entitled") if "/365d/" in path else None
    assert crd.verify(signer.trust).counts["latest_days"] == 40
    service.fault = lambda path: problem(403, "not-entitled") if "0d/" in path or "/365d/" in path else None
    found = crd.verify(signer.trust)
    assert (found.counts["latest_days"], found.counts["volume_files"]) == (0, 2)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda bundle: bundle["days"].reverse(), "file-altered"),
        (lambda bundle: bundle["days"].pop(), "file-altered"),
        (lambda bundle: bundle["days"].clear(), "file-altered"),
        (lambda bundle: bundle.pop("days"), "file-altered"),
        (lambda bundle: bundle.clear(), "file-altered"),
        (lambda bundle: bundle["days"][3]["metrics"].update(tx_count=1), "file-altered"),
        (lambda bundle: bundle["days"][3].update(unknown=float("1e300")), "file-altered"),
        (lambda bundle: bundle.update(published_revision=R1, days=bundle["days"][:-1]), "mixed"),
    ],
)
def test_a_bundle_that_is_not_what_the_manifest_lists_is_refused(
    service: Service, signer: Signer, change: Callable[[Any], Any], fault: str
) -> None:
    path = f"{GOLD}/365d/latest.json"
    bundle = json.loads(service.files[path])
    change(bundle)
    service.files[path] = json.dumps(bundle).encode()
    assert fault_of(lambda: crd.verify(signer.trust)) == (fault, path)


def cut_bundle(service: Service, count: int) -> None:
    """Leaves the latest days in the bundle of gold."""
    path = f"{GOLD}/365d/latest.json"
    bundle = json.loads(service.files[path])
    service.files[path] = json.dumps({**bundle, "days": bundle["days"][-count:]}).encode()


def test_without_a_key_subscriber_files_are_not_proven(
    service: Service, signer: Signer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CRD_API_KEY")
    service.paths()
    assert main(["verify", service.url, "--trust", signer.trust]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "not proven: subscriber files: no API key is set"
    assert not any(path.startswith("/api/v1/files/") for path in service.paths())


def test_with_days_every_day_file_is_verified(service: Service, signer: Signer) -> None:
    found = crd.verify(signer.trust, service.url, days=True)
    assert found.counts["day_files"] == 40
    assert not any("--days" in line for line in found.not_proven)


def test_files_in_the_cache_are_not_downloaded_again(service: Service, signer: Signer) -> None:
    crd.verify(signer.trust)
    service.paths()
    crd.verify(signer.trust)
    assert not any(path.startswith("/objects/") for path in service.paths())


def test_a_plan_without_an_archive_leaves_it_unproven(service: Service, signer: Signer) -> None:
    service.fault = lambda path: problem(403, "not-entitled") if "/meta/" in path else None
    found = crd.verify(signer.trust, service.url)
    assert found.counts["manifests"] == 1
    assert "does not include: /api/v1/files/meta/base/manifest.json" in found.not_proven[1]


def test_a_refused_key_is_an_error_of_the_reader(
    service: Service, signer: Signer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CRD_API_KEY", "another")
    assert main(["verify", service.url, "--trust", signer.trust]) == 2
    assert "api-key-invalid" in capsys.readouterr().err


def test_the_command_exits_8_for_a_false_file_and_names_it(
    service: Service, signer: Signer, capsys: pytest.CaptureFixture[str]
) -> None:
    service.public[CALENDAR] += b" "
    assert main(["verify", service.url, "--trust", signer.trust, "--json"]) == 8
    out, err = capsys.readouterr()
    message = f"{CALENDAR} does not match its signed digest: it was altered or replaced"
    assert err.splitlines()[-1] == f"verify: {message}"
    assert json.loads(out) == {"verified": False, "code": "file-altered", "subject": CALENDAR, "message": message}


def test_the_command_exits_7_if_a_file_cannot_be_read(
    service: Service, signer: Signer, capsys: pytest.CaptureFixture[str]
) -> None:
    service.fault = lambda path: problem(503, "store-unavailable") if path == CALENDAR else None
    assert main(["verify", service.url, "--trust", signer.trust]) == 7
    host = service.url.removeprefix("http://")
    assert f"{CALENDAR} could not be read ({host}: A sentence. (store-unavailable))" in capsys.readouterr().err


def test_a_false_file_counts_more_than_one_that_cannot_be_read(service: Service, signer: Signer) -> None:
    service.fault = lambda path: problem(503, "store-unavailable") if path == CALENDAR else None
    service.public["/api/v1/methodology/v1.json"] += b" "
    assert fault_of(lambda: crd.verify(signer.trust))[0] == "file-altered"


def test_of_several_false_files_the_first_one_counts() -> None:
    def check(item: tuple[float, str]) -> None:
        wait, code = item
        threading.Event().wait(wait)
        raise VerificationError(code, str(wait))

    slow = [(0.05, "unreachable"), (0.03, "file-altered"), (0.01, "file-missing")]
    assert fault_of(lambda: check_each(check, slow)) == ("file-altered", "0.03")
    mixed = [*slow, (0.02, "mixed"), (0.0, "mixed")]
    assert fault_of(lambda: check_each(check, mixed)) == ("mixed", "0.02")


def test_other_bytes_from_a_cache_are_a_mixture(service: Service, signer: Signer) -> None:
    old = Answer(200, b"old", {"Age": "7"})
    service.fault = lambda path: old if path == CALENDAR else None
    assert fault_of(lambda: crd.verify(signer.trust)) == ("mixed", CALENDAR)


@pytest.mark.parametrize(("count", "is_followed"), [(5, True), (6, False)])
def test_five_redirects_of_a_public_file_are_followed_also_to_another_host(
    service: Service, signer: Signer, count: int, is_followed: bool
) -> None:
    other = service.url.replace("127.0.0.1", "localhost")

    def redirect(path: str) -> Answer | None:
        name, _, done = path.partition("?")
        if name != CALENDAR or int(done or 0) == count:
            return None
        return Answer(302, b"", {"Location": f"{other}{CALENDAR}?{int(done or 0) + 1}"})

    service.fault = redirect
    if is_followed:
        assert crd.verify(signer.trust).sequence == 4
    else:
        assert fault_of(lambda: crd.verify(signer.trust)) == ("unreachable", CALENDAR)


def test_an_old_file_in_a_cache_is_read_again_past_it(service: Service, signer: Signer) -> None:
    asked: list[str] = []

    def first_time(path: str) -> Answer | None:
        asked.append(path)
        return Answer(200, b"old", {"Age": "7"}) if path == CALENDAR and asked.count(path) == 1 else None

    service.fault = first_time
    service.paths()
    assert crd.verify(signer.trust).sequence == 4
    headers = [headers.get("cache-control") for path, headers in service.requests if path == KEYS]
    assert headers == [None, "no-cache"]


def test_a_release_that_is_published_meanwhile_proves_nothing_false(service: Service, signer: Signer) -> None:
    signer.publish(service, sequence=3)
    service.public[CALENDAR] += b" "
    asked: list[str] = []

    def publish(path: str) -> None:
        asked.append(path)
        if path == CALENDAR and asked.count(path) == 2:  # at the second try
            signer.publish(service, sequence=4)

    service.fault = publish
    assert fault_of(lambda: crd.verify(signer.trust)) == ("mixed", CALENDAR)


@pytest.mark.parametrize("path", [RELEASE, RELEASES])
def test_a_list_that_differs_because_a_release_is_published_proves_nothing_false(
    service: Service, signer: Signer, path: str
) -> None:
    signer.publish(service)
    later = service.public[TIMESTAMP]
    signer.publish(service, sequence=3)
    service.public[path] = b"{}"
    asked: list[str] = []

    def publish(path: str) -> Answer | None:
        asked.append(path)
        return Answer(200, later, {}) if path == TIMESTAMP and asked.count(path) > 2 else None

    service.fault = publish
    assert fault_of(lambda: crd.verify(signer.trust)) == ("mixed", path)


def test_a_verification_that_takes_long_judges_each_document_when_it_is_read(
    service: Service, signer: Signer, monkeypatch: pytest.MonkeyPatch
) -> None:
    signer.renew(service, {"site": SITE, "sequence": 4, "sha256": sha256_of(R4.encode())}, signed=-0.5)
    times = [to_time(moment(-0.4)), to_time(moment())]
    monkeypatch.setattr("crd.verification.entry.utc_now", lambda: times[0])

    def publish(path: str) -> Answer | None:
        if path != CALENDAR or len(times) == 1:
            return None
        times.pop(0)
        signer.publish(service)
        return Answer(200, b"half of a file", {})

    service.fault = publish
    assert crd.verify(signer.trust).as_of > moment(-0.1)


def test_other_bytes_behind_a_link_are_false(service: Service, signer: Signer) -> None:
    volume = f"{GOLD}/volumes/2026-01.parquet"
    link = f"/objects/{sha256_of(service.files[volume])}"
    size = len(service.files[volume])
    service.fault = lambda path: Answer(200, b"x" * size, {}) if path == link else None
    assert fault_of(lambda: crd.verify(signer.trust, days=True)) == ("file-altered", volume)


def test_the_memory_is_written_after_success_for_its_owner_only(
    service: Service, signer: Signer, tmp_path: Path
) -> None:
    state = tmp_path / "state.json"
    found = crd.verify(signer.trust, since=state)
    about = {"schema": "verified-state/1", "site": SITE, "root": signer.trust[-43:]}
    seen = {"key_set_version": 1, "sequence": 4, "sha256": found.sha256}
    assert json.loads(state.read_bytes()) == {**about, **seen}
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    before = state.read_bytes()
    service.public[CALENDAR] += b" "
    assert fault_of(lambda: crd.verify(signer.trust, since=state))[0] == "file-altered"
    assert state.read_bytes() == before
    assert [each.name for each in tmp_path.glob("state*")] == ["state.json"]


def test_a_reader_with_a_memory_refuses_the_past_and_another_history(
    service: Service, signer: Signer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = str(tmp_path / "state.json")
    signer.version = 2
    signer.publish(service, sequence=3)
    command = ["verify", service.url, "--trust", signer.trust, "--since", state]
    assert main(command) == 0
    assert f"or for other readers ({state} did not exist: later runs compare)" in capsys.readouterr().out
    signer.publish(service, sequence=4)
    assert main(command) == 0
    assert "proven: the same history as when you saw release 3" in capsys.readouterr().out
    signer.publish(service, sequence=3)
    assert main(command) == 8
    assert "the site serves an old state (release 3, you have seen 4)" in capsys.readouterr().err
    signer.publish(service, records=[sha256_of(bytes([i])) for i in range(4)])
    assert main(command) == 8
    assert "Two different histories were signed for this site" in capsys.readouterr().err
    signer.version = 1
    signer.publish(service)
    assert main(command) == 8
    assert "is older than the key set that you have seen before (version 1, you have seen 2)" in capsys.readouterr().err


def test_documents_that_contradict_each_other_do_not_accuse_a_memory_that_does_not_exist(
    service: Service, signer: Signer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    signer.renew(service, {"site": SITE, "sequence": 4, "sha256": sha256_of(b"another")})
    assert main(["verify", service.url, "--trust", signer.trust, "--since", str(tmp_path / "state.json")]) == 8
    printed = capsys.readouterr().err
    assert "names a different release than the signed history" in printed
    assert "state file" not in printed


def test_a_history_must_end_with_the_release_of_its_statement(service: Service, signer: Signer) -> None:
    def sign(past: list[dict[str, object]]) -> None:
        entry = signer.entry
        signer.entry = lambda i, records: {**entry(i, records), **past[i]}  # type: ignore[method-assign]
        signer.publish(service)
        signer.entry = entry  # type: ignore[method-assign]

    sign([{}, {"sequence": 3}, {}, {}])
    assert fault_of(lambda: crd.verify(signer.trust)) == ("file-altered", RELEASES)


def test_a_memory_of_another_site_or_a_damaged_one_is_refused(signer: Signer, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    crd.verify(signer.trust, since=state)
    with pytest.raises(UsageError, match="is the state of https://data"):
        crd.verify(Signer().trust, since=state)
    state.write_text("{}")
    with pytest.raises(
        UsageError, match="state file of crd verify: the content does not match the verified-state schema at "
    ):
        crd.verify(signer.trust, since=state)
    state.write_text("{")
    with pytest.raises(UsageError, match="state file of crd verify: Expecting property name"):
        crd.verify(signer.trust, since=state)
    with pytest.raises(crd.CrdError, match="Verification succeeded, but the state could not be saved"):
        crd.verify(signer.trust, since=tmp_path / "none" / "state.json")


def test_a_mirror_is_verified_without_a_network(
    service: Service, signer: Signer, client: Client, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mirror = tmp_path / "mirror"
    client.sync(mirror, ["base"], ["gold", "meta"])
    assert sorted(each.name for each in (mirror / "trust").iterdir()) == NAMES
    service.paths()
    assert main(["verify", str(mirror), "--trust", signer.trust]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "proven: the manifests of meta/base, gold/base match the signed statement" in lines
    assert "proven: 2 volume files and 10 day files match the manifests" in lines
    assert service.paths() == []
    assert crd.verify(signer.trust, mirror, at=moment()).counts["day_files"] == 10
    assert fault_of(lambda: crd.verify(signer.trust, mirror, at=moment(3)))[0] == "timestamp-expired"
    client.sync(mirror, ["base"], ["gold", "meta"], days=True)
    assert crd.verify(signer.trust, mirror).counts["day_files"] == 40


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("gold/base/2026-01-21.json", "file-altered"),
        ("gold/base/volumes/2026-01.parquet", "file-altered"),
        ("gold/base/manifest.json", "file-altered"),
        ("gold/base/2027-01-01.json", "file-altered"),
        ("gold/base/volumes/2027.parquet", "file-altered"),
        ("trust/release.json", "file-altered"),
        ("trust/releases.json", "file-altered"),
    ],
)
def test_another_file_in_a_mirror_is_detected(
    signer: Signer, client: Client, tmp_path: Path, name: str, code: str
) -> None:
    client.sync(tmp_path, ["base"], ["gold"])
    (tmp_path / name).write_bytes(b"{}")
    assert fault_of(lambda: crd.verify(signer.trust, tmp_path)) == (code, name)


@pytest.mark.parametrize("path", [KEYS, TIMESTAMP, STATEMENT])
def test_a_signed_document_of_more_than_256_kib_is_refused(
    service: Service, signer: Signer, client: Client, tmp_path: Path, path: str
) -> None:
    client.sync(tmp_path, ["base"], ["gold"])
    service.public[path] += b"A" * 2**18
    assert fault_of(lambda: crd.verify(signer.trust)) == ("jws-malformed", path)
    name = f"trust/{path.rpartition('/')[2]}"
    (tmp_path / name).write_bytes(service.public[path])
    with pytest.raises(VerificationError, match=f"^{name} .* [(]it has more than 262144 bytes[)]$"):
        crd.verify(signer.trust, tmp_path)


@pytest.mark.parametrize("count", [900, 1_750])
def test_a_statement_of_at_most_256_kib_is_proven(
    service: Service, signer: Signer, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.delenv("CRD_API_KEY")
    others = {f"/api/v1/files/made/{i:0>6}/manifest.json": "a" * 64 for i in range(count)}
    resign(service, signer, STATEMENT, lambda statement: statement["manifests"].update(others))
    assert 130_000 < len(service.public[STATEMENT]) < 2**18
    assert crd.verify(signer.trust).sequence == 4


def test_a_key_set_with_a_hundred_revoked_keys_is_proven(service: Service, signer: Signer) -> None:
    def revoke(keys: dict[str, Any]) -> None:
        other = Signer().key_set()["keys"][0]
        reason = "\x01" * 200  # six bytes each
        keys["keys"] += [{**other, "revoked": {"at": other["valid_from"], "reason": reason}}] * 99

    resign(service, signer, KEYS, revoke)
    assert 130_000 < len(service.public[KEYS]) < 2**18
    assert crd.verify(signer.trust).sequence == 4


def resign(service: Service, signer: Signer, path: str, change: Callable[[Any], Any]) -> None:
    """Signs a signed document of a service again, with other content."""
    payload = service.public[path].split(b".")[1]
    content = json.loads(base64.urlsafe_b64decode(payload + b"=" * (-len(payload) % 4)))
    change(content)
    service.public[path] = signer.sign(path, content)


def test_a_file_that_does_not_belong_in_a_mirror_is_named_as_such(
    signer: Signer, client: Client, tmp_path: Path
) -> None:
    client.sync(tmp_path, ["base"], ["gold"])
    (tmp_path / "gold" / "base" / "2027-01-01.json").write_bytes(b"{}")
    with pytest.raises(
        VerificationError, match=r"^gold/base/2027-01-01.json does not belong in this mirror: .*again\.$"
    ):
        crd.verify(signer.trust, tmp_path)


def test_an_altered_list_of_releases_does_not_accuse_the_publisher(
    service: Service, signer: Signer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["verify", service.url, "--trust", signer.trust, "--since", str(tmp_path / "state.json")]
    assert main(command) == 0
    service.public[RELEASES] = service.public[RELEASES].replace(b"2026", b"2025", 1)
    assert main(command) == 8
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith(f"verify: {RELEASES} does not match its signed digest")
    assert not any("histories" in line for line in lines)


@pytest.mark.parametrize("name", ["gold/base/2026-01-21.json", "gold/base/manifest.json"])
def test_a_file_that_is_missing_in_a_mirror_is_detected(
    signer: Signer, client: Client, tmp_path: Path, name: str
) -> None:
    client.sync(tmp_path, ["base"], ["gold"])
    (tmp_path / name).unlink()
    assert fault_of(lambda: crd.verify(signer.trust, tmp_path)) == ("file-missing", name)


def test_a_mirror_that_was_interrupted_is_a_mixture(signer: Signer, client: Client, tmp_path: Path) -> None:
    client.sync(tmp_path, ["base"], ["gold"])
    folder = tmp_path / "gold" / "base"
    (folder / "manifest.json").rename(folder / "manifest.previous.json")
    assert fault_of(lambda: crd.verify(signer.trust, tmp_path))[0] == "mixed"


def test_a_mirror_of_an_unsigned_site_has_no_signed_files(service: Service, client: Client, tmp_path: Path) -> None:
    client.sync(tmp_path, ["base"], ["gold"])
    assert not (tmp_path / "trust").exists()
    assert [path for path in service.paths() if path.endswith(".jws")] == [KEYS]
    with pytest.raises(VerificationError, match=r"^trust/keys\.jws does not exist: this site does not sign") as raised:
        crd.verify(Signer().trust, tmp_path)
    assert raised.value.code == "release-unsigned"


def test_sync_follows_a_release_that_is_published_meanwhile(
    service: Service, signer: Signer, client: Client, tmp_path: Path
) -> None:
    def publish(path: str) -> None:
        if path == KEYS:
            service.fault = lambda _: None
            tell(service, volumes=False)
            signer.publish(service)

    service.fault = publish
    client.sync(tmp_path, ["base"], ["gold"])
    assert crd.verify(signer.trust, tmp_path).counts == {
        "releases": 4,
        "manifests": 1,
        "volume_files": 0,
        "day_files": 20,
    }


def test_sync_is_incomplete_while_the_signed_files_are_of_two_releases(
    service: Service, signer: Signer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service.public[TIMESTAMP] = signer.sign(TIMESTAMP, {"sha256": "another"})
    command = ["sync", "--chain", "base", "--genre", "gold", "--to", str(tmp_path)]
    assert main(command) == 1
    assert "are of different releases" in capsys.readouterr().err
    del service.public[STATEMENT]
    assert main(command) == 1
    assert not (tmp_path / "trust").exists()
    service.fault = lambda path: problem(503, "store-unavailable") if path == KEYS else None
    assert main(command) == 1
    assert "store-unavailable" in capsys.readouterr().err


def test_sync_reports_an_archive_of_an_earlier_release(
    service: Service, signer: Signer, client_of: Callable[..., Client], tmp_path: Path
) -> None:
    lines: list[str] = []
    client = client_of(progress=lines.append)
    client.sync(tmp_path, ["base"], ["gold", "meta"])
    assert lines == []
    tell(service, volumes=False)
    signer.publish(service)
    client.sync(tmp_path, ["base"], ["gold"])
    assert lines[0].startswith("meta/base is not of the signed release: crd verify refuses it.")
    assert fault_of(lambda: crd.verify(signer.trust, tmp_path)) == ("file-altered", "meta/base/manifest.json")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["https://data.example.com", "--trust", "abc"], "does not name a root key. Use SITE#THUMBPRINT"),
        (["none", "--trust", f"a#{'b' * 43}"], "none is not a folder"),
        (["none", "--trust", f"a#{'b' * 43}", "--at", "now"], "is not an instant"),
        (["none", "--trust", f"a#{'b' * 43}", "--days"], "--days (days=True) applies only to a service"),
        (
            ["https://data.example.com", "--trust", f"a#{'b' * 43}", "--at", "2026-01-01T00:00:00Z"],
            "applies only to a mirror",
        ),
    ],
)
def test_wrong_arguments_are_explained(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_missing_package_is_named(signer: Signer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("joserfc", "crd.verification."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "joserfc", None)
    with pytest.raises(MissingPackageError) as raised:
        crd.verify(signer.trust)
    requirement = "joserfc>=1.6,<2"
    assert str(raised.value).endswith(f'pip install "{requirement}"')
    assert f'Requires-Dist: {requirement}; extra == "verify"' in METADATA.read_text().splitlines()


def test_a_fault_shows_nothing_that_controls_a_terminal() -> None:
    fault = VerificationError("jws-kind", TIMESTAMP, "typ \x1b[2J\n" + "a" * 1000)
    assert str(fault).isprintable()
    assert len(str(fault)) < 500


def test_only_the_algorithm_of_the_key_is_allowed() -> None:
    for name in ("none", "HS256", "RS256", "ES256", "Ed25519"):
        with pytest.raises(Exception, match="is not allowed"):
            OneAlgorithm("EdDSA").get_alg(name)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"schema": "timestamp/2"}, "schema"),
        ({"more": 1}, "more"),
        ({"sequence": True}, "sequence"),
        ({"sequence": 0}, "sequence"),
        ({"sha256": "A" * 64}, "sha256"),
        ({"as_of": "2026-02-30T00:00:00Z"}, "as_of"),
        ({"as_of": 1}, "as_of"),
        ({"site": "with space"}, "site"),
    ],
)
def test_a_document_of_another_form_is_refused(change: dict[str, object], place: str) -> None:
    times = {"as_of": "2026-01-01T00:00:00Z", "expires": "2026-01-03T00:00:00Z"}
    stamp = {"schema": "timestamp/1", "site": SITE, "sequence": 1, "sha256": "a" * 64, **times}
    assert FORMS["timestamp"](stamp) is None
    assert FORMS["timestamp"]({**stamp, **change}) == place
    assert FORMS["timestamp"](None) == ""


def test_the_place_of_a_fault_inside_a_key_set_is_named() -> None:
    keys = Signer().key_set()
    assert FORMS["key-set"](keys) is None
    keys["keys"][0]["jwk"]["x"] = "short"
    assert FORMS["key-set"](keys) == "keys.0.jwk"
    assert FORMS["key-set"]({**keys, "keys": []}) == "keys"


def test_the_forms_are_those_of_the_schemas() -> None:
    folder = Path(__file__).resolve().parents[3] / "schemas" / "json"
    for name, form in FORMS.items():
        schema = json.loads((folder / f"{name}.schema.json").read_bytes())
        assert schema["additionalProperties"] is False
        assert form({}) == sorted(schema["required"])[0] == sorted(schema["properties"])[0]
    assert read_json("vectors.json")["site"] == SITE


@pytest.mark.parametrize(
    "value", ["1e999", "NaN", "1" + "0" * 400, '"\\ud800"', "null", '{"sequence":[1e999]}', "[" * 99]
)
def test_a_list_of_releases_with_any_values_is_no_list_rather_than_an_error(value: str) -> None:
    assert releases_in(f'{{"releases":[{value}],"schema":"releases/1"}}'.encode()) == []
