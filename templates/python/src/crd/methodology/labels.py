"""Sections 4 and 5 of the methodology: levels and label. Sections 6 and 7: data quality and confidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .arithmetic import Json, clip, round_to, total
from .chain import Chain
from .signals import Zs, window

Levels = dict[str, str]


def next_level(level: str, z: float | None, band: Json) -> str:
    """Returns the level of a day from the level of the day before: entered at 1.0, left inside 0.3."""
    if z is None:
        return "normal"
    if (level == "high" and z < band["exit"]) or (level == "low" and z > -band["exit"]):
        level = "normal"
    if z >= band["enter"]:
        return "high"
    return "low" if z <= -band["enter"] else level


def next_levels(levels: Levels, z: Zs, band: Json) -> Levels:
    """Returns the levels of all axes or dimensions; each starts at normal."""
    return {name: next_level(levels.get(name, "normal"), each, band) for name, each in z.items()}


def label_of(methodology: Json, axes: Zs, levels: Levels, metrics: Json, quality: float) -> str:
    """Returns the label: indeterminate without both axes, any input of the day, or enough data quality."""
    evidence = None not in axes.values() and any(value is not None for value in metrics.values())
    if not evidence or quality < methodology["data_quality"]["minimum"]:
        return "indeterminate"
    return str(methodology["labels"][levels["demand"]][levels["pressure"]])


def next_run(run: Json | None, date: str, label: str) -> Json:
    """Returns the run of equal labels at a date: the run of the day before continued, or a new one."""
    if run is not None and run["label"] == label:
        return {**run, "run_days": run["run_days"] + 1}
    previous = None if run is None else run["label"]
    return {"label": label, "since": date, "run_days": 1, "previous_label": previous}


def data_quality(methodology: Json, signals: Sequence[Json], t: int) -> dict[str, float]:
    """Returns data_quality, completeness, depth and density of a date."""
    rules, decimals = methodology["data_quality"], methodology["rounding"]["combined_decimals"]

    def weighted(share: Callable[[Json], float]) -> float:
        return total(each["definition"]["weight"] * share(each) for each in signals)

    def recent(days: int) -> float:
        return weighted(lambda each: len(window(each["x"], t, 1 - days, 0)) / days)

    sums = {
        "completeness": recent(rules["completeness"]["days"]),
        "depth": weighted(lambda each: min(1, each["depth"][t] / rules["depth"]["values"])),
        "density": recent(rules["density"]["days"]),
    }
    weights = total(each["definition"]["weight"] for each in signals)
    quality = total(rules[name]["weight"] * sums[name] for name in sums) / weights
    published = {name: round_to(sums[name] / weights, decimals) for name in sums}
    return {"data_quality": round_to(quality, decimals), **published}


def margin_of(axes: Zs, levels: Levels, band: Json, decimals: int) -> float | None:
    """Returns the distance to the nearest boundary that would change a level; None if an axis is missing."""
    available = {axis: z for axis, z in axes.items() if z is not None}
    if len(available) < len(axes):
        return None
    distances = []
    for axis, z in available.items():
        ways = {"normal": band["enter"] - abs(z), "high": z - band["exit"], "low": -z - band["exit"]}
        distances.append(round_to(ways[levels[axis]], decimals))
    return min(distances)


def speed_of(axes: Zs, week_ago: Zs, decimals: int) -> float:
    """Returns the larger change of an axis within a week, over the axes available on both days."""
    both = [(z, week_ago[axis]) for axis, z in axes.items()]
    moves = [now - then for now, then in both if now is not None and then is not None]
    return max([abs(round_to(move, decimals)) for move in moves], default=0)


def missing_shares(signals: Sequence[Json], t: int) -> dict[str, float]:
    """Returns the share of each dimension's weight that is of missing signals, for the dimensions that have signals."""

    def weight(dimension: str, is_counted: Callable[[Json], bool]) -> float:
        own = [each for each in signals if each["definition"]["dimension"] == dimension]
        return total(each["definition"]["weight"] for each in own if is_counted(each))

    return {
        dimension: weight(dimension, lambda each: each["z"][t] is None) / weight(dimension, lambda _: True)
        for dimension in dict.fromkeys(each["definition"]["dimension"] for each in signals)
    }


def score_of(methodology: Json, run: Json, margin: float | None, speed: float, missing: dict[str, float]) -> float:
    """
    Returns the calibrated probability that hindsight gives the same label, reduced for missing signals; 0 without a
    label.
    """
    rules = methodology["confidence"]
    if run["label"] == "indeterminate" or margin is None:
        return float(rules["indeterminate_score"])
    exponent = (
        rules["intercept"]
        + rules["margin"] * clip(margin, 0, rules["margin_limit"])
        + rules["run"] * (min(run["run_days"], rules["run_limit_days"]) / rules["run_limit_days"])
        + rules["speed"] * min(rules["speed_limit"], speed)
    )
    score = 1 / (1 + math.exp(-exponent))
    for dimension in ("demand", "cost", "capacity"):
        score = score * (1 - rules["missing"][dimension] * missing.get(dimension, 0))
    return round_to(score, methodology["rounding"]["confidence_decimals"])


def confidence_of(chain: Chain, t: int, run: Json, levels: Levels, quality: dict[str, float]) -> Json:
    methodology, axes = chain.methodology, chain.axes[t]
    rules, decimals = methodology["confidence"], methodology["rounding"]["combined_decimals"]
    margin = margin_of(axes, levels, methodology["levels"], decimals)
    speed = speed_of(axes, before(chain.axes, t, rules["speed_lag_days"]), decimals)
    score = score_of(methodology, run, margin, speed, missing_shares(chain.signals, t))
    level = level_of(rules, score)
    missing = [each["definition"]["signal"] for each in chain.signals if each["z"][t] is None]
    published = {"score": score, "level": level, **quality, "margin": margin, "speed": speed}
    return {**published, "missing_signals": missing}


def level_of(rules: Json, score: float) -> str:
    """Returns the highest level that the score allows."""
    for each in rules["levels"]:
        if score >= each["min_score"]:
            return str(each["level"])
    return "low"


def before(series: Sequence[Json], t: int, days: int) -> Json:
    """Returns the element of a series some days before date t; all missing before the first date."""
    return series[t - days] if t >= days else dict.fromkeys(series[t])
