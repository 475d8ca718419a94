"""The history of one genre and chain: volumes for closed periods, bundles and day files for the rest."""

from __future__ import annotations

import functools
import importlib.util
import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from .canonical import sha256
from .columns import PROVENANCE, Row, Signals, in_order, to_row
from .errors import ChangedError, UsageError
from .files import Files
from .manifest import Manifest, Version
from .table import Table, concatenate, from_rows, parse_csv, parse_parquet

WINDOWS = {"30d": 30, "90d": 90, "365d": 365}
JOBS = 8
PROGRESS_FILES = 100
CHANGE_WAITS = (0, 4, 12)  # copies of the service read a new release within 15 seconds
Progress = Callable[[str], None]
T = TypeVar("T")
U = TypeVar("U")


def holds_at(revision: str, since: str, until: str | None) -> bool:
    return since <= revision and (until is None or until > revision)


def archive_path(genre: str, chain: str) -> str:
    return f"/api/v1/files/{genre}/{'chains/' if genre == 'briefs' else ''}{chain}"


def bundle_path(genre: str, chain: str, window: str) -> str:
    if window == "latest":
        return f"{archive_path(genre, chain)}/latest.json"
    return f"/api/v1/files/{genre}/{chain}/{window}/latest.json"


class Archive:
    """All versions of all dates of one genre and chain, at the release of one manifest."""

    def __init__(self, files: Files, genre: str, chain: str, progress: Progress) -> None:
        self.files, self.genre, self.chain, self.progress = files, genre, chain, progress
        self.path = archive_path(genre, chain)
        file = files.subscriber(f"{self.path}/manifest.json")
        self.manifest = Manifest(file.json(), file.sha256)

    def at(self, revision: str, start: str = "0001-01-01", end: str = "9999-12-31") -> Table:
        """Returns the version of each date that was in force at a revision."""
        return self.versions(start, end, lambda since, until: holds_at(revision, since, until))

    def versions(self, start: str, end: str, keep: Callable[[str, str | None], bool]) -> Table:
        """Returns the versions of the dates from `start` to `end` for which `keep(since, until)` is true."""
        volumes = [each for each in self.manifest.volumes if each["first_date"] <= end and each["last_date"] >= start]
        covered = max((each["last_date"] for each in self.manifest.volumes), default="")
        dates = [date for date in self.manifest.entries if start <= date <= end and date > covered]
        wanted = [each for date in dates for each in self.manifest.versions(date) if keep(each.since, each.until)]
        tables = [*parallel(self.read_volume, volumes), self.rest(wanted)]
        table = concatenate([each for each in tables if len(each) > 0] or tables[:1], {})
        if len(table) == 0:
            return table
        inside = [start <= date <= end for date in table.columns["date"]]
        times = zip(table.columns["in_force_from"], table.columns["in_force_until"])
        kept = table.where([within and keep(*each) for within, each in zip(inside, times)])
        first, last = ["date", "chain"], ["status", "backfilled", *PROVENANCE]
        values = [name for name in kept.columns if name not in {*first, *last}]
        return kept.select([*first, *in_order(self.genre, values), *last])

    def read_volume(self, volume: dict[str, Any]) -> Table:
        """Returns a volume: from Parquet with pyarrow, otherwise from CSV with the same cells."""
        if importlib.util.find_spec("pyarrow") is not None:
            return parse_parquet(self.files.listed(volume["parquet"]["path"], volume["parquet"]))
        return parse_csv(self.files.listed(volume["csv"]["path"], volume["csv"]))

    def rest(self, versions: Sequence[Version]) -> Table:
        """Returns the rows of versions that are in no volume."""
        bundled = self.read_bundle([each.date for each in versions if each.until is None])
        missing = [each for each in versions if each.status != "withdrawn" and each.sha256 not in bundled]
        records = parallel(self.read_day, missing, self.report)
        known = bundled | {each.sha256: record for each, record in zip(missing, records)}
        signals = signals_of(self.files, self.genre, self.chain, self.manifest.methodology_version) if versions else []
        return from_rows([self.row(each, known, signals) for each in versions])

    def report(self, done: int, count: int) -> None:
        if done % PROGRESS_FILES == 0:
            self.progress(f"{self.chain} {self.genre}: {done} of {count} day files")

    def row(self, version: Version, records: dict[str, dict[str, Any]], signals: Signals) -> Row:
        record = None if version.status == "withdrawn" else records[version.sha256]
        entry = self.manifest.entries[version.date]
        return {
            "date": version.date,
            "chain": self.chain,
            **({} if record is None else to_row(self.genre, record, signals)),
            "status": version.status or self.status_of(version, record or {}),
            "backfilled": version.backfilled,
            "methodology_version": (record or entry)["methodology_version"],
            "published_revision": version.revision,
            "in_force_from": version.since,
            "in_force_until": version.until,
        }

    def status_of(self, version: Version, record: dict[str, Any]) -> str:
        """Returns the status that a date had when a superseded version ended. Only meta records contain it."""
        if self.genre == "meta":
            return str(record["status"])
        until = version.until or self.manifest.revision
        dated = self.meta.manifest.versions(version.date) if version.date in self.meta.manifest.entries else ()
        found = [each for each in dated if each.since < until]
        if not found:
            raise ChangedError(
                f"The manifest of {self.chain} meta is older than the one of {self.genre}. Run it again."
            )
        return found[-1].status or str(self.meta.read_day(found[-1])["status"])

    @functools.cached_property
    def meta(self) -> Archive:
        return Archive(self.files, "meta", self.chain, self.progress)

    def read_day(self, version: Version) -> dict[str, Any]:
        """Returns the record of a version, whatever was published since."""
        path = f"{self.path}/{version.date}.json?revision={version.since}"
        record: dict[str, Any] = json.loads(self.files.listed(path, {"sha256": version.sha256, "bytes": version.bytes}))
        return record

    def read_bundle(self, dates: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Returns the records by digest of the smallest bundle with these dates, or of the largest one."""
        if len(dates) < 2:
            return {}
        newest = list(self.manifest.entries)
        count = len(newest) - newest.index(min(dates))
        window = next((name for name, days in WINDOWS.items() if days >= count), "365d")
        return bundled_days(self.files, self.genre, self.chain, window)


def unchanged(read: Callable[[], T]) -> T:
    """Runs `read` again if a release was published while it read the files of an archive."""
    for wait in CHANGE_WAITS:
        try:
            return read()
        except ChangedError:
            time.sleep(wait)
    return read()


def signals_of(files: Files, genre: str, chain: str, version: str) -> Signals:
    """Returns the signals of a chain that meta days contain, in the order of the methodology."""
    if genre != "meta":
        return []
    methodology = files.public(f"/api/v1/methodology/{version}.json").json()
    return [each for each in methodology["signals"] if chain in each["chains"]]


def bundled_days(files: Files, genre: str, chain: str, window: str) -> dict[str, dict[str, Any]]:
    """Returns the records of a bundle by the digests of their day files."""
    days = files.subscriber(bundle_path(genre, chain, window)).json()["days"]
    return {sha256(day).hex(): day for day in days}


def parallel(
    work: Callable[[T], U], items: Iterable[T], report: Callable[[int, int], None] = lambda *_: None
) -> list[U]:
    """Returns the results of several threads, in the order of the items. Reports the number of finished ones."""
    todo = list(items)

    def results() -> Iterator[U]:
        with ThreadPoolExecutor(JOBS) as pool:
            try:
                for i, result in enumerate(pool.map(work, todo), 1):
                    report(i, len(todo))
                    yield result
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    return list(results()) if todo else []


def check_window(window: str) -> None:
    windows = ["latest", "7d", *WINDOWS]
    if window not in windows:
        raise UsageError(f"There is no bundle {window!r}. Use one of: {', '.join(windows)}.")
