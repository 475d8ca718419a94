"""
The files by which a mirror is verified offline, in the folder trust/. They are of the release of the manifests. Whether
they are true is for `crd verify` to say: `crd sync` knows no key that it could trust.
"""

from __future__ import annotations

import base64
import binascii
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..archive import CHANGE_WAITS, Progress, archive_path
from ..cache import sha256_hex
from ..errors import AccessError, IncompleteError, NotFoundError
from ..files import Files, naming
from ..local_files import inside
from ..strict_json import parse_json
from ..tables import GENRES
from ..trust_paths import KEYS, MIRRORED, RELEASE, STATEMENT, TIMESTAMP
from .mirror import Mirror, digest_of

Archive = tuple[str, str]  # genre and chain


class TrustFiles:
    """Saves the files of one site, if its releases are signed."""

    def __init__(self, files: Files, folder: Path, log: Progress) -> None:
        self.files, self.folder, self.log = files, folder, log

    def keep(self, archives: Sequence[Archive], sync: Callable[[Archive], Any]) -> None:
        """
        Saves the files. If a release was published since an archive was mirrored, runs `sync` for it again. Raises
        IncompleteError if the files and the archives are still not of one release.
        """
        for wait in (*CHANGE_WAITS, None):
            found = self.read()
            if found is None:
                return
            stale = self.stale(found, archives)
            if stale == []:
                self.save(found)
                self.report_others(found, archives)
                return
            if wait is None:
                break
            time.sleep(wait)
            for each in stale or ():
                sync(each)
        raise IncompleteError("the signed files and the mirror are of different releases: a release is being published")

    def read(self) -> dict[str, bytes] | None:
        """Returns the files by path, without caches; None if the releases of the site are not signed."""
        try:
            keys = self.fetch(KEYS)
        except NotFoundError:
            return None
        except AccessError as fault:  # some hosts refuse what they do not have
            self.log(f"no signatures: {KEYS}: {fault}")
            return None
        try:
            rest = {path: self.fetch(path) for path in MIRRORED if path != KEYS}
        except NotFoundError as fault:
            raise IncompleteError(f"the site has a key set, but not all other signed files: {fault}") from fault
        return {**rest, KEYS: keys}

    def fetch(self, path: str) -> bytes:
        with naming(path):
            return self.files.read_public(path, fresh=True)

    def stale(self, found: dict[str, bytes], archives: Sequence[Archive]) -> list[Archive] | None:
        """Returns the archives of another release than the files; None if the files are not of one release."""
        statement, stamp = payload_of(found[STATEMENT]), payload_of(found[TIMESTAMP])
        if statement.get("release_sha256") != sha256_hex(found[RELEASE]):
            return None
        if statement.get("sha256") != stamp.get("sha256"):
            return None
        manifests = statement.get("manifests")
        if not isinstance(manifests, dict):
            return None
        return [each for each in archives if manifests.get(manifest_path(*each)) != self.mirrored(*each)]

    def mirrored(self, genre: str, chain: str) -> str | None:
        return digest_of(inside(self.folder, f"{genre}/{chain}/manifest.json"))

    def report_others(self, found: dict[str, bytes], archives: Sequence[Archive]) -> None:
        """Reports archives of earlier runs that are not of the release."""
        known = {(genre, each.name) for genre in GENRES for each in self.folder.glob(f"{genre}/*") if each.is_dir()}
        for genre, chain in sorted(self.stale(found, sorted(known - set(archives))) or ()):
            advice = "crd verify refuses it. Mirror all archives of a folder with one command."
            self.log(f"{genre}/{chain} is not of the signed release: {advice}")

    def save(self, found: dict[str, bytes]) -> None:
        mirror = Mirror(self.folder, "trust", self.log)
        mirror.prepare()
        for path, name in MIRRORED.items():
            if digest_of(inside(self.folder, name)) != sha256_hex(found[path]):
                mirror.write(self.folder / name, found[path])
        mirror.settle()


def manifest_path(genre: str, chain: str) -> str:
    return f"{archive_path(genre, chain)}/manifest.json"


def payload_of(jws: bytes) -> dict[str, Any]:
    """Returns what a signed document says, without verifying it; nothing if it is not one."""
    try:
        payload = jws.strip().split(b".")[1]
        value = parse_json(base64.urlsafe_b64decode(payload + b"=" * (-len(payload) % 4)))
        return value if isinstance(value, dict) else {}
    except (IndexError, ValueError, binascii.Error):
        return {}
