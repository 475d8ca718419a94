"""The history of one genre and chain: volumes for closed periods, bundles and day files for the rest."""

from __future__ import annotations

import functools
import importlib.util
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from .canonical import sha256
from .columns import PROVENANCE, Row, Signals, in_order, to_row
from .document_forms import DAYS, SIGNALS, bundle
from .errors import ChangedError, DataError, UsageError
from .files import Files
from .manifest import Manifest, Version
from .strict_json import parse_object
from .table import Table, concatenate, from_rows, join_volumes, parse_csv, read_parquet
from .values import ADVICE

WINDOWS = {"30d": 30, "90d": 90, "365d": 365}
JOBS = 8
PROGRESS_FILES = 100
MAX_CELLS = 2_000_000  # of all volumes of an archive
NEEDED = ("date", "chain", "status", "backfilled", *PROVENANCE)  # columns of every volume
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


class Day(NamedTuple):
    """What a row has from the record of a date. Only meta records have a status."""

    values: Row
    methodology_version: str
    status: str | None


class Archive:
    """All versions of all dates of one genre and chain, at the release of one manifest."""

    def __init__(self, files: Files, genre: str, chain: str, progress: Progress) -> None:
        self.files, self.genre, self.chain, self.progress = files, genre, chain, progress
        self.path = archive_path(genre, chain)
        self.has_parquet = importlib.util.find_spec("pyarrow") is not None
        file = files.subscriber(f"{self.path}/manifest.json", "parquet" if self.has_parquet else "csv")
        self.manifest = Manifest(file, genre, chain)
        self.cells = 0
        self.reading = threading.Lock()

    def at(self, revision: str, start: str = "0001-01-01", end: str = "9999-12-31") -> Table:
        """Returns the version of each date that was in force at a revision."""
        return self.versions(start, end, lambda since, until: holds_at(revision, since, until))

    def versions(
        self, start: str, end: str, keep: Callable[[str, str | None], bool], columns: Collection[str] | None = None
    ) -> Table:
        """
        Returns the versions of the dates from `start` to `end` for which `keep(since, until)` is true. With `columns`,
        volumes are read only as far as these and NEEDED.
        """
        volumes = [each for each in self.manifest.volumes if each["first_date"] <= end and each["last_date"] >= start]
        covered = max((each["last_date"] for each in self.manifest.volumes), default="")
        dates = [date for date in self.manifest.entries if start <= date <= end and date > covered]
        wanted = [each for date in dates for each in self.manifest.versions(date) if keep(each.since, each.until)]
        needed = [*NEEDED, "source"] if self.genre == "gold" and columns is None else NEEDED
        self.cells = 0
        # The rest first, whose requests wait for each other.
        reads = [functools.partial(self.rest, wanted)]
        reads += [functools.partial(self.read_volume, each, columns, needed) for each in volumes]
        rest, *tables = parallel(lambda read: read(), reads)
        paths = [each["parquet"]["path"] for each in volumes]
        if self.has_parquet and tables:
            tables = [join_volumes(list(zip(paths, tables)), needed)]
        if any(set(each.cells("chain")) - {self.chain} for each in tables):
            raise DataError(f"A volume of {self.path}/manifest.json has cells of another chain. {ADVICE}")
        tables.append(rest)
        table = concatenate([each for each in tables if len(each) > 0] or tables[:1], {})
        if len(table) == 0:
            return table
        cells = [table.cells(name) for name in ("date", "in_force_from", "in_force_until")]
        is_kept = {each: keep(*each) for each in set(zip(*cells[1:]))}
        kept = table.where([start <= date <= end and is_kept[since, until] for date, since, until in zip(*cells)])
        first, last = ["date", "chain"], ["status", "backfilled", *PROVENANCE]
        values = [name for name in kept.names if name not in {*first, *last}]
        return kept.select([*first, *in_order(self.genre, values), *last])

    def read_volume(self, volume: dict[str, Any], columns: Collection[str] | None, needed: Sequence[str]) -> Any:
        """Returns a volume: a pyarrow.Table from Parquet, whose cells are not judged, or a Table from CSV."""

        def is_wanted(name: str) -> bool:
            return columns is None or name in columns or name in needed

        entry = volume["parquet" if self.has_parquet else "csv"]
        path = entry["path"]
        data = self.files.listed(path, entry)
        with self.reading:
            table: Any = (
                read_parquet(data, path, is_wanted) if self.has_parquet else parse_csv(data, path, needed, is_wanted)
            )
            self.cells += len(table) * len(table.column_names if self.has_parquet else table.names)
            if self.cells > MAX_CELLS:
                raise DataError(f"The volumes of {self.path}/manifest.json have too many cells. {ADVICE}")
        return table

    def rest(self, versions: Sequence[Version]) -> Table:
        """Returns the rows of versions that are in no volume."""
        signals = signals_of(self.files, self.genre, self.chain, self.manifest.methodology_version) if versions else []

        def day_of(record: dict[str, Any]) -> Day:
            values = to_row(self.genre, record, signals)
            return Day(values, record["methodology_version"], record.get("status"))

        bundle = self.read_bundle([each.date for each in versions if each.until is None])
        bundled = {digest: day_of(record) for digest, record in bundle.items()}
        missing = [each for each in versions if each.status != "withdrawn" and each.sha256 not in bundled]
        days = parallel(lambda each: day_of(self.read_day(each)), missing, self.report)
        known = bundled | {each.sha256: day for each, day in zip(missing, days)}
        return from_rows([self.row(each, known) for each in versions])

    def report(self, done: int, count: int) -> None:
        if done % PROGRESS_FILES == 0:
            self.progress(f"{self.chain} {self.genre}: {done} of {count} day files")

    def row(self, version: Version, days: dict[str, Day]) -> Row:
        day = None if version.status == "withdrawn" else days[version.sha256]
        entry = self.manifest.entries[version.date]
        return {
            "date": version.date,
            "chain": self.chain,
            **({} if day is None else day.values),
            "status": version.status or self.status_of(version, day),
            "backfilled": version.backfilled,
            "methodology_version": entry["methodology_version"] if day is None else day.methodology_version,
            "published_revision": version.revision,
            "in_force_from": version.since,
            "in_force_until": version.until,
        }

    def status_of(self, version: Version, day: Day | None) -> str:
        """Returns the status that a date had when a superseded version ended. Only meta records contain it."""
        if self.genre == "meta" and day is not None:
            return str(day.status)
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
        data = self.files.listed(path, {"sha256": version.sha256, "bytes": version.bytes})
        return parse_object(data, path, DAYS[self.genre])

    def read_bundle(self, dates: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Returns the records by digest of the smallest bundle with these dates, or of the largest one."""
        if len(dates) < 2:
            return {}
        newest = list(self.manifest.entries)
        count = len(newest) - newest.index(min(dates))
        window = next((name for name, days in WINDOWS.items() if days >= count), "365d")
        return bundled_days(self.files, self.genre, self.chain, window, set(dates))


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
    methodology = files.public(f"/api/v1/methodology/{version}.json").json(SIGNALS)
    return [each for each in methodology["signals"] if chain in each["chains"]]


def bundled_days(
    files: Files, genre: str, chain: str, window: str, dates: Collection[str] | None = None
) -> dict[str, dict[str, Any]]:
    """Returns the records of a bundle, or those of `dates`, by the digests of their day files."""
    days = files.subscriber(bundle_path(genre, chain, window)).json(bundle(genre))["days"]
    return {sha256(day).hex(): day for day in days if dates is None or day["date"] in dates}


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
