"""Signed sites: the committed vectors, and the made-up service signed by keys of its own."""

from __future__ import annotations

import datetime
import functools
import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from joserfc import jwk, jws
from joserfc.errors import SecurityWarning

from crd.canonical import canonical
from service import Service, listed_files, sha256_of
from story import R1, R2, R3, R4

VECTORS = Path(__file__).resolve().parents[2] / "vectors" / "trust"
SITE = "https://data.example.com"
KEYS = "/.well-known/chain-reference-data/keys.jws"
TIMESTAMP, STATEMENT, RELEASES = "/api/v1/timestamp.jws", "/api/v1/release.jws", "/api/v1/releases.json"
TYPES = {KEYS: "crd-key-set+jws", STATEMENT: "crd-release+jws", TIMESTAMP: "crd-timestamp+jws"}
REVISIONS = (R1, R2, R3, R4)
Files = dict[str, bytes]


def read_json(name: str) -> Any:
    return json.loads((VECTORS / name).read_bytes())


@functools.cache
def state_files(name: str) -> Files:
    """Returns the files of a state of the vectors by URL path. A page has its own path, such as /docs."""
    folder = VECTORS / read_json("vectors.json")["states"][name]["folder"]
    found = {f"/{each.relative_to(folder).as_posix()}": each for each in folder.rglob("*") if each.is_file()}
    return {path.removesuffix("/index.html") or "/": each.read_bytes() for path, each in found.items()}


def attacked_files(attack: Mapping[str, Any]) -> Files:
    """Returns the files of a site as an attacker serves it."""
    files = dict(state_files(attack["base"]))
    for change in attack["changes"]:
        if "delete" in change:
            del files[change["delete"]]
        elif "flip-byte" in change:
            data = bytearray(files[change["flip-byte"]])
            data[change["at"]] ^= 1
            files[change["flip-byte"]] = bytes(data)
        elif "replace" in change:
            path = change["replace"]
            files[path] = state_files(change["with-file-of"])[change.get("file", path)]
        elif "text" in change:
            files[change["put"]] = change["text"].encode()
        else:
            files[change["put"]] = (VECTORS / "forged" / change["forged"]).read_bytes()
    return files


def serve(service: Service, files: Mapping[str, bytes]) -> None:
    """Lets a service serve exactly these files: those below /api/v1/files/ to its key, the others to everyone."""
    below, service.revision = "/api/v1/files/", ""
    service.public = {path: data for path, data in files.items() if not path.startswith(below)}
    service.files = {path: data for path, data in files.items() if path.startswith(below)}


def moment(days: float = 0) -> str:
    """Returns an instant some days from now."""
    now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days)
    return f"{now:%Y-%m-%dT%H:%M:%SZ}"


class Signer:
    """A root key and a release key, which sign the made-up service."""

    def __init__(self) -> None:
        self.root, self.key = jwk.OKPKey.generate_key("Ed25519"), jwk.ECKey.generate_key("P-256")
        self.version = 1

    @property
    def trust(self) -> str:
        return f"{SITE}#{self.root.thumbprint()}"

    def sign(self, path: str, payload: Any) -> bytes:
        key, algorithm = (self.root, "EdDSA") if path == KEYS else (self.key, "ES256")
        header = {"alg": algorithm, "kid": key.thumbprint(), "typ": TYPES[path]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SecurityWarning)  # EdDSA has a newer name
            return jws.serialize_compact(header, canonical(payload), key, algorithms=[algorithm]).encode()

    def publish(self, service: Service, sequence: int = 4, records: Sequence[str] | None = None) -> None:
        """Signs the files of a service as a release. `records` are the digests of the records of all releases."""
        for path in (KEYS, TIMESTAMP, STATEMENT, RELEASES, "/api/v1/release"):
            service.public.pop(path, None)
        revision = REVISIONS[sequence - 1]
        files = listed_files(service.public)
        release = canonical({"schema": "release/1", "published_revision": revision, "files": files}).encode()
        past = [self.entry(i, records) for i in range(sequence)]
        about = {"site": SITE, "sequence": sequence, "sha256": past[-1]["sha256"]}
        before = {name: past[-2][name] for name in ("revision", "sha256")} if sequence > 1 else None
        manifests = {path: data for path, data in service.files.items() if path.endswith("/manifest.json")}
        statement = {
            "schema": "release-statement/1",
            **about,
            "revision": revision,
            "previous": before,
            "release_sha256": sha256_of(release),
            "manifests": {path: sha256_of(data) for path, data in manifests.items()},
            "history_sha256": sha256_of(canonical(past).encode()),
            "published_at": past[-1]["published_at"],
            "generator": {"version": "0.1.0", "commit": None, "lockfile_sha256": None},
        }
        service.public["/api/v1/release"] = release
        service.public[RELEASES] = canonical({"schema": "releases/1", "releases": past}).encode()
        service.public[STATEMENT] = self.sign(STATEMENT, statement)
        service.public[KEYS] = self.sign(KEYS, self.key_set())
        self.renew(service, about)

    def renew(self, service: Service, about: Mapping[str, Any], signed: float = 0) -> None:
        """Signs a timestamp some days from now."""
        times = {"as_of": moment(signed), "expires": moment(signed + 2)}
        service.public[TIMESTAMP] = self.sign(TIMESTAMP, {"schema": "timestamp/1", **about, **times})

    def entry(self, i: int, records: Sequence[str] | None) -> dict[str, Any]:
        revision = REVISIONS[i]
        digest = sha256_of(revision.encode()) if records is None else records[i]
        return {"sequence": i + 1, "revision": revision, "sha256": digest, "published_at": f"{revision[:10]}T06:00:00Z"}

    def key_set(self) -> dict[str, Any]:
        times = {"valid_from": moment(-1), "valid_until": moment(30)}
        key = {"kid": self.key.thumbprint(), "jwk": self.key.as_dict(private=False), **times, "revoked": None}
        keys = [{**key, "jwk": {name: key["jwk"][name] for name in ("kty", "crv", "x", "y")}}]
        root = {name: self.root.as_dict(private=False)[name] for name in ("kty", "crv", "x")}
        head = {"schema": "key-set/1", "site": SITE, "version": self.version, "signed_from_sequence": 1}
        return {**head, "issued_at": moment(-1), "expires": moment(60), "root": root, "keys": keys}
