"""Updates the mirror of one archive to the release of the service's manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from ..archive import PROGRESS_FILES, Progress, archive_path, bundled_days
from ..canonical import canonical
from ..errors import CrdError, FileError, IncompleteError
from ..files import Files
from ..manifest import parse_manifest
from ..values import chain as chain_form
from ..values import judge
from .mirror import Mirror, digest_of, digests_of, held_digests, sequence_of

MANY_FAULTS = 20  # the run stops after this many failed dates
FEW_DAYS = 3  # as many are fetched one by one
Entry = dict[str, Any]


class Run:
    """One update. It can be killed at any time, and the next run continues."""

    def __init__(
        self, files: Files, folder: Path, genre: str, chain: str, days: bool, jobs: int, log: Progress
    ) -> None:
        self.files, self.genre, self.chain, self.days, self.jobs, self.log = files, genre, chain, days, jobs, log
        self.name = f"{chain} {genre}"
        self.path = archive_path(genre, chain)
        self.mirror = Mirror(folder, f"{genre}/{judge(chain, chain_form, 'The name of a chain')}", log)
        self.revision, self.fetched, self.wanted, self.failed = "", 0, 0, 0

    def do(self) -> str:
        """Updates the mirror and returns a line about it."""
        self.fetched, self.wanted, self.failed = 0, 0, 0
        self.mirror.prepare()
        known = held_digests(self.mirror.held())
        data, manifest = self.read_manifest()
        self.revision = manifest["published_revision"]
        listed = {entry["date"]: entry for entry in manifest["dates"] if entry["status"] != "withdrawn"}
        volumes = [] if self.days else manifest.get("volumes", [])
        single = self.single_days(listed, volumes)
        missing, restated, altered = self.sort(single)
        expected = {self.mirror.day(each["date"]) for each in single}
        expected |= {self.mirror.volume(each["period"]) for each in volumes}
        removed, aside = self.unlisted(expected, set(listed), known | digests_of(manifest))
        self.wanted = len(missing) + len(restated) + len(altered)
        changed = [each for each in volumes if self.is_different(each)]
        self.fetch_days(missing)
        self.fetch_all(self.fetch_volume, [each for each in changed if not self.mirror.volume(each["period"]).exists()])
        replaced = [each for each in changed if self.mirror.volume(each["period"]).exists() and self.is_different(each)]
        if restated or altered or replaced or removed or aside:
            self.mirror.begin_changes()
            self.fetch_days(restated + altered)
            self.fetch_all(self.fetch_volume, replaced)
            for path in aside:
                self.mirror.move_aside(path)
            for path in removed:
                path.unlink()
        self.mirror.finish(data)
        counts = f"{len(listed)} dates, {self.fetched} fetched, {len(restated)} restated, {len(altered)} repaired"
        packed = f", {len(changed)} of {len(volumes)} volumes fetched" if volumes else ""
        gone = f", {len(removed)} removed" if removed else ""
        return f"{self.name} at {self.revision}: {counts}, {len(aside)} moved aside{packed}{gone}"

    def read_manifest(self) -> tuple[bytes, dict[str, Any]]:
        held = self.mirror.held()
        try:
            volumes = None if self.days or self.genre == "briefs" else "parquet"
            data = self.files.newest(f"{self.path}/manifest.json", held, volumes)
        except FileError as fault:
            raise IncompleteError(f"the manifest could not be fetched: {fault}") from fault
        manifest = parse_manifest(data, f"{self.path}/manifest.json")  # its digest is verified
        if (manifest["chain"], manifest["genre"]) != (self.chain, self.genre):
            raise CrdError("the manifest belongs to another archive")
        if sequence_of(held) > manifest["sequence"]:
            raise IncompleteError("the gateway serves an older release than the mirror; nothing was changed")
        return data, manifest

    def single_days(self, listed: dict[str, Entry], volumes: list[Entry]) -> list[Entry]:
        """Returns the dates that are mirrored as day files: those in no volume."""
        covered = max((each["last_date"] for each in volumes), default="")
        return [each for date, each in listed.items() if date > covered]

    def unlisted(self, expected: set[Path], dates: set[str], known: set[str]) -> tuple[list[Path], list[Path]]:
        """
        Returns the files to remove and to move aside. Removed are files of a known digest, whose content is also in
        another file: days that are in a volume, and volumes that others or days replace. Files with other bytes are not
        from the service, and the file of a withdrawn date may be the last copy.
        """
        found = [each for each in self.mirror.files() if each not in expected]
        packed = (each for each in found if each.suffix == ".parquet" or each.stem in dates)
        removed = {each for each in packed if digest_of(each) in known}
        return sorted(removed), [each for each in found if each not in removed]

    def sort(self, entries: list[Entry]) -> tuple[list[Entry], list[Entry], list[Entry]]:
        """Returns the entries that are missing, restated, and those whose local file was never published."""
        missing, restated, altered = [], [], []
        for entry in entries:
            digest = digest_of(self.mirror.day(entry["date"]))
            known = {old["sha256"]: old["reason"] for old in entry["superseded"]}
            if digest is None:
                missing.append(entry)
            elif digest == entry["sha256"]:
                continue
            elif digest in known:
                restated.append(entry)
                self.log(f"{entry['date']} is restated: {known[digest]}")
            else:
                altered.append(entry)
                self.log(f"{entry['date']} was changed locally: fetching it again")
        return missing, restated, altered

    def is_different(self, volume: Entry) -> bool:
        return digest_of(self.mirror.volume(volume["period"])) != str(volume["parquet"]["sha256"])

    def fetch_days(self, entries: list[Entry]) -> None:
        """Fetches day files: with volumes, as many as possible from one bundle."""
        packed: dict[str, Any] = {}
        if not self.days and len(entries) > FEW_DAYS:
            packed = bundled_days(self.files, self.genre, self.chain, "90d")
        for entry in entries:
            if entry["sha256"] in packed:
                self.mirror.write(self.mirror.day(entry["date"]), canonical(packed[entry["sha256"]]).encode())
                self.count(entry["date"], None)
        self.fetch_all(self.fetch_day, [each for each in entries if each["sha256"] not in packed])

    def fetch_day(self, entry: Entry) -> None:
        path = f"{self.path}/{entry['date']}.json?revision={self.revision}"
        self.mirror.write(self.mirror.day(entry["date"]), self.files.fetch_listed(path, entry))

    def fetch_volume(self, volume: Entry) -> None:
        data = self.files.fetch_listed(volume["parquet"]["path"], volume["parquet"])
        self.mirror.write(self.mirror.volume(volume["period"]), data)

    def fetch_all(self, fetch: Callable[[Entry], None], entries: Iterable[Entry]) -> None:
        stopped = self.files.transport.stopped
        try:
            with ThreadPoolExecutor(self.jobs) as pool:
                work = {pool.submit(fetch, each): each for each in entries}
                try:
                    for done in as_completed(work):
                        entry = work[done]
                        self.count(entry.get("date"), done.exception())
                except BaseException:
                    stopped.set()
                    pool.shutdown(wait=False, cancel_futures=True)
                    raise
        finally:
            stopped.clear()
        if self.failed > 0:
            raise IncompleteError(f"{self.failed} dates could not be fetched")

    def count(self, date: str | None, fault: BaseException | None) -> None:
        """Counts a day file; a fault of another file, or of more than one, ends the run."""
        if date is None or not (fault is None or isinstance(fault, FileError)):
            if fault is not None:
                raise fault
            return
        if fault is None:
            self.fetched += 1
            if self.fetched % PROGRESS_FILES == 0:
                self.log(f"{self.name}: {self.fetched} of {self.wanted} fetched")
            return
        self.failed += 1
        self.log(f"{date}: {fault}")
        if self.failed == MANY_FAULTS:
            raise IncompleteError(f"{self.failed} dates could not be fetched")
