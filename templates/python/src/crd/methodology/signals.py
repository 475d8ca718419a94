"""Sections 1 and 2 of the methodology: inputs and signals. Section 3: dimensions and axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from .arithmetic import Json, clip, median, round_to, total

Series = Sequence[float | None]
Pairs = Iterable[tuple[float, float | None]]
# The z of each dimension or axis; None if it is not available.
Zs = dict[str, float | None]


def form_of(methodology: Json, quantity: str, chain: str) -> Json:
    """Returns the formula of a quantity on a chain: numerator and denominators (metrics or constants)."""
    forms = methodology["quantities"][quantity]["forms"]
    return next(form for form in forms if chain in form["chains"])


def signals_of(methodology: Json, chain: str) -> list[Json]:
    """Returns the expected signals of a chain, in the order of the table in section 2."""
    return [definition for definition in methodology["signals"] if chain in definition["chains"]]


def inputs_of(methodology: Json, chain: str) -> list[str]:
    """Returns the methodology inputs of a chain: the metrics that its signals use, sorted."""
    names: set[str] = set()
    for definition in signals_of(methodology, chain):
        form = form_of(methodology, definition["signal"], chain)
        names.update(part for part in [form["numerator"], *form["denominators"]] if isinstance(part, str))
    return sorted(names)


def elasticity_of(form: Json, date: str) -> float:
    """Returns the factor of the numerator on a date: that of the last step that is not after it."""
    steps = [step["value"] for step in form.get("elasticity", []) if step["from"] is None or step["from"] <= date]
    return steps[-1] if steps else 1


def ratio(form: Json, metrics: Json, date: str) -> float | None:
    """Returns elasticity * numerator / (product of the denominators); None if a part is missing or it is not finite."""
    names = [form["numerator"], *form["denominators"]]
    parts = [metrics[part] if isinstance(part, str) else part for part in names]
    if None in parts:
        return None
    numerator, *denominators = parts
    numerator = elasticity_of(form, date) * numerator
    if not denominators:
        return float(numerator)
    divisor = denominators[0]
    for part in denominators[1:]:
        divisor = divisor * part
    quotient: float = numerator / divisor if divisor != 0 else math.inf
    return quotient if math.isfinite(quotient) else None


def transform(value: float | None, definition: Json) -> float | None:
    """Returns x(t): the value, or its ln for a signal with the transform ln; None if it is not above 0."""
    if value is None or definition["transform"] == "none":
        return value
    return math.log(value) if value > 0 else None


def window(values: Series, t: int, from_day: int, to_day: int) -> list[float]:
    """Returns the available values of the dates [t + from_day, t + to_day], except dates before the first."""
    return [v for v in values[max(0, t + from_day) : max(0, t + to_day + 1)] if v is not None]


def smooth(x: Series, t: int, rules: Json) -> float | None:
    """Returns s(t), the trimmed mean of a week (step 1)."""
    available = sorted(window(x, t, **rules["window"]))
    for trim in rules["trim"]:  # the first matching row applies
        if len(available) >= trim["min_values"]:
            kept = available[trim["drop_each_end"] : len(available) - trim["drop_each_end"]]
            return total(kept) / len(kept)
    return None


def baseline(s: Series, t: int, rules: Json, min_scale: float) -> tuple[int, float | None, float | None]:
    """Returns the number of s in the baseline window, their median m, and the scale (step 2)."""
    values = window(s, t, **rules["window"])
    if len(values) < rules["min_values"]:
        return len(values), None, None
    m = median(values)
    return len(values), m, max(rules["mad_factor"] * median([abs(v - m) for v in values]), min_scale)


def signal_series(methodology: Json, chain: str, definition: Json, metrics: Sequence[tuple[str, Json]]) -> Json:
    """Computes a signal for every date with its metrics: value, x, s, baseline m, number of s in its window, and z."""
    form = form_of(methodology, definition["signal"], chain)
    limit, decimals = methodology["z_limit"], methodology["rounding"]["signal_decimals"]
    value = [ratio(form, each, date) for date, each in metrics]
    x = [transform(each, definition) for each in value]
    s = [smooth(x, t, methodology["smoothing"]) for t in range(len(x))]
    base = [baseline(s, t, methodology["baseline"], definition["min_scale"]) for t in range(len(s))]
    z = [
        None
        if s_t is None or m is None or scale is None
        else clip(round_to((s_t - m) / scale, decimals), -limit, limit)
        for s_t, (_, m, scale) in zip(s, base)
    ]
    return {
        "definition": definition,
        "unit": methodology["quantities"][definition["signal"]]["unit"],
        "value": value,
        "x": x,
        "s": s,
        "m": [m for _, m, _ in base],
        "depth": [count for count, _, _ in base],
        "z": z,
    }


def weighted_mean(pairs: Pairs, decimals: int) -> float | None:
    """Returns round9((sum of weight * z) / (sum of weight)) over the available z; None without any."""
    available = [(weight, z) for weight, z in pairs if z is not None]
    if not available:
        return None
    weights = total(weight for weight, _ in available)
    return round_to(total(weight * z for weight, z in available) / weights, decimals)


def dimensions_of(signals: Sequence[Json], t: int, decimals: int) -> Zs:
    """Returns the z of each dimension that the chain has signals for."""
    pairs: dict[str, list[tuple[float, float | None]]] = {}
    for each in signals:
        definition = each["definition"]
        pairs.setdefault(definition["dimension"], []).append((definition["weight"], each["z"][t]))
    return {dimension: weighted_mean(own, decimals) for dimension, own in pairs.items()}


def axes_of(methodology: Json, dimensions: Zs, decimals: int) -> Zs:
    """Returns the z of both axes, with bounded capacity; None if a required dimension is missing."""
    axes = {}
    bound = methodology["pressure"]["capacity_bound"]
    capacity = dimensions.get("capacity")
    bounded = {**dimensions, "capacity": None if capacity is None else clip(capacity, -bound, bound)}
    for axis, parts in methodology["axes"].items():
        missing = [each for each in parts if each["required"] and dimensions.get(each["dimension"]) is None]
        pairs = [(each["weight"], bounded.get(each["dimension"])) for each in parts]
        axes[axis] = None if missing else weighted_mean(pairs, decimals)
    return axes
