"""Verifies subscriber files: manifests by the digests of a statement, and what the manifests list."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ..archive import PROGRESS_FILES, Progress, archive_path, bundle_path
from ..canonical import sha256
from ..errors import AccessError
from ..files import Received
from ..local_files import inside
from ..manifest import parse_manifest
from ..mirrors.mirror import Mirror
from ..tables import GENRES
from .documents import Content
from .faults import VerificationError
from .public_files import check_digest, check_each, parse
from .result import Notes, count_of, match_of
from .sources import Folder, Site

NOT_ENTITLED = "not-entitled"
WINDOWS = ("365d", "90d")  # every plan includes the second
UNLISTED = "does not belong in this mirror: the manifest does not list it. Remove it, or run crd sync again."


class Listed(NamedTuple):
    """A file that a manifest lists: its URL path, or its path in a mirror."""

    path: str
    sha256: str


@dataclass
class Selection:
    """The files that are verified, and the number of those that are not."""

    volumes: list[Listed] = field(default_factory=list)
    days: list[Listed] = field(default_factory=list)
    superseded: int = 0
    unread: int = 0  # dates that no volume and no bundle contains

    def note(self, notes: Notes) -> None:
        parts = f"{count_of(len(self.volumes), 'volume file')} and {count_of(len(self.days), 'day file')}"
        notes.prove(f"{parts} match the manifests", volume_files=len(self.volumes), day_files=len(self.days))


class SiteFiles:
    """The subscriber files of a service, as a statement says."""

    def __init__(self, site: Site, statement: Content) -> None:
        self.site, self.statement = site, statement
        self.manifests: dict[str, Content] = {}
        self.refused: list[str] = []
        self.bundled: dict[str, int] = {}  # number of days that a bundle proves, by path of the manifest

    def read(self, path: str, sha256: str | None) -> bytes:
        data = self.site.subscriber(path, sha256)
        if data is None:
            raise VerificationError("file-missing", path)
        return data

    def check_file(self, file: Listed) -> None:
        check_digest(file.path, Received(self.read(*file), False), file.sha256, self.statement)

    def check_manifest(self, file: Listed) -> None:
        try:
            data = self.read(*file)
        except AccessError as fault:
            if fault.code != NOT_ENTITLED:
                raise
            self.refused.append(file.path)
        else:
            self.manifests[file.path] = checked_manifest(file.path, data, file.sha256, self.statement)

    def check_bundle(self, path: str) -> None:
        """
        Verifies the latest days of an archive by its largest bundle, which contains the same records: the digest of a
        record's canonical form is that of its day file.
        """
        manifest = self.manifests[path]
        listed = [each["sha256"] for each in entries_of(manifest)]
        if not listed or path != f"{archive_path(manifest['genre'], manifest['chain'])}/manifest.json":
            return  # of the lineage, which has no bundles
        for window in WINDOWS:
            bundle = bundle_path(manifest["genre"], manifest["chain"], window)
            try:
                content = parse(self.read(bundle, None)) or {}
            except AccessError as fault:
                if fault.code != NOT_ENTITLED:
                    raise
                continue
            days = content.get("days")
            digests = [sha256(day).hex() for day in days] if isinstance(days, list) else []
            if not digests or digests != listed[-len(digests) :]:
                named = content.get("published_revision")
                is_other = isinstance(named, str) and named != self.statement["revision"]
                raise VerificationError("mixed" if is_other else "file-altered", bundle)
            self.bundled[path] = len(digests)
            return


def check_site(site: Site, statement: Content, every_day: bool, notes: Notes, progress: Progress) -> None:
    """Verifies the manifests that the plan includes, and the files that they list."""

    def report(done: int, count: int) -> None:
        if done % PROGRESS_FILES == 0:
            progress(f"{done} of {count} subscriber files")

    files = SiteFiles(site, statement)
    check_each(files.check_manifest, [Listed(*each) for each in statement["manifests"].items()])
    matches = match_of(len(files.manifests), "manifest")
    notes.prove(f"{matches} the signed statement", manifests=len(files.manifests))
    if not every_day:
        check_each(files.check_bundle, sorted(files.manifests))
        bundled = sum(files.bundled.values())
        notes.prove(f"{count_of(bundled, 'latest day')} in bundles match the manifests", latest_days=bundled)
    selection = Selection()
    for path in sorted(files.manifests):
        select(selection, files.manifests[path], None if every_day else files.bundled.get(path, 0))
    check_each(files.check_file, [*selection.volumes, *selection.days], report)
    selection.note(notes)
    if files.refused:
        names = ", ".join(sorted(files.refused))
        notes.leave(f"manifests and their files that the plan of the key does not include: {names}")
    if not every_day:
        alone = f", {count_of(selection.unread, 'date')} of which no volume and no bundle contains"
        left = f"the file of each day{alone if selection.unread else ''}, and volumes as CSV"
        notes.leave(f"{left} (--days verifies them)")
    if selection.superseded:
        notes.leave(f"{count_of(selection.superseded, 'superseded version')} of dates")
    notes.leave("other bundles: no manifest lists them, and their days are copies of day files")


def checked_manifest(name: str, data: bytes, sha256: str, statement: Content, detail: str = "") -> Content:
    check_digest(name, Received(data, False), sha256, statement, detail)
    return parse_manifest(data, name)


def select(selection: Selection, manifest: Content, bundled: int | None) -> None:
    """
    Adds the files of a manifest, by URL paths: all of them, or with few requests those that prove the dates before the
    latest `bundled` ones.
    """
    entries, volumes = entries_of(manifest), manifest.get("volumes", [])
    selection.superseded += sum(len(each["superseded"]) for each in manifest["dates"])
    if bundled is None:
        for volume in volumes:
            selection.volumes += (Listed(each["path"], each["sha256"]) for each in (volume["parquet"], volume["csv"]))
        for entry in entries:
            query = f"?revision={manifest['published_revision']}"  # this version, if another is published now
            is_day = re.search(r"/\d{4}-\d\d-\d\d\.json$", entry["path"]) is not None
            selection.days.append(Listed(entry["path"] + (query if is_day else ""), entry["sha256"]))
        return
    before = {each["date"] for each in entries[: len(entries) - bundled]}
    for volume in volumes:
        covered = {date for date in before if volume["first_date"] <= date <= volume["last_date"]}
        if covered:
            selection.volumes.append(Listed(volume["parquet"]["path"], volume["parquet"]["sha256"]))
            before -= covered
    selection.unread += len(before)


def entries_of(manifest: Content) -> list[Content]:
    """Returns the entries of the dates that were not withdrawn."""
    return [each for each in manifest["dates"] if each["status"] != "withdrawn"]


def check_folder(folder: Folder, statement: Content, notes: Notes) -> None:
    """Verifies each archive of a mirror, and each of its files."""
    selection = Selection()
    archives = list(archives_of(folder))
    for name in archives:
        select_mirrored(selection, folder, name, mirrored_manifest(folder, name, statement))
    if not archives:
        notes.leave("subscriber files: the folder has no archive")
        return
    are = "manifest of {} matches" if len(archives) == 1 else "manifests of {} match"
    notes.prove(f"the {are.format(', '.join(archives))} the signed statement", manifests=len(archives))

    def check_file(file: Listed) -> None:
        data = folder.file(file.path)
        if data is None:
            raise VerificationError("file-missing", file.path)
        check_digest(file.path, Received(data, False), file.sha256, statement)

    check_each(check_file, [*selection.volumes, *selection.days])
    selection.note(notes)
    others = len(statement["manifests"]) - len(archives)
    if others > 0:
        notes.leave(f"{count_of(others, 'other manifest')} of the release, with their files: not in the folder")


def select_mirrored(selection: Selection, folder: Folder, archive: str, manifest: Content) -> None:
    """Adds the files of an archive, by their paths in the mirror: every day, or volumes and the later days."""
    paths = {f"{archive}/volumes/{each['period']}.parquet": each["parquet"] for each in manifest.get("volumes", [])}
    every_day = not any(inside(folder.folder, path).exists() for path in paths)
    volumes = [] if every_day else [Listed(path, each["sha256"]) for path, each in paths.items()]
    covered = "" if every_day else max(each["last_date"] for each in manifest["volumes"])
    selection.superseded += sum(len(each["superseded"]) for each in manifest["dates"])
    chosen = [each for each in entries_of(manifest) if each["date"] > covered]
    days = [Listed(f"{archive}/{each['date']}.json", each["sha256"]) for each in chosen]
    listed = {each.path for each in [*volumes, *days]}
    mirror = Mirror(folder.folder, archive, lambda _: None)
    for found in mirror.files():
        name = found.relative_to(folder.folder).as_posix()
        if name not in listed:
            raise VerificationError("file-altered", name, reason=UNLISTED)
    selection.volumes += volumes
    selection.days += days


def archives_of(folder: Folder) -> Iterator[str]:
    """Yields the folders of the archives of a mirror, such as "gold/base"."""
    for genre in GENRES:
        yield from sorted(f"{genre}/{each.name}" for each in folder.folder.glob(f"{genre}/*") if each.is_dir())


def mirrored_manifest(folder: Folder, archive: str, statement: Content) -> Content:
    name = f"{archive}/manifest.json"
    data = folder.file(name)
    if data is None and folder.file(f"{archive}/manifest.previous.json") is not None:
        raise VerificationError("mixed", name, "crd sync was interrupted: run it again")
    if data is None:
        raise VerificationError("file-missing", name)
    sha256 = statement["manifests"].get(f"{archive_path(*archive.split('/'))}/manifest.json", "")
    named = (parse(data) or {}).get("published_revision")
    is_other = isinstance(named, str) and named != statement["revision"]
    detail = f"it names release {named}, the rest is of {statement['revision']}" if is_other else ""
    return checked_manifest(name, data, sha256, statement, detail)
