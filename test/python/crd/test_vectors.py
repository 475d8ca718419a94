"""Every state of test/vectors/trust is proven, and every attack is detected: on a service, and on a mirror of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crd import Client, VerificationError
from crd.trust_paths import MIRRORED
from crd.values import to_time
from crd.verification.anchor import parse_anchor
from crd.verification.result import Verification
from crd.verification.sources import Folder, Site
from crd.verification.verifier import Options, verify_folder, verify_site
from service import KEY, Service
from signed import Files, attacked_files, read_json, serve, state_files

VECTORS = read_json("vectors.json")
STATES = VECTORS["states"]
ATTACKS = read_json("attacks.json")["attacks"]
CLOCKS = [(name, now) for name, state in STATES.items() for now in (state["now"], *state["also_now"])]
FOLDER = "/api/v1/files/meta/bitcoin/"


class Scene(NamedTuple):
    """A service, and a client for all sites that it serves: its cache also has files of others."""

    service: Service
    client: Client


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    service = Service()
    client = Client(service.url, KEY, tmp_path_factory.mktemp("cache"), tries=1)
    yield Scene(service, client)
    client.close()
    service.close()


def options_of(case: Any, now: str, since: Path | None = None) -> Options:
    return Options(parse_anchor(case["anchor"]), lambda: to_time(now), since, lambda _: None, lambda _: None)


@pytest.mark.parametrize(("name", "now"), CLOCKS)
def test_a_state_is_proven(scene: Scene, tmp_path: Path, name: str, now: str) -> None:
    state = STATES[name]
    serve(scene.service, state_files(name))
    found = verify_site(Site(scene.client.files), options_of(state, now), days=True, no_key="")
    assert (found.site, found.key_set_version) == (VECTORS["site"], state["key_set_version"])
    assert (found.sequence, found.sha256) == (state["sequence"], state["sha256"])
    counts = {"public_files": state["public_files"], "releases": state["releases"], "manifests": 1}
    assert counts.items() <= found.counts.items()
    mirrored = verify_folder(mirror_of(state_files(name), tmp_path), options_of(state, now), at=now)
    assert (mirrored.sequence, mirrored.counts["manifests"]) == (state["sequence"], 1)
    assert mirrored.counts["day_files"] > 0


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack["name"])
def test_an_attack_is_detected(scene: Scene, tmp_path: Path, attack: dict[str, Any]) -> None:
    serve(scene.service, attacked_files(attack))
    no_key = "no key" if attack["reader"] == "public" else ""
    options = options_of(attack, attack["now"], state_file(attack, tmp_path))

    def verify() -> Verification:
        return verify_site(Site(scene.client.files), options, days=True, no_key=no_key)

    if attack["fault"] is None:
        assert verify().counts["public_files"] == STATES[attack["base"]]["public_files"]
        return
    with pytest.raises(VerificationError) as raised:
        verify()
    assert (raised.value.code, 8 if raised.value.is_false else 7) == (attack["fault"], attack["exit"])


def is_mirrored(path: str) -> bool:
    return path in MIRRORED or (path.startswith(FOLDER) and not path.endswith(".csv"))


def changed_path(change: dict[str, Any]) -> str:
    return str(next(change[name] for name in ("put", "replace", "delete", "flip-byte") if name in change))


# The attacks whose files a mirror has.
ON_MIRRORS = [each for each in ATTACKS if all(is_mirrored(changed_path(change)) for change in each["changes"])]


@pytest.mark.parametrize("attack", ON_MIRRORS, ids=lambda attack: attack["name"])
def test_an_attack_on_a_mirror_is_detected(tmp_path: Path, attack: dict[str, Any]) -> None:
    mirror = mirror_of(attacked_files(attack), tmp_path / "mirror")
    options = options_of(attack, attack["now"], state_file(attack, tmp_path))
    if attack["fault"] is None:
        assert verify_folder(mirror, options, at=None).sequence == STATES[attack["base"]]["sequence"]
        return
    with pytest.raises(VerificationError) as raised:
        verify_folder(mirror, options, at=None)
    assert raised.value.code == attack["fault"]


def mirror_of(files: Files, folder: Path) -> Folder:
    """Writes a mirror with the files of a site: a volume of February, and the days of March."""
    for path, data in files.items():
        if is_mirrored(path) and re.search(r"/2026-02-\d\d\.json$", path) is None:
            file = folder / MIRRORED.get(path, f"meta/bitcoin/{path.removeprefix(FOLDER)}")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    return Folder(folder)


def state_file(attack: dict[str, Any], folder: Path) -> Path | None:
    """Writes what the reader of an attack has seen; None if the reader has no memory."""
    if attack["seen"] is None:
        return None
    anchor = parse_anchor(attack["anchor"])
    path = folder / "seen.json"
    path.write_text(json.dumps({"schema": "verified-state/1", **anchor._asdict(), **attack["seen"]}))
    return path
