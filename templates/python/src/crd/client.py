"""The client: tables as pandas frames, mirrors, and the recomputation of regimes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .archive import JOBS, Archive, Progress, unchanged
from .cache import Cache
from .errors import UsageError
from .files import Files
from .settings import find_api_key, find_base_url, find_cache
from .tables import TABLE_GENRES, Tables
from .terminal import say
from .times import Date
from .transport import Transport

if TYPE_CHECKING:
    import pandas

    from .methodology.online import Recomputation
    from .verification.result import Verification

Record = dict[str, Any]
TRIES = 6


def print_progress(text: str) -> None:
    say(text, sys.stderr)


class Client:
    """
    Reads one service. `base_url`, `api_key` and `cache_dir` are by default those of the environment: CRD_BASE_URL,
    CRD_API_KEY and CRD_CACHE_DIR. CRD_API_KEY is sent only to the service of CRD_BASE_URL or, without it, to the one
    that the client was installed from: for another `base_url`, pass `api_key` too. `progress` receives a line now and
    then during long work. Threads can share a client.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
        progress: Progress = print_progress,
        tries: int = TRIES,
    ) -> None:
        self.base_url = find_base_url(base_url)
        if tries < 1:
            raise UsageError(f"tries={tries} is too low. Use 1 or more.")
        transport = Transport(self.base_url, find_api_key(api_key, self.base_url), tries)
        self.progress = progress
        self.files = Files(transport, Cache(find_cache(cache_dir)))
        self.tables = Tables(self.files, progress)

    def close(self) -> None:
        """Closes the connections."""
        self.files.transport.close()

    def status(self) -> Record:
        """Returns freshness and publication context of every chain. Needs no key."""
        return self.tables.status()

    def calendar(self, chain: str) -> pandas.DataFrame:
        """Returns the regime of every day of a chain. Needs no key."""
        return self.tables.calendar(chain).to_pandas()

    def calendars(self) -> pandas.DataFrame:
        """Returns the regimes of all chains in one frame. Needs no key."""
        return self.tables.calendars().to_pandas()

    def day(self, genre: str, chain: str, date: Date, revision: str | None = None) -> Record:
        """Returns the record of a date, or what the date said in a revision."""
        return self.tables.day(genre, chain, date, revision)

    def latest(self, genre: str, chain: str) -> Record:
        """Returns the record of the latest date."""
        return self.tables.latest(genre, chain)

    def bundle(self, genre: str, chain: str, window: str = "90d") -> pandas.DataFrame:
        """Returns the latest dates: 7d, 30d, 90d or 365d. Every plan includes bundles up to 90 days."""
        return self.tables.bundle(genre, chain, window).to_pandas()

    def history(
        self,
        genre: str,
        chain: str,
        start: Date | None = None,
        end: Date | None = None,
        as_of: Date | None = None,
        columns: Sequence[str] | None = None,
        provenance: bool = False,
    ) -> pandas.DataFrame:
        """
        Returns one row for each date: as it is now, or as it was known at `as_of`, which is

        - a date (datetime.date, or a text such as "2026-03-01"): its end in UTC;
        - an instant (datetime, pandas.Timestamp, or a text with a time), also at midnight: in UTC without a time zone;
        - a revision, such as "2026-03-01.000001".

        `start` and `end` are dates too, or instants, whose dates in UTC they mean. Texts are ISO 8601; others are a
        UsageError. `provenance` adds the columns that say which release published the values, and when they were in
        force. A withdrawn date has a row without values.
        """
        table = self.tables.history(genre, chain, start, end, as_of, columns, provenance)
        return table.to_pandas()

    def recompute(self, chain: str) -> Recomputation:
        """Recomputes every day of a chain from its gold days, and compares it with the regime calendar."""
        from .methodology.online import recompute_chain

        return recompute_chain(self.tables, chain)

    def sync(
        self,
        folder: str | os.PathLike[str],
        chains: Sequence[str] | None = None,
        genres: Sequence[str] = TABLE_GENRES,
        days: bool = False,
        jobs: int = JOBS,
    ) -> list[str]:
        """
        Mirrors archives into a folder and returns a line about each. Only missing or different files are fetched. The
        closed part of a history is in volumes (Parquet); with `days`, a mirror has the file of every date (JSON)
        instead. The mirror of the other kind is replaced. Files that are not from the service are never deleted.
        If the releases of the service are signed, the folder also gets what `verify` needs.
        """
        from .mirrors.run import Run
        from .mirrors.trust_files import TrustFiles

        names = self.tables.chains() if chains is None else chains
        archives = [(genre, chain) for chain in names for genre in genres]
        for genre, chain in archives:
            self.tables.check(genre, chain)
        lines: dict[tuple[str, str], str] = {}

        def mirror(archive: tuple[str, str]) -> None:
            run = Run(self.files, Path(folder), *archive, days, jobs, self.progress)
            lines[archive] = unchanged(run.do)

        for archive in archives:
            mirror(archive)
        TrustFiles(self.files, Path(folder), self.progress).keep(archives, mirror)
        return list(lines.values())

    def verify(self, trust: str, since: str | os.PathLike[str] | None = None, days: bool = False) -> Verification:
        """
        Verifies the signatures of the service up to the root key that `trust` names, as SITE#THUMBPRINT, and all files
        by their digests: public files and, with a key, those of manifests. With `days`, also the day files whose dates
        are in volumes. `since` is a file for the newest verified state; later runs refuse an older state or a different
        history. Raises VerificationError. Needs the package joserfc.
        """
        from .verification.entry import options_of, verify_service

        options = options_of(trust, since, lambda _: None, self.progress)
        return verify_service(self.files, self.base_url, options, days)

    def regimes_on(
        self, frame: pandas.DataFrame, on: str = "date", chain: str | None = None, daily: bool | None = None
    ) -> pandas.DataFrame:
        """
        Returns a copy of `frame` with two more columns: `regime`, the label of the day before each row, in the version
        that was in force then, and `regime_backfilled`.

        "Then" is the end of a daily row's date (UTC), because the label of the day before is published during that
        date: it is what a decision after the close of the date could use. For a row with an instant, "then" is that
        instant. `daily` says which rows the frame has. None: daily if all values are at midnight (UTC), otherwise
        instants. False: instants, also those at midnight. True: daily; times of day are refused.

        The column, or the level of the index, has datetimes, dates or ISO 8601 texts; in UTC without a time zone.
        Anything else is a UsageError, which names the first such row and what to do.

        A label that was not published by then is missing. Labels of the first load were published years after their
        days: they are used, and `regime_backfilled` is true. Leave such rows out where it matters what was known.
        """
        from .regimes import join_regimes

        def open_archive(name: str) -> Archive:
            self.tables.check("meta", name)
            return Archive(self.files, "meta", name, self.progress)

        return unchanged(lambda: join_regimes(frame, on, chain, daily, open_archive))
