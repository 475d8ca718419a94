"""
The commands against a hostile service, by seeds: CRD_TEST_HOSTILE is the number of cases of each command (default 60),
CRD_TEST_HOSTILE_SEED the first seed (default 1). A failure names its seed.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import random
import re
import resource
import shutil
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from urllib3 import HTTPHeaderDict

from crd.cli import main
from crd.transport import Transport
from hostile import METHODOLOGY, NUMBERS, RELEASE, STATUS, TEXTS, HostileService
from service import KEY, Answer, Service
from signed import KEYS, RELEASES, STATEMENT, TIMESTAMP
from story import LAST, R1, R3

CASES = int(os.environ.get("CRD_TEST_HOSTILE", "60"))
FIRST = int(os.environ.get("CRD_TEST_HOSTILE_SEED", "1"))
CODES = {
    "status": {0, 2},
    "calendar": {0, 2},
    "history": {0, 2},
    "sync": {0, 1, 2},
    "verify": {0, 2, 7, 8},
    "recompute": {0, 1, 2},
}
COMMANDS = tuple(CODES)
CODES |= {"bundle": {0, 2}, "latest": {0, 2}}
MEGABYTES, SECONDS = 300, 60
GOLD, META = "/api/v1/files/gold/base", "/api/v1/files/meta/base"
LINK, PROBLEM = "a link", "a problem"


class Scene(NamedTuple):
    """The hostile service, another one, a mirror of the true one, and a folder."""

    service: HostileService
    other: Service
    mirror: Path
    folder: Path


class Outcome(NamedTuple):
    code: object
    out: str
    err: str


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    other = Service()
    service = HostileService(other)
    for name, value in (("BASE_URL", service.url), ("API_KEY", KEY), ("CACHE_DIR", str(tmp_path / "case" / "cache"))):
        monkeypatch.setenv(f"CRD_{name}", value)
    context = ssl.create_default_context()  # which takes longer than a case
    monkeypatch.setattr("ssl.create_default_context", lambda *_, **__: context)
    monkeypatch.setattr("time.sleep", functools.partial(sleep_little, time.sleep))
    limits = {"TIMEOUT_SECONDS": 0.3, "ANSWER_SECONDS": 0.6, "FIRST_WAIT_SECONDS": 0.0, "LONGEST_WAIT_SECONDS": 0.01}
    for limit, number in {**limits, "MAX_FILE_BYTES": 2**20, "LARGE_BYTES": 2**18}.items():
        monkeypatch.setattr(f"crd.transport.{limit}", number)
    monkeypatch.setattr("crd.client.TRIES", 2)
    yield Scene(service, other, true_mirror(service, tmp_path), tmp_path / "case")
    service.close()
    other.close()


def sleep_little(sleep: object, seconds: float) -> None:
    assert callable(sleep)
    sleep(min(seconds, 0.05))


def true_mirror(service: HostileService, folder: Path) -> Path:
    service.begin()
    service.signer.publish(service)
    assert run(["sync", "--chain", "base", "--genre", "gold", "--to", str(folder / "mirror")]).code == 0
    return folder / "mirror"


def run(arguments: list[str]) -> Outcome:
    """Runs the command, and returns what a terminal would get."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    code: object
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as left:
            code = left.code
    for stream in (out, err):
        stream.flush()
    return Outcome(code, *(stream.buffer.getvalue().decode() for stream in (out, err)))


def command_of(name: str, rnd: random.Random, scene: Scene) -> list[str]:
    """Returns the arguments of a case, after making the folder that they name."""
    target = scene.folder / "target"
    if name == "status":
        return ["status", *rnd.choice([[], ["--json"]])]
    if name == "calendar":
        return rnd.choice([["calendar", "base"], ["calendar", "base"], ["calendars"]])
    if name == "history":
        times = [[], [], ["--as-of", R1], ["--as-of", R3, "--provenance"], ["--start", LAST], ["--as-of", "2026-01-21"]]
        return ["history", rnd.choice(["gold", "meta"]), "base", *rnd.choice(times)]
    if name == "recompute":
        return ["recompute", "--chain", "base"]
    if name == "verify":
        source = scene.service.url if rnd.random() < 0.7 else str(change_mirror(rnd, scene, target))
        more = [[], [], ["--json"], ["--since", str(scene.folder / "state.json")]]
        days = ["--days"] if source == scene.service.url and rnd.random() < 0.3 else []
        return ["verify", source, "--trust", scene.service.signer.trust, *rnd.choice(more), *days]
    if rnd.random() < 0.5:
        shutil.copytree(scene.mirror, target)
        for inside in rnd.sample(["gold", "gold/base", "gold/base/volumes", "meta", "trust", "gold/base/withdrawn"], 2):
            if rnd.random() < 0.15 and (target / inside).parent.is_dir():
                shutil.rmtree(target / inside, ignore_errors=True)
                (target / inside).symlink_to(scene.folder / "outside")
    chains = ["--genre", "gold", *rnd.choice([["--chain", "base"], ["--genre", "meta"], []])]
    return ["sync", "--to", str(target), "--tries", "2", "--jobs", "2", *chains, *rnd.choice([[], ["--days"]])]


def change_mirror(rnd: random.Random, scene: Scene, target: Path) -> Path:
    """Returns a mirror of which one file has other bytes."""
    shutil.copytree(scene.mirror, target)
    changed = rnd.choice(sorted(each for each in target.rglob("*") if each.is_file()))
    data = changed.read_bytes()
    changed.write_bytes(rnd.choice([data[:-1], b"", b"[" * 200, data + b" ", b"{}"]))
    return target


def everything(folder: Path) -> dict[str, bytes]:
    """Returns what is in a folder, except in the target and the cache of a case."""
    own = ("target", "cache", "state.json")
    found = (each for each in folder.rglob("*") if each.relative_to(folder).parts[0] not in own)
    return {str(each): each.read_bytes() if each.is_file() else b"" for each in found}


def peak_megabytes() -> int:
    """Returns the most memory that this process had. On Linux, `resource` begins with the peak of the parent."""
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 2**20
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) // 2**10


def judge(case: str, done: Outcome, scene: Scene) -> list[str]:
    """Returns what is wrong with the outcome of a case."""
    origin = scene.service.url.removeprefix("http://")
    elsewhere = [
        path for path, headers in scene.service.requests if headers.get("host") != origin and "x-api-key" in headers
    ]
    keyed = [path for path, headers in scene.other.requests if "x-api-key" in headers]
    is_accepted = case == "verify" and scene.service.is_forged and done.code == 0 and scene.service.requests != []
    shown = [each for each in done.out + done.err if each != "\n" and not each.isprintable()]
    return [
        *([f"exit {done.code}"] if done.code not in CODES[case] else []),
        *(["a forged document is proven"] if is_accepted else []),
        *([f"the key was sent for {[*elsewhere, *keyed]}"] if elsewhere or keyed else []),
        *([f"the terminal got {shown[:5]!r}"] if shown else []),
        *(["a traceback"] if "Traceback" in done.err else []),
        *(["a failure without a sentence"] if done.code not in (0, 1) and not done.err.strip() else []),
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_hostile_service_cannot_hurt(name: str, scene: Scene, capfd: pytest.CaptureFixture[str]) -> None:
    escaped: list[object] = []
    threading.excepthook = escaped.append
    codes: dict[object, int] = {}
    longest = 0.0
    outside = scene.folder / "outside"
    try:
        for seed in range(FIRST, FIRST + CASES):
            rnd = random.Random(f"{name} {seed}")
            shutil.rmtree(scene.folder, ignore_errors=True)
            outside.mkdir(parents=True)
            (outside / "2026-01-01.json").write_bytes(b"{}")
            scene.service.attack(rnd, signs=name == "verify" or rnd.random() < 0.2)
            command = command_of(name, rnd, scene)
            before, began = everything(scene.folder), time.monotonic()
            try:
                done = run(command)
            except BaseException as fault:
                raise AssertionError(f"{name}, seed {seed} ({scene.service.changed}): {' '.join(command)}") from fault
            took = time.monotonic() - began
            wrong = judge(name, done, scene)
            if everything(scene.folder) != before:
                wrong.append("a file outside the folder was changed")
            if took > SECONDS:
                wrong.append(f"it took {took:.0f} seconds")
            assert wrong + escaped == [], f"{name}, seed {seed} ({scene.service.changed}): {done}"
            codes[done.code] = codes.get(done.code, 0) + 1
            longest = max(longest, took)
    finally:
        threading.excepthook = threading.__excepthook__
    peak = peak_megabytes()
    with capfd.disabled():
        if CASES >= 300:
            print(f"\n{name}: {CASES} cases, exit codes {codes}, longest {longest:.1f} s, peak {peak} MB")
    assert peak <= MEGABYTES


Place = tuple[Any, ...]
# The documents that the client reads, and the commands that read them.
READERS = {
    STATUS: [["status"], ["sync", "--genre", "gold"]],
    RELEASE: [["status"], ["verify"]],
    METHODOLOGY: [["recompute", "--chain", "base"], ["history", "meta", "base"]],
    f"{GOLD}/manifest.json": [["sync", "--genre", "gold"], ["history", "gold", "base"], ["verify"]],
    f"{GOLD}/30d/latest.json": [["history", "gold", "base"], ["bundle", "gold", "base", "--window", "30d"]],
    f"{GOLD}/90d/latest.json": [["sync", "--genre", "gold"]],
    f"{META}/30d/latest.json": [["history", "meta", "base"], ["bundle", "meta", "base", "--window", "30d"]],
    f"{META}/latest.json": [["latest", "meta", "base"]],
    f"{GOLD}/2026-01-02.json?revision={R1}": [["history", "gold", "base", "--as-of", R3], ["sync", "--days"]],
    KEYS: [["verify"]],
    STATEMENT: [["verify"], ["sync", "--genre", "gold"]],
    TIMESTAMP: [["verify"]],
    RELEASES: [["verify"]],
    LINK: [["sync", "--genre", "gold"], ["latest", "gold", "base"]],
    PROBLEM: [["latest", "gold", "base"], ["sync", "--genre", "gold"], ["status"]],
}


def places_of(value: Any, at: Place = ()) -> Iterator[Place]:
    """Yields where each member and its name are in a JSON value; of an array, those of the first and last element."""
    names = list(value) if isinstance(value, dict) else [0, -1] if isinstance(value, list) and value else []
    for name in names:
        yield (*at, name)
        if isinstance(name, str):
            yield (*at, name, None)
        yield from places_of(value[name], (*at, name))


def changed_at(value: Any, place: Place, hostile: Any) -> Any:
    """Returns a copy of a value with another member at a place, or with another name of it."""
    name, *rest = place
    if rest == [None]:
        return {str(hostile) if each == name else each: own for each, own in value.items()}
    changed = value.copy()
    changed[name] = changed_at(value[name], tuple(rest), hostile) if rest else hostile
    return changed


def answer_with(service: HostileService, document: str, change: Callable[[Any], Any]) -> None:
    """Lets a service answer with a changed document, which it lists and signs."""
    service.begin()
    if document in service.files:
        service.files[document] = json.dumps(change(json.loads(service.files[document]))).encode()
        for path in (f"{GOLD}/manifest.json", f"{META}/manifest.json"):
            if path != document:
                service.list_again(path)
    if document in service.public:
        service.public[document] = json.dumps(change(json.loads(service.public[document]))).encode()
    service.signer.changes[document] = change
    service.signer.publish(service)
    if document in (RELEASE, RELEASES):
        service.public[document] = json.dumps(change(json.loads(service.public[document]))).encode()
    if document == LINK:
        service.on_link = change
    if document == PROBLEM:
        service.fault = lambda _: Answer(403, json.dumps(change(PROBLEM_BODY)).encode(), {})


PROBLEM_BODY = {"status": 403, "code": "not-entitled", "detail": "A sentence."}


def example_of(service: HostileService, document: str) -> Any:
    """Returns the document as the true service has it."""
    found: list[Any] = []

    def keep(value: Any) -> Any:
        found.append(value)
        return value

    answer_with(service, document, keep)
    if document == LINK:
        service.answer(f"{GOLD}/latest.json", {"x-api-key": KEY})
    if document == PROBLEM:
        service.answer(STATUS, {})
    return found[-1]


@pytest.mark.parametrize("document", READERS)
def test_no_member_of_a_document_leaves_the_folder_or_the_table_of_exit_codes(
    document: str, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def get(_: object, url: str, headers: dict[str, str], size: int | None, follows: bool) -> Any:  # noqa: ARG001
        lowered = {name.lower(): value for name, value in headers.items()}
        lowered["host"] = re.sub("^https?://([^/?#]*).*", r"\1", url)
        answer = scene.service.answer(url.removeprefix(scene.service.url), lowered)
        return answer.status, HTTPHeaderDict(answer.headers), answer.data[: 2**20 if size is None else size + 1], url

    monkeypatch.setattr(Transport, "get", get)
    values: list[Any] = [*TEXTS, *NUMBERS, [], {}, [[]], {"a": {}}]
    rnd = random.Random(f"{document} {FIRST}")
    places = list(places_of(example_of(scene.service, document)))
    for place in rnd.sample(places, min(len(places), CASES)):
        for hostile in rnd.sample(values, min(len(values), 1 + CASES // 400)):
            shutil.rmtree(scene.folder, ignore_errors=True)
            (scene.folder / "outside").mkdir(parents=True)
            answer_with(scene.service, document, functools.partial(changed_at, place=place, hostile=hostile))
            name, *rest = rnd.choice(READERS[document])
            more = {"sync": ["--to", str(scene.folder / "target"), "--tries", "1"]}
            more["verify"] = [scene.service.url, "--trust", scene.service.signer.trust]
            before = everything(scene.folder)
            try:
                done = run([name, *rest, *more.get(name, [])])
            except BaseException as fault:
                raise AssertionError(f"{name}: {document} at {place} is {hostile!r}") from fault
            wrong = judge(name, done, scene)
            assert (wrong, everything(scene.folder)) == ([], before), (
                f"{name}: {document} at {place} is {hostile!r}: {done}"
            )
