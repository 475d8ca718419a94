"""Section 0 of the methodology: arithmetic."""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterable
from typing import Any

# A value parsed from JSON.
Json = Any


def total(values: Iterable[float]) -> float:
    """Returns the sum from 0, left to right. sum() compensates rounding errors from Python 3.12 on."""
    result = 0.0
    for value in values:
        result = result + value
    return result


def round_to(x: float, decimals: int) -> float:
    """Returns round2, round6 or round9 of x: floor(x * 10^decimals + 0.5) / 10^decimals."""
    power = float(10**decimals)
    shifted = x * power + 0.5
    return (math.floor(shifted) if math.isfinite(shifted) else shifted) / power


def significant(x: float, digits: int) -> float:
    """Returns sig9 of x for 9 digits: rounded half away from zero on the exact value of x."""
    context = decimal.Context(prec=digits, rounding=decimal.ROUND_HALF_UP)
    return float(context.create_decimal_from_float(x))


def clip(x: float, lower: float, upper: float) -> float:
    """Returns the value nearest to x within both bounds."""
    return min(upper, max(lower, x))


def median(values: Iterable[float]) -> float:
    """Returns the middle value, or the mean of the two middle values."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 == 1 else (ordered[half - 1] + ordered[half]) / 2
