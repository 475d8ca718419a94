"""What the client refuses of a service: texts, sizes, paths and addresses."""

from __future__ import annotations

import gc
import gzip
import json
import random
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from urllib3.exceptions import DecodeError

from crd import AccessError, Client, DataError, FileError, NotFoundError, TemporaryError, UsageError, strict_json
from crd.cache import Cache
from crd.canonical import canonical
from crd.cli import main
from crd.document_forms import DAYS, RELEASE, STATUS, THRESHOLDS, bundle
from crd.document_forms import MANIFEST as MANIFEST_FORM
from crd.local_files import inside, read_file
from crd.methodology.days import applying
from crd.strict_json import parse_json
from crd.table import parse_csv
from crd.terminal import printable, shown_json
from crd.transport import LONGEST_WAIT_SECONDS, retry_after, unpacked
from crd.values import (
    all_have,
    cell_text,
    chain,
    date,
    each_of,
    having,
    instant,
    number,
    period,
    sha256,
    url_path,
    whole,
)
from service import KEY, Answer, Service, problem
from signed import Signer
from story import CALENDAR, LAST, METHODOLOGY

DAY = f"/api/v1/files/gold/base/{LAST}.json"
MANIFEST = "/api/v1/files/gold/base/manifest.json"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"\xef\xbb\xbf{}", "BOM"),
        (b'{"a":1}\xc2\xa0', "Extra data"),
        ("{}".encode("utf-16"), "utf-8"),
        (b'"\xff"', "utf-8"),
        (b'{"a":1,"a":1}', "repeated"),
        (b"NaN", "not a finite double"),
        (b"-Infinity", "not a finite double"),
        (b"1e999", "not a finite double"),
        (b"1" * 26, "26 digits"),
        (b"[" * 33 + b"]" * 33, "too deeply"),
        (b'{"a\\\\":' * 33 + b"1" + b"}" * 33, "too deeply"),
        (b'["","]","[\\"]",' + b"[" * 32 + b"]" * 33, "too deeply"),
        (b'"\\ud800"', "surrogates"),
        (b"[" + b"1," * 1_000_001 + b"1]", "too many values"),
        (b" " * (2**24 + 1), "bytes"),
        (b"{} {}", "Extra data"),
        (b'"a\nb"', "control character"),
        (b"", "Expecting value"),
    ],
)
def test_a_text_that_is_not_strict_json_is_refused_with_the_reason(text: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse_json(text)


def test_strict_json_is_read_like_json() -> None:
    for text in (
        '{"a": [1, -2.5e-7, "[[\\"{", null, true], "ü": {"\\\\": "\\ud83d\\ude00"}}',
        "[" * 32 + "]" * 32,
        '["' + "[" * 33 + '","","' + "{,[" * 400_000 + '"]',
        "0",
    ):
        assert parse_json(text.encode()) == json.loads(text)


def plain_limits(text: str, depth: int, values: int) -> str | None:
    """Returns the limit that a text is beyond, as one reads it character by character."""
    level = deepest = count = 0
    is_text = is_escaped = False
    for each in text:
        if is_escaped:
            is_escaped = False
        elif each == "\\":
            is_escaped = True
        elif each == '"':
            is_text = not is_text
        elif not is_text:
            count += each in ",[{"
            level += (each in "[{") - (each in "]}")
            deepest = max(deepest, level)
    if text.count('"') > 2 * values:
        return "texts"
    return "values" if count > values else "nested" if deepest > depth else None


def test_limits_are_those_of_a_plain_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strict_json, "MAX_DEPTH", 4)
    monkeypatch.setattr(strict_json, "MAX_VALUES", 12)
    found = set()
    for seed in range(20_000):
        draw = random.Random(seed)
        parts = [
            "[",
            "]",
            "{",
            "}",
            '""',
            '"a"',
            ",",
            *draw.choice([[], [], ['"'], ['"[,"', '"{\\\\"', '"\\"]"', "x"]]),
        ]
        text = "".join(draw.choices(parts, k=draw.randrange(24)))
        limit = plain_limits(text, 4, 12)
        found.add(limit)
        try:
            strict_json.check_limits(text.encode())
            assert limit is None, text
        except ValueError as fault:
            assert limit is not None and limit in str(fault), text
    assert found == {None, "texts", "values", "nested"}


def test_values_have_one_spelling() -> None:
    known = {chain: "base", date: "2024-02-29", instant: "2026-03-01T06:00:00Z", period: "2026-01", sha256: "0a" * 32}
    for form, value in {**known, url_path: "/api/v1/status"}.items():
        assert form(value) is None
        wrong = [
            None,
            1,
            True,
            [value],
            f"{value}\n",
            f" {value}",
            f"../{value}",
            f"{value}\u0660",
            "",
        ]
        assert [each for each in wrong if form(each) is None] == []
    assert date("2026-02-30") is not None
    assert instant("2026-03-01T06:00:60Z") is not None
    assert sha256("0A" * 32) is not None


def test_a_list_is_judged_like_each_of_its_values() -> None:
    drawn: list[Any] = [None, True, 0, 1, -1, 2**60, 0.5, float("nan"), float("inf"), "", "a", "a\n", "=a", "0a" * 32]
    drawn += [
        "2024-02-29",
        "2026-03-01T06:00:00Z",
        "2024-02-30",
        "1969-12-31",
        "v1",
        "v0",
        "2026-01-20.000001",
        "x" * 1_001,
        [],
        {},
        [1],
    ]
    item = having({"b": number}, a=whole(0, 5))
    drawn += [
        {"a": 1},
        {"a": 1, "b": 0.5},
        {"a": 1, "b": "x"},
        {"b": 1},
        {"a": True},
        {"a": 9},
        [{"a": 1}],
        [{}],
        [{"a": 0}] * 3,
    ]
    forms = [date, instant, chain, sha256, cell_text, number, whole(0, 5), item, each_of(item, 2), each_of(item, 2, 0)]
    draw = random.Random(1)
    for form in forms:
        valid = [value for value in drawn if form(value) is None]
        for _ in range(200):
            values = draw.choices(valid, k=draw.randrange(5)) + draw.choices(drawn, k=draw.randrange(2))
            assert all_have(form, values) == all(form(value) is None for value in values), values
        assert all_have(form, valid) and each_of(form, 1_000, 0)(valid) is None
        wrong = next(value for value in drawn if form(value) is not None)
        assert (each_of(form, 1_000)([*valid, wrong]) or "").split(".")[0] == str(len(valid))


def test_a_terminal_shows_what_others_write_as_one_line() -> None:
    text = "a\x1b[2Jb\nc\u202ed\x9be\u2028f\ud800"
    assert printable(text) == "a?[2Jb?c?d?e?f?"
    assert printable("44\u00a0% \u00e4") == "44\u00a0% \u00e4"
    assert json.loads(shown_json({"a": "\x1b\x7f\u202e\x9b"})) == {"a": "\x1b\x7f\u202e\x9b"}
    assert shown_json(["\x7f\u202e\x9b"]) == '[\n  "\\u007f\\u202e\\u009b"\n]'
    assert str(DataError("x" * 3000)) == "x" * 2000 + "..."


def test_local_paths_stay_in_their_folder(tmp_path: Path) -> None:
    (tmp_path / "mirror").mkdir()
    (tmp_path / "mirror" / "gold").symlink_to(tmp_path)
    for name in ("../x", "gold/x", "/etc/hostname", "a/../../x"):
        with pytest.raises(UsageError, match="leads to a place outside"):
            inside(tmp_path / "mirror", name)
    assert inside(tmp_path / "mirror", "a/../b").name == "b"
    with pytest.raises(OSError, match="more than 2 bytes"):
        read_file(Path(__file__), 2)
    with pytest.raises(OSError):
        read_file(tmp_path)
    with pytest.raises(DataError, match="A digest is not valid"):
        Cache(tmp_path).read("../mirror")


@pytest.mark.parametrize("name", ["gold", "gold/base", "gold/base/volumes", "trust"])
def test_a_mirror_does_not_follow_links_out_of_its_folder(
    service: Service, client: Client, tmp_path: Path, name: str
) -> None:
    Signer().publish(service)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "2026-01-01.json").write_text("mine")
    link = tmp_path / "mirror" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    with pytest.raises(UsageError, match="Remove the link"):
        client.sync(tmp_path / "mirror", ["base"], ["gold"])
    assert [each.name for each in outside.iterdir()] == ["2026-01-01.json"]


def test_sync_without_chains_does_not_use_names_that_are_paths(
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = json.loads(service.public["/api/v1/status"])
    service.publish("/api/v1/status", {**status, "chains": {"../../out": status["chains"]["base"]}})
    service.files["/api/v1/files/gold/../../out/manifest.json"] = service.files[MANIFEST]
    for name, value in (("BASE_URL", service.url), ("API_KEY", KEY), ("CACHE_DIR", str(tmp_path / "cache"))):
        monkeypatch.setenv(f"CRD_{name}", value)
    assert main(["sync", "--to", str(tmp_path / "mirror")]) == 2
    assert "/api/v1/status is not valid at chains." in capsys.readouterr().err
    assert not (tmp_path / "mirror").exists() and not (tmp_path / "out").exists()


def test_a_service_without_chains_has_no_calendars(service: Service, client: Client, tmp_path: Path) -> None:
    status = json.loads(service.public["/api/v1/status"])
    service.publish("/api/v1/status", {**status, "chains": {}})
    with pytest.raises(NotFoundError, match="has no chains"):
        client.calendars()
    assert client.sync(tmp_path / "mirror") == []


def test_a_path_of_a_manifest_cannot_become_another_host(service: Service, client: Client) -> None:
    manifest = json.loads(service.files[MANIFEST])
    manifest["volumes"][0]["parquet"]["path"] = "@127.0.0.1:1/x"
    service.files[MANIFEST] = json.dumps(manifest).encode()
    with pytest.raises(DataError, match=r"manifest\.json is not valid at volumes\.0\.parquet\.path"):
        client.history("gold", "base")
    with pytest.raises(DataError, match="The path '@127"):
        client.files.transport.request_link("@127.0.0.1:1/x", None)
    with pytest.raises(AccessError, match="the key is not sent to"):
        client.files.transport.get("http://127.0.0.1:1/x", {"X-API-Key": KEY}, 1, follows=False)


def unpack(data: bytes, encoding: str, most: int) -> bytes:
    return b"".join(unpacked(iter([data[:5], data[5:]]), encoding, most))


def test_a_compressed_answer_is_unpacked_up_to_a_size() -> None:
    packed = gzip.compress(b"x" * 100_000)
    assert unpack(packed, "gzip", 2**20) == b"x" * 100_000
    assert unpack(packed, "GZIP", 1_000) == b"x" * 1_000
    assert unpack(b"x" * 9, "", 7) == b"x" * 7
    for data, encoding in ((packed[:-9], "gzip"), (packed + packed, "gzip"), (packed, "gzip, gzip"), (packed, "br")):
        with pytest.raises(DecodeError):
            unpack(data, encoding, 2**20)


def test_an_answer_has_a_size_and_a_time(
    service: Service, client_of: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(tries=1)
    client.status()
    packed = gzip.compress(b"x" * 1_000_000)
    service.fault = lambda path: Answer(200, packed, {"Content-Encoding": "gzip"}) if path == CALENDAR else None
    size = len(service.public[CALENDAR])
    assert len(client.files.read_public(CALENDAR, True, size)) == size + 1
    monkeypatch.setattr("crd.transport.MAX_FILE_BYTES", 1_000)
    assert len(client.files.read_public(CALENDAR, True)) == 1_001
    monkeypatch.setattr("crd.transport.ANSWER_SECONDS", 0.1)
    service.fault = lambda _: time.sleep(1)
    with pytest.raises(FileError, match="took more than 0 seconds"):
        client.files.read_public(CALENDAR, True)


def test_a_wait_has_a_limit() -> None:
    assert retry_after("7") == 7
    for text in ("9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"):
        assert retry_after(text) == LONGEST_WAIT_SECONDS
    for text in ("", "-1", "1.5", "\u0661", "Fri, 99 Dec 2026 00:00:00 GMT", "soon"):
        assert retry_after(text) is None
    assert retry_after("Fri, 31 Dec 1999 23:59:59 GMT") == 0


def test_a_service_chooses_neither_the_protocol_nor_cookies(service: Service, client: Client) -> None:
    client.status()
    for where in (
        "file:///etc/hostname",
        "ftp://127.0.0.1/",
        "http://[::1",
        f"http://{'a' * 70}.test/",
        f"{service.url}/x",
    ):
        headers = {"Location": where, "Set-Cookie": "a=b; Path=/", "ETag": '"\u00e9"'}
        service.fault = lambda path, headers=headers: Answer(302, b"", headers) if path in (CALENDAR, "/x") else None  # type: ignore[misc]
        with pytest.raises((AccessError, TemporaryError)):
            client.files.transport.request_public(CALENDAR, None, True)
    assert not any("cookie" in headers for _, headers in service.requests)


def test_https_is_not_left(service: Service, client_of: Callable[..., Client]) -> None:
    client = client_of(base_url="https://data.example.com", api_key=None)
    with pytest.raises(AccessError, match="names the address http://127"):
        client.files.transport.download(f"{service.url}/objects/x", 1)
    assert not any(path.startswith("/objects/") for path in service.paths())


def test_the_detail_of_a_service_cannot_control_a_terminal(service: Service, client: Client) -> None:
    client.status()
    body = {**json.loads(problem(403, "not-entitled").data), "detail": "\x1b]0;owned\x07\nsync: done"}
    service.fault = lambda path: Answer(403, json.dumps(body).encode(), {}) if path == DAY else None
    with pytest.raises(AccessError, match=r"^127\.0\.0\.1:\d+: \?\]0;owned\?\?sync: done \(not-entitled\)$"):
        client.day("gold", "base", LAST)


def test_a_client_that_is_not_used_any_more_is_collected(service: Service, tmp_path: Path) -> None:
    client = Client(service.url, KEY, tmp_path)
    client.status()
    known = weakref.ref(client.files.transport)
    del client
    gc.collect()
    assert known() is None


def test_a_table_has_a_number_of_cells() -> None:
    for text in (b"\r" * 500_001, b"," * 500_001, b"a\n" * 500_001):
        with pytest.raises(DataError, match="too many cells"):
            parse_csv(text, "The file", [])


FORMULAS = ["=1+1", "+1", "-1", "@sum", " =1+1", "\t=1", "\uff1d1+1", "x;=1+1", "x; =1", "\u3000=1", "\xa0=1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_that_a_spreadsheet_would_run_is_taken_from_a_service(text: str) -> None:
    for table in (f'date,source\n2026-01-01,"{text}"\n', f'date,"{text}"\n2026-01-01,1\n'):
        with pytest.raises(DataError, match="is not a valid CSV file: "):
            parse_csv(table.encode(), "The file", [])
    day = parse_json(next(EXAMPLES.glob("gold-day/*.json")).read_bytes())
    assert DAYS["gold"]({**day, "source": text}) == "source"


EXAMPLES = Path(__file__).resolve().parents[3] / "schemas" / "examples" / "valid"
DOCUMENTS = {
    "manifest": MANIFEST_FORM,
    "status": STATUS,
    "release": RELEASE,
    **{f"{each}-day": DAYS[each] for each in DAYS},
}


@pytest.mark.parametrize(
    "file",
    [file for name in (*DOCUMENTS, "bundle") for file in EXAMPLES.glob(f"{name}/*.json")],
    ids=lambda file: f"{file.parent.name}/{file.stem}",
)
def test_the_examples_of_the_schemas_have_the_forms(file: Path) -> None:
    value = parse_json(file.read_bytes())
    form = bundle(value["genre"]) if file.parent.name == "bundle" else DOCUMENTS[file.parent.name]
    assert form(value) is None


def test_a_methodology_whose_results_are_not_finite_is_refused() -> None:
    wanted = "The methodology cannot be applied: ValueError: inf is not a finite double"
    with pytest.raises(DataError, match=wanted), applying("The methodology"):
        canonical({"data_quality": 1.7e308 * 10})


def test_the_published_methodology_has_its_form() -> None:
    assert THRESHOLDS(parse_json(METHODOLOGY.read_bytes())) is None
