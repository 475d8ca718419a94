"""Recomputes a chain from what the service publishes."""

from __future__ import annotations

from dataclasses import dataclass

from ..columns import PROVENANCE, Row
from ..errors import NotFoundError
from ..tables import Tables
from .days import Days, check_gold
from .published import compare
from .records import COLUMNS, Chain, recompute

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
    """Recomputes every day of a chain from its gold days, and compares it with the regime calendar."""
    history = tables.history("gold", chain, provenance=True)
    gold: Days = {row["date"]: gold_of(row) for row in history.rows() if row["status"] != "withdrawn"}
    if not gold:
        raise NotFoundError(f"All gold days of {chain} are withdrawn.")
    version = history.columns["methodology_version"][-1]
    methodology = tables.files.public(f"/api/v1/methodology/{version}.json").json()
    check_gold(gold, methodology, chain)
    rows = recompute(Chain(methodology, chain, gold), None)
    calendar = tables.calendar(chain)
    cells = zip(*(calendar.columns[name] for name in ("date", "regime", "confidence", "determinism_hash")))
    compared, differing = compare(rows, {date: (regime, score, digest) for date, regime, score, digest in cells})
    return Recomputation([dict(zip(COLUMNS, row)) for row in rows], compared, differing)


def gold_of(row: Row) -> Row:
    metrics = {name: value for name, value in row.items() if name not in NOT_METRICS}
    return {"date": row["date"], "chain": row["chain"], "metrics": metrics, "source": row["source"]}
