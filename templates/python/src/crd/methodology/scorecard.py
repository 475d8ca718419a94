"""Section 8 of the methodology: scorecard and drivers."""

from __future__ import annotations

import math

from .arithmetic import Json, clip, round_to, significant, total
from .chain import Chain
from .labels import Levels, before


def scorecard_of(chain: Chain, t: int, levels: Levels) -> Json:
    """Returns score, z, level and trend of each dimension that the chain has signals for."""
    now = chain.dimensions[t]
    then = before(chain.dimensions, t, chain.methodology["scorecard"]["trend_lag_days"])
    return {
        each: {
            "score": dimension_score(chain.methodology, z),
            "z": z,
            "level": None if z is None else levels[each],
            "trend": trend_of(chain.methodology, z, then[each]),
        }
        for each, z in now.items()
    }


def dimension_score(methodology: Json, z: float | None) -> float | None:
    """Returns the score from 0 to 100, where 50 is typical of the last year."""
    rules = methodology["scorecard"]
    if z is None:
        return None
    score = rules["scale"] / (1 + math.exp(-rules["slope"] * z))
    return round_to(score, methodology["rounding"]["score_decimals"])


def trend_of(methodology: Json, z: float | None, week_ago: float | None) -> str | None:
    if z is None or week_ago is None:
        return None
    move = round_to(z - week_ago, methodology["rounding"]["combined_decimals"])
    threshold = methodology["scorecard"]["trend_threshold"]
    return "rising" if move >= threshold else "falling" if move <= -threshold else "flat"


def drivers_of(chain: Chain, t: int) -> list[Json]:
    """Returns the signals that move an available axis, strongest first."""
    drivers = []
    for axis, parts in chain.methodology["axes"].items():
        if chain.axes[t][axis] is not None:
            present = [part for part in parts if chain.dimensions[t].get(part["dimension"]) is not None]
            shares = total(part["weight"] for part in present)
            for part in present:
                drivers += dimension_drivers(chain, t, part["dimension"], part["weight"] / shares)
    return sorted(drivers, key=lambda each: (-abs(each["contribution"]), each["signal"]))


def dimension_drivers(chain: Chain, t: int, dimension: str, share: float) -> list[Json]:
    """Returns the drivers of one dimension, which has this share of its axis."""
    available = [
        each for each in chain.signals if each["definition"]["dimension"] == dimension and each["z"][t] is not None
    ]
    weights = total(each["definition"]["weight"] for each in available)
    bound = chain.methodology["pressure"]["capacity_bound"] if dimension == "capacity" else math.inf
    return [
        driver(chain.methodology["rounding"], each, t, (each["definition"]["weight"] / weights) * share, bound)
        for each in available
        if each["z"][t] != 0
    ]


def driver(rounding: Json, signal: Json, t: int, factor: float, bound: float) -> Json:
    definition, z = signal["definition"], signal["z"][t]

    def published(value: float) -> float:
        return significant(value, rounding["significant_digits"])

    def in_unit(value: float) -> float:
        return published(math.exp(value) if definition["transform"] == "ln" else value)

    return {
        "dimension": definition["dimension"],
        "signal": definition["signal"],
        "direction": "up" if z > 0 else "down",
        "z": z,
        "contribution": round_to(factor * clip(z, -bound, bound), rounding["combined_decimals"]),
        "value": None if signal["x"][t] is None else published(signal["value"][t]),
        "smoothed": in_unit(signal["s"][t]),
        "baseline": in_unit(signal["m"][t]),
        "unit": signal["unit"],
    }
