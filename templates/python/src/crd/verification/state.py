"""What a reader has seen of a site before: with it, an older state or a different history is refused."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from ..errors import CrdError, UsageError
from ..local_files import read_file
from ..strict_json import parse_json
from ..values import exactly, positive, record, sha256
from .anchor import Anchor
from .documents import Content
from .faults import VerificationError
from .forms import site, thumbprint

STATE = record(
    schema=exactly("verified-state/1"),
    site=site,
    root=thumbprint,
    key_set_version=positive,
    sequence=positive,
    sha256=sha256,
)
# What a fault means for someone who watches a site for others, a witness.
WITNESS = {
    "keys-old": (
        "The site shows you a key set that was replaced. The host may be hiding a revocation from you. "
        "Do not rely on the site until it shows the newer one; your state file is unchanged."
    ),
    "release-old": (
        "The site shows you an earlier state than it did before. A cache may be old, or releases are withheld from "
        "you. Try again later; if it stays, tell other readers. Your state file is unchanged."
    ),
    "release-forked": (
        "Two different histories were signed for this site: the one in your state file and this one. Either the "
        "publisher shows different readers different data, or a release key was stolen. Do not use the site. Keep your "
        "state file and /api/v1/release.jws as evidence, and compare /api/v1/releases.json with other readers. Your "
        "state file was not changed."
    ),
}


class ContradictionError(VerificationError):
    """A signed document that contradicts the last verified state."""

    @property
    def meaning(self) -> str:
        """What this means for a witness, and what to do."""
        return WITNESS[self.code]


class Seen(NamedTuple):
    """The last verified state of a site."""

    key_set_version: int
    sequence: int
    sha256: str

    def check_keys(self, keys: Content, subject: str) -> None:
        if keys["version"] < self.key_set_version:
            detail = f"version {keys['version']}, you have seen {self.key_set_version}"
            raise ContradictionError("keys-old", subject, detail)

    def check_release(self, stamp: Content, subject: str) -> None:
        if stamp["sequence"] < self.sequence:
            raise ContradictionError(
                "release-old", subject, f"release {stamp['sequence']}, you have seen {self.sequence}"
            )
        if stamp["sequence"] == self.sequence:
            self.check_record(stamp["sha256"], subject)

    def check_history(self, past: list[Content], subject: str) -> None:
        self.check_record(past[self.sequence - 1]["sha256"], subject)

    def check_record(self, digest: str, subject: str) -> None:
        if digest != self.sha256:
            raise ContradictionError(
                "release-forked", subject, f"release {self.sequence} was different when you saw it"
            )


def read_state(path: Path, anchor: Anchor) -> Seen | None:
    """Returns what was seen; None if the file does not exist yet. Raises UsageError for the file of another site."""
    try:
        value = parse_json(read_file(path))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as fault:
        raise not_a_state(path, str(fault)) from fault
    place = STATE(value)
    if place is not None:
        raise not_a_state(
            path, f"the content does not match the verified-state schema{f' at {place}' if place else ''}"
        )
    if (value["site"], value["root"]) != anchor:
        found = Anchor(value["site"], value["root"])
        raise UsageError(f"{path} is the state of {found}. Use one file for each site and root key.")
    return Seen(value["key_set_version"], value["sequence"], value["sha256"])


def not_a_state(path: Path, reason: str) -> UsageError:
    advice = "Pass another file with --since, or delete it to start again."
    return UsageError(f"{path} is not a state file of crd verify: {reason}. {advice}")


def write_state(path: Path, anchor: Anchor, seen: Seen) -> None:
    """Replaces the state at once, readable only by its owner."""
    value = {"schema": "verified-state/1", **anchor._asdict(), **seen._asdict()}
    part = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, suffix=".part", delete=False) as file:
            part = file.name  # only its owner can read a temporary file
            file.write(json.dumps(value, indent=2).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as fault:
        if part is not None:
            with contextlib.suppress(OSError):
                os.unlink(part)
        failed = f"Verification succeeded, but the state could not be saved to {path}: {fault}."
        raise CrdError(f"{failed} Fix this and run again.") from fault
