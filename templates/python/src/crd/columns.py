"""The columns of tables: what kind of value each holds, and how a day record becomes a row."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

Kind = Literal["date", "label", "text", "integer", "boolean", "number"]
Row = dict[str, Any]
Signals = Sequence[Mapping[str, Any]]  # of the methodology, with `signal` and `dimension`

LEVELS = ("low", "normal", "high")
LABELS = ("congested", "expanding", "strained", "steady", "slack", "quiet", "dormant", "indeterminate")
# The known labels of a column, in their order. Others are added behind them.
KNOWN_LABELS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("regime|previous_regime", LABELS),
    ("status", ("available", "degraded", "missing", "withdrawn")),
    ("confidence_level", ("low", "moderate", "high")),
    (".*_trend", ("falling", "flat", "rising")),
    (".*_level", LEVELS),
    ("chain|top_driver|methodology_version|source", ()),
)
DATES = {"date", "regime_since"}
INTEGERS = {"run_days"}
BOOLEANS = {"backfilled", "regime_backfilled"}
TEXTS = {"published_revision", "in_force_from", "in_force_until", "missing_signals", "extremes"}
SUMMARIES = ("ma7", "ma30", "change_1d", "change_7d", "change_30d", "percentile_365d")
EXTREME = ("quantity", "kind", "window", "rank")
DRIVER_VALUES = ("z", "contribution", "value", "smoothed", "baseline")
# The columns of every table of days that come last: what is known about a version of a date.
PROVENANCE = ("methodology_version", "published_revision", "in_force_from", "in_force_until")


@functools.cache
def kind_of(name: str) -> Kind:
    """Returns the kind of the values in a column of this name. A column of an unknown name holds numbers."""
    if name in DATES:
        return "date"
    if name in INTEGERS:
        return "integer"
    if name in BOOLEANS:
        return "boolean"
    if name in TEXTS or name.endswith(("_sha256", "_hash")):
        return "text"
    return "number" if labels_of(name) is None else "label"


@functools.cache
def labels_of(name: str) -> tuple[str, ...] | None:
    """Returns the known labels of a column, or None if it does not hold labels."""
    return next((labels for pattern, labels in KNOWN_LABELS if re.fullmatch(pattern, name)), None)


def all_labels(name: str, cells: Iterable[str | None]) -> list[str]:
    """Returns the categories of a column with these cells: the known labels, then others, sorted."""
    known = labels_of(name) or ()
    return [*known, *sorted({cell for cell in set(cells) if cell is not None} - set(known))]


def parse_cell(name: str, text: str) -> Any:
    """Returns the value of a cell of a CSV file. An empty cell is None."""
    if text == "":
        return None
    kind = kind_of(name)
    if kind == "number":
        return float(text)
    if kind == "integer":
        return int(text)
    if kind == "boolean" and text not in ("true", "false"):
        raise ValueError(f"{text[:100]!r} is neither true nor false")
    return text == "true" if kind == "boolean" else text


def to_row(genre: str, record: Mapping[str, Any], signals: Signals) -> Row:
    """Returns the values of a day record in the columns of a volume. `signals` are all signals of the chain."""
    if genre == "meta":
        return meta_row(record, signals)
    return gold_row(record) if genre == "gold" else derived_row(record)


def in_order(genre: str, names: Sequence[str]) -> list[str]:
    """Returns the columns of values in the order in which tables have them, whatever file they come from."""
    return list(names) if genre == "meta" else sorted(names, key=lambda name: (name == "source", name))


def number(value: Any) -> float | None:
    return None if value is None else float(value)


def gold_row(record: Mapping[str, Any]) -> Row:
    metrics = {name: number(value) for name, value in record["metrics"].items()}
    return {**metrics, "source": record["source"]}


def derived_row(record: Mapping[str, Any]) -> Row:
    row: Row = {}
    for metric, values in record["metrics"].items():
        row |= {f"{metric}_{name}": number(values[name]) for name in SUMMARIES}
    ratios = ("fee_mean", "utilization", "block_interval_mean", "tx_per_active_address")
    row |= {name: number(record[name]) for name in ratios if name in record}
    extremes = (":".join(str(each[name]) for name in EXTREME) for each in record["extremes"])
    return row | {"extremes": " ".join(extremes) or None}


def meta_row(record: Mapping[str, Any], signals: Signals) -> Row:
    regime, confidence = record["regime"], record["confidence"]
    row: Row = {
        "regime": regime["label"],
        "regime_since": regime["since"],
        "run_days": regime["run_days"],
        "previous_regime": regime["previous_label"],
    }
    for axis, each in regime["axes"].items():
        row |= {f"{axis}_z": number(each["z"]), f"{axis}_level": each["level"]}
    row |= {"confidence": number(confidence["score"]), "confidence_level": confidence["level"]}
    for name in ("data_quality", "completeness", "depth", "density", "margin", "speed"):
        row[name] = number(confidence[name])
    row["missing_signals"] = " ".join(confidence["missing_signals"]) or None
    for dimension in dict.fromkeys(each["dimension"] for each in signals):
        each = record["scorecard"].get(dimension, {})
        row |= {
            f"{dimension}_score": number(each.get("score")),
            f"{dimension}_score_z": number(each.get("z")),
            f"{dimension}_score_level": each.get("level"),
            f"{dimension}_score_trend": each.get("trend"),
        }
    drivers = {driver["signal"]: driver for driver in record["drivers"]}
    for signal in (each["signal"] for each in signals):
        driver = drivers.get(signal, {})
        row |= {f"driver_{signal}_{name}": number(driver.get(name)) for name in DRIVER_VALUES}
    hashes = {"inputs_sha256": record["inputs_sha256"], "determinism_hash": regime["determinism_hash"]}
    return row | hashes
