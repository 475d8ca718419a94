"""Sections 9 and 10 of the methodology: the record of a day, and its hash."""

from __future__ import annotations

from typing import Any

from ..canonical import csv_number, sha256
from .arithmetic import Json
from .chain import Chain
from .labels import confidence_of, data_quality, label_of, next_levels, next_run
from .scorecard import drivers_of, scorecard_of

COLUMNS = ("date", "chain", "regime", "confidence", "determinism_hash")
Result = tuple[str, str, str, str, str]


def status_of(has_row: bool, label: str) -> str:
    if not has_row:
        return "missing"
    return "degraded" if label == "indeterminate" else "available"


def record_of(chain: Chain, t: int, state: Json) -> tuple[Json, Json]:
    """Returns the members of a meta record that its hash covers, and the state for the next date."""
    methodology, axes = chain.methodology, chain.axes[t]
    quality = data_quality(methodology, chain.signals, t)
    levels = next_levels(state["axes"], axes, methodology["levels"])
    dimension_levels = next_levels(state["dimensions"], chain.dimensions[t], methodology["levels"])
    label = label_of(methodology, axes, levels, chain.metrics[t], quality["data_quality"])
    run = next_run(state["run"], chain.dates[t], label)
    record = {
        "schema": "meta-day/1",
        "chain": chain.name,
        "date": chain.dates[t],
        "methodology_version": methodology["version"],
        "status": status_of(chain.has_row[t], label),
        "regime": {
            **run,
            "axes": {axis: {"z": z, "level": None if z is None else levels[axis]} for axis, z in axes.items()},
        },
        "confidence": confidence_of(chain, t, run, levels, quality),
        "scorecard": scorecard_of(chain, t, dimension_levels),
        "drivers": drivers_of(chain, t),
        "methodology": {
            "version": methodology["version"],
            "sha256": chain.methodology_sha256,
            "path": "/api/v1/methodology/{}.json".format(methodology["version"]),
        },
        "inputs_sha256": chain.inputs_sha256(t),
    }
    return record, {"axes": levels, "dimensions": dimension_levels, "run": run}


def recompute(chain: Chain, start: Any) -> list[Result]:
    """Returns a row of COLUMNS for every date, or for every date after `start`, a date and its state."""
    date, state = start or (None, {"axes": {}, "dimensions": {}, "run": None})
    rows = []
    for t in range(0 if date is None else chain.dates.index(date) + 1, len(chain.dates)):
        record, state = record_of(chain, t, state)
        is_labelled = record["regime"]["label"] != "indeterminate"
        score = csv_number(record["confidence"]["score"]) if is_labelled else ""
        rows.append((record["date"], chain.name, record["regime"]["label"], score, sha256(record).hex()))
    return rows


def state_of(record: Json) -> Json:
    """Returns the state that a published meta record carries over to the next day (section 9)."""
    regime = record["regime"]
    return {
        "axes": {axis: each["level"] or "normal" for axis, each in regime["axes"].items()},
        "dimensions": {name: each["level"] or "normal" for name, each in record["scorecard"].items()},
        "run": {name: regime[name] for name in ("label", "since", "run_days", "previous_label")},
    }
