"""Recomputes a chain from what the service publishes."""

from __future__ import annotations

from dataclasses import dataclass

from ..archive import Archive, unchanged
from ..columns import PROVENANCE, Row
from ..document_forms import THRESHOLDS
from ..errors import ChangedError, NotFoundError
from ..files import Release
from ..table import Table
from ..tables import Tables, calendar_path, parse_calendar
from .chain import Chain
from .days import Days, applying, check_gold
from .published import compare, score_of_label
from .records import COLUMNS, recompute

COMPARED = ("date", "regime", "confidence", "determinism_hash")
NOT_METRICS = {"date", "chain", "source", "status", "backfilled", *PROVENANCE}


@dataclass(frozen=True)
class Recomputation:
    """The recomputed days of a chain, and a line for each published day that differs from them."""

    rows: list[Row]
    compared: int
    differing: list[str]

    def __str__(self) -> str:
        return "\n".join([*self.differing, f"{self.compared} dates compared, {len(self.differing)} differ"])


def recompute_chain(tables: Tables, chain: str) -> Recomputation:
    """Recomputes every day of a chain from its gold days, and compares it with the calendar of the same release."""
    tables.check_chain(chain)
    return unchanged(lambda: recompute_release(tables, chain))


def recompute_release(tables: Tables, chain: str) -> Recomputation:
    revision, calendar = read_calendar(tables, chain)
    history = Archive(tables.files, "gold", chain, tables.progress).at(revision)
    gold: Days = {row["date"]: gold_of(row) for row in history.rows() if row["status"] != "withdrawn"}
    if not gold:
        raise NotFoundError(f"All gold days of {chain} are withdrawn.")
    version = history.columns["methodology_version"][-1]
    methodology = tables.files.public(f"/api/v1/methodology/{version}.json").json(THRESHOLDS)
    with applying(f"The methodology {version}"):
        check_gold(gold, methodology, chain)
        rows = recompute(Chain(methodology, chain, gold), None)
    cells = zip(*(calendar.columns[name] for name in COMPARED))
    published = {
        date: (regime, None if score is None else score_of_label(regime, score), digest)
        for date, regime, score, digest in cells
    }
    compared, differing = compare(rows, published)
    if differing:
        check_calendar(tables, chain, revision, calendar)
    return Recomputation([dict(zip(COLUMNS, row)) for row in rows], compared, differing)


def read_calendar(tables: Tables, chain: str) -> tuple[str, Table]:
    """Returns the regime calendar, and the revision of the release that lists it."""

    def read(release: Release) -> tuple[str, Table]:
        return release.revision, parse_calendar(release.read(calendar_path(chain)))

    return tables.files.of_one_release(read)


def check_calendar(tables: Tables, chain: str, revision: str, calendar: Table) -> None:
    """
    Raises ChangedError if the calendar is not of the release that the archives were read at. A cache can have an older
    list of files, and a copy of the service an older archive.
    """
    meta = Archive(tables.files, "meta", chain, tables.progress).at(revision)
    rows = zip(*(meta.columns.get(name, []) for name in ("date", "published_revision", "status")))
    archived = {date: revision for date, revision, status in rows if status != "withdrawn"}
    if archived != dict(zip(calendar.columns["date"], calendar.columns["published_revision"])):
        text = f"The regime calendar of {chain} and its archive are of different releases."
        raise ChangedError(f"{text} Caches keep files for up to five minutes: run it again later.")


def gold_of(row: Row) -> Row:
    metrics = {name: value for name, value in row.items() if name not in NOT_METRICS}
    return {"date": row["date"], "chain": row["chain"], "metrics": metrics, "source": row["source"]}
