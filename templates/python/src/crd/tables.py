"""Tables without any other package than urllib3: `rows()` returns dictionaries, `to_csv()` a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .archive import Archive, Progress, bundle_path, check_window, parallel, signals_of, unchanged
from .columns import PROVENANCE, Row, in_order, to_row
from .document_forms import STATUS as STATUS_FORM
from .document_forms import bundle as bundle_form
from .errors import NotFoundError, UsageError
from .files import File, Files, Release
from .manifest import is_revision
from .table import Table, concatenate, from_rows, parse_csv
from .times import Date, parse_date
from .values import chain as is_chain

GENRES = ("meta", "gold", "derived", "briefs")
TABLE_GENRES = ("meta", "gold", "derived")
STATUS = "/api/v1/status"
# The columns of a calendar that the client needs.
CALENDAR_COLUMNS = ("date", "regime", "confidence", "published_revision", "determinism_hash")


class Tables:
    """The data of the service as tables."""

    def __init__(self, files: Files, progress: Progress) -> None:
        self.files, self.progress = files, progress
        self.sources: dict[str, list[dict[str, Any]]] = {}

    def status(self) -> dict[str, Any]:
        """Returns freshness and publication context of every chain."""
        status = self.files.public(STATUS).json(STATUS_FORM)
        self.sources = {name: each["sources"] for name, each in status["chains"].items()}
        return status

    def chains(self) -> list[str]:
        """Returns the chains of the service."""
        return list(self.status()["chains"])

    def calendar(self, chain: str) -> Table:
        """Returns the regime of every day of a chain. Needs no key."""
        self.check_chain(chain)
        return self.calendar_table(chain, self.files.public(calendar_path(chain)))

    def calendar_table(self, chain: str, file: File) -> Table:
        table = parse_calendar(file)
        table.attributes = self.attributes([chain], max(table.cells("published_revision"), default=""), file.sha256)
        return table

    def calendars(self) -> Table:
        """Returns the regimes of all chains in one table. Needs no key."""
        chains = self.chains()
        if not chains:
            raise NotFoundError("The service has no chains yet.")

        def read(release: Release) -> dict[str, File]:
            return {chain: release.read(calendar_path(chain)) for chain in chains}

        found = self.files.of_one_release(read)
        tables = {chain: self.calendar_table(chain, file) for chain, file in found.items()}
        attributes = [table.attributes for table in tables.values()]
        revision = max(each["revision"] for each in attributes)
        digests = {chain: table.attributes["digest"] for chain, table in tables.items()}
        return concatenate(list(tables.values()), self.attributes(tables, revision, digests))

    def day(self, genre: str, chain: str, date: Date, revision: str | None = None) -> Row:
        """Returns the record of a date, or what the date said in a revision."""
        self.check(genre, chain)
        if revision is not None and not is_revision(revision):
            raise UsageError(f"{revision!r} is not a revision. Use one such as 2024-03-01.000001.")
        query = "" if revision is None else f"?revision={revision}"
        archive = bundle_path(genre, chain, "latest").removesuffix("/latest.json")
        return self.read(f"{archive}/{parse_date(date)}.json{query}").json()

    def latest(self, genre: str, chain: str) -> Row:
        """Returns the record of the latest date."""
        self.check(genre, chain)
        record: Row = self.read(bundle_path(genre, chain, "latest")).json(bundle_form(genre))["days"][-1]
        return record

    def bundle(self, genre: str, chain: str, window: str = "90d") -> Table:
        """Returns the latest dates: 7d, 30d, 90d or 365d. Every plan includes bundles up to 90 days."""
        self.check(genre, chain, TABLE_GENRES)
        check_window(window)
        file = self.read(bundle_path(genre, chain, window))
        bundle = file.json(bundle_form(genre))
        signals = signals_of(self.files, genre, chain, bundle["methodology_version"])
        rows = [{"date": day["date"], "chain": chain, **to_row(genre, day, signals)} for day in bundle["days"]]
        table = from_rows(rows)
        table = table.select(["date", "chain", *in_order(genre, table.names[2:])])
        table.attributes = self.attributes([chain], bundle["published_revision"], file.sha256)
        return table

    def history(
        self,
        genre: str,
        chain: str,
        start: Date | None = None,
        end: Date | None = None,
        as_of: Date | None = None,
        columns: Sequence[str] | None = None,
        provenance: bool = False,
    ) -> Table:
        """
        Returns one row for each date: as it is now, or as it was known at `as_of`. `Client.history` describes it.
        """
        if is_chain(chain) is not None or genre not in TABLE_GENRES:
            self.check(genre, chain, TABLE_GENRES)
        first, last = (
            "0001-01-01" if start is None else parse_date(start, "start"),
            "9999-12-31" if end is None else parse_date(end, "end"),
        )
        if first > last:
            raise UsageError(f"start={first} is after end={last}. Swap them.")

        def read() -> Table:
            def step(opens: bool) -> Archive | None:
                if opens:
                    return Archive(self.files, genre, chain, self.progress)
                self.check_chain(chain)
                return None

            archive = parallel(step, [False, True])[1]
            assert archive is not None  # only the check returns nothing
            revision = archive.manifest.revision_at(as_of)
            table = archive.at(revision, first, last)
            table.attributes = self.attributes([chain], revision, archive.manifest.sha256)
            return table

        table = unchanged(read)
        if len(table) == 0:
            asked = {"from": start, "to": end, "as of": as_of}
            named = "".join(f" {word} {value}" for word, value in asked.items() if value is not None)
            raise NotFoundError(f"There are no {genre} days of {chain}{named}. crd.calendar({chain!r}) has all dates.")
        if columns is not None:
            return table.select(["date", *(name for name in columns if name != "date")])
        return table if provenance else table.select(name for name in table.names if name not in PROVENANCE)

    def read(self, path: str) -> File:
        return self.files.subscriber(path)

    def check(self, genre: str, chain: str, genres: Sequence[str] = GENRES) -> None:
        """Raises UsageError for a wrong genre or chain."""
        if genre not in genres:
            raise UsageError(f"There is no genre {genre!r} here. Use one of: {', '.join(genres)}.")
        self.check_chain(chain)

    def check_chain(self, chain: str) -> None:
        if chain not in self.sources:
            self.status()
        if chain not in self.sources:
            raise UsageError(f"There is no chain {chain!r}. Use one of: {', '.join(self.sources)}.")

    def attributes(self, chains: Iterable[str], revision: str, digest: Any) -> dict[str, Any]:
        """Returns what a frame says about its origin. `digest` is that of the file or of the manifest of its files."""
        sources = [each for chain in chains for each in self.sources[chain]]
        lines = [f"{each.get('attribution', each['name'])}, {each['licence']}" for each in sources]
        return {"revision": revision, "digest": digest, "attribution": list(dict.fromkeys(lines))}


def parse_calendar(file: File) -> Table:
    return parse_csv(file.data, file.path, CALENDAR_COLUMNS)


def calendar_path(chain: str) -> str:
    return f"/api/v1/analyst-kit/{chain}/regime-calendar"
