"""The folder of one mirrored archive."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from ..archive import Progress
from ..cache import sha256_hex
from ..errors import CrdError
from ..local_files import inside, read_file
from ..manifest import parse_manifest
from ..values import is_date
from ..values import period as is_period


class Mirror:
    """Writes files that get their names only when they are complete. The manifest is written last."""

    def __init__(self, root: Path, name: str, progress: Progress) -> None:
        self.root, self.name, self.progress = root, name, progress
        self.folder, self.volumes = self.path(""), self.path("volumes")
        self.manifest, self.previous = self.path("manifest.json"), self.path("manifest.previous.json")

    def path(self, name: str) -> Path:
        """Returns the path of a file. Raises UsageError if it leads outside the folder of all archives."""
        return inside(self.root, f"{self.name}/{name}")

    def prepare(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for left in [*self.folder.glob("*.part"), *self.volumes.glob("*.part")]:  # left by a run that was killed
            left.unlink()

    def held(self) -> bytes | None:
        """Returns the manifest of the last complete run."""
        known = (each for each in (self.manifest, self.previous) if each.exists())
        return next((read_file(each) for each in known), None)

    def day(self, date: str) -> Path:
        return self.path(f"{date}.json")

    def volume(self, period: str) -> Path:
        return self.path(f"volumes/{period}.parquet")

    def files(self) -> list[Path]:
        """Returns the files with names of day files and volumes."""
        days = (each for each in self.folder.glob("*.json") if is_date(each.stem) is None)
        volumes = (each for each in self.volumes.glob("*.parquet") if is_period(each.stem) is None)
        return [*sorted(days), *sorted(volumes)]

    def write(self, path: Path, data: bytes) -> None:
        """Writes a file that gets its name only after its bytes are on the disk."""
        path.parent.mkdir(exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        part.unlink(missing_ok=True)
        with open(part, "xb") as file:  # never through a link
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)

    def begin_changes(self) -> None:
        """Renames the manifest before a file that it lists changes."""
        if self.manifest.exists():
            os.replace(self.manifest, self.previous)
            self.settle()

    def move_aside(self, path: Path) -> None:
        aside = self.path(f"withdrawn/{path.stem}-{(digest_of(path) or '')[:16]}{path.suffix}")
        aside.parent.mkdir(exist_ok=True)
        os.replace(path, aside)
        self.progress(f"{path.stem} is withdrawn or not listed: moved to withdrawn/{aside.name}")

    def finish(self, manifest: bytes) -> None:
        """Writes the manifest after the names of all other files are on the disk."""
        self.settle()
        if digest_of(self.manifest) != sha256_hex(manifest):
            self.write(self.manifest, manifest)
        self.previous.unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # it has files, or does not exist
            self.volumes.rmdir()
        self.settle()

    def settle(self) -> None:
        if os.name != "posix":  # other systems cannot open a folder
            return
        for each in (self.folder, self.volumes):
            if each.exists():
                folder = os.open(each, os.O_RDONLY)
                os.fsync(folder)
                os.close(folder)


def digest_of(path: Path) -> str | None:
    return sha256_hex(read_file(path)) if path.exists() else None


def sequence_of(manifest: bytes | None) -> int:
    """Returns the sequence number of a manifest's release, or 0 if it is not a valid manifest and will be replaced."""
    return 0 if manifest is None else int(valid_manifest(manifest).get("sequence", 0))


def digests_of(manifest: dict[str, Any]) -> set[str]:
    """Returns the digests of all files that a mirror of a manifest can have: volumes, and every version of a day."""
    versions = [version for entry in manifest["dates"] for version in (entry, *entry["superseded"])]
    return {each["sha256"] for each in [*versions, *(each["parquet"] for each in manifest.get("volumes", []))]}


def held_digests(manifest: bytes | None) -> set[str]:
    """Returns `digests_of` a local manifest; none if it is not a valid manifest."""
    return set() if manifest is None else digests_of(valid_manifest(manifest) or {"dates": []})


def valid_manifest(manifest: bytes) -> dict[str, Any]:
    try:
        return parse_manifest(manifest, "The manifest")
    except CrdError:
        return {}
