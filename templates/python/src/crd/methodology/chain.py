"""Sections 1 to 3 and 10 of the methodology for all dates of a chain: signals, axes, and the digest of inputs."""

from __future__ import annotations

import hashlib

from ..canonical import sha256
from .arithmetic import Json
from .days import Days
from .signals import axes_of, dimensions_of, inputs_of, signal_series, signals_of


class Chain:
    """The values of every date that do not depend on the levels and the run of the day before."""

    def __init__(self, methodology: Json, name: str, gold: Days) -> None:
        decimals = methodology["rounding"]["combined_decimals"]
        inputs = inputs_of(methodology, name)
        self.methodology = methodology
        self.methodology_sha256 = sha256(methodology).hex()
        self.name = name
        self.dates = list(gold)
        self.has_row = [day["source"] is not None for day in gold.values()]
        self.metrics = [{each: day["metrics"][each] for each in inputs} for day in gold.values()]
        self.digests = [
            sha256({"chain": name, "date": date, "metrics": metrics}) for date, metrics in zip(self.dates, self.metrics)
        ]
        dated = list(zip(self.dates, self.metrics))
        self.signals = [
            signal_series(methodology, name, definition, dated) for definition in signals_of(methodology, name)
        ]
        self.dimensions = [dimensions_of(self.signals, t, decimals) for t in range(len(gold))]
        self.axes = [axes_of(methodology, each, decimals) for each in self.dimensions]

    def inputs_sha256(self, t: int) -> str:
        """Returns the digest of the digests of the last 385 dates, or of all dates if there are fewer."""
        days = self.methodology["determinism"]["input_days"]
        return hashlib.sha256(b"".join(self.digests[max(0, t + 1 - days) : t + 1])).hexdigest()
