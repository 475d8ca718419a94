"""
Computes many series with the methodology of the Python client. Reads a line of JSON per series, and prints one for each: a
list with the label, the determinism hash and the digest of the derived record (see below) of each date.

A series has `chain`, `methodology`, `dates`, `present` and `metrics` (a list per metric, one value per date), the `supported`
metrics of the chain, and `derived`, which is false if no derived records are wanted.
"""

import bisect
import json
import multiprocessing
import os
import sys
import types

SOURCES = os.path.join(os.path.dirname(__file__), "../../../templates/python/src/crd")

# The package without the modules of `crd` itself, which need the library for requests.
package = types.ModuleType("crd")
package.__path__ = [SOURCES]
sys.modules["crd"] = package

from crd.canonical import sha256  # noqa: E402
from crd.methodology.arithmetic import round_to, significant, total  # noqa: E402
from crd.methodology.days import Days  # noqa: E402
from crd.methodology.chain import Chain  # noqa: E402
from crd.methodology.records import record_of  # noqa: E402
from crd.methodology.signals import form_of, inputs_of, ratio, window  # noqa: E402


def gold_of(series: dict) -> Days:
    def value_of(name: str, t: int) -> float | None:
        column = series["metrics"].get(name)
        value = column[t] if column is not None and series["present"][t] else None
        return None if value is None else float(value)

    names = {*series["supported"], *inputs_of(series["methodology"], series["chain"])}
    return {
        date: {"metrics": {name: value_of(name, t) for name in names}, "source": {} if series["present"][t] else None}
        for t, date in enumerate(series["dates"])
    }


def mean_of(values: list, t: int, rules: dict) -> float | None:
    available = window(values, t, 1 - rules["days"], 0) if t >= 0 else []
    return total(available) / len(available) if len(available) >= rules["min_values"] else None


def derived_of(series: dict, gold: Days) -> list[str]:
    """Returns the digest of the metrics and ratios of each derived record. Source: methodology v1, section 11."""
    methodology, chain = series["methodology"], series["chain"]
    rules, rounding = methodology["derived"], methodology["rounding"]
    columns = {name: [day["metrics"][name] for day in gold.values()] for name in series["supported"]}

    def rounded(value: float | None) -> float | None:
        return None if value is None else significant(value, rounding["significant_digits"])

    def relative(now: float | None, then: float | None) -> float | None:
        if now is None or then is None or then == 0:
            return None
        return round_to(now / then - 1, rounding["combined_decimals"])

    def change(values: list, t: int, name: str) -> float | None:
        mean = rules[rules[name]["mean"]]
        return relative(mean_of(values, t, mean), mean_of(values, t - rules[name]["lag_days"], mean))

    def extremes(name: str, values: list) -> list[list[dict]]:
        """Returns the extremes of each date, from the sorted values up to it."""
        limits, history = rules["extremes"], []
        days = []
        for t, own in enumerate(values):
            distance = relative(own, mean_of(values, t, rules["ma30"]))
            if distance is None or abs(distance) < limits["min_distance"]:
                days.append([])
            else:
                year = sorted(window(values, t, 1 - limits["year"]["days"], -1))
                days.append(extremes_of(name, values[: t + 1], (("history", history), ("365d", year))))
            if own is not None:
                bisect.insort(history, own)
        return days

    def extremes_of(name: str, values: list, windows: tuple) -> list[dict]:
        limits, own, found = rules["extremes"], values[-1], []
        for kind in ("highest", "lowest"):
            for label, others in windows:
                below, above = bisect.bisect_left(others, own), len(others) - bisect.bisect_right(others, own)
                rank, compared = 1 + (above if kind == "highest" else below), len(others) + 1
                is_tied = below + above < len(others)
                minimum = limits["year" if label == "365d" else label]["min_values"]
                if is_tied or rank > limits["max_rank"] or compared < minimum:
                    continue
                entry = {"quantity": name, "kind": kind, "window": label, "rank": rank, "compared": compared}
                earlier = [(date, value) for date, value in zip(dates, values[:-1]) if value is not None]
                reached = [date for date, value in earlier if (value >= own if kind == "highest" else value <= own)]
                found.append({**entry, "last_reached": reached[-1] if reached else None})
        return found

    def rank(values: list, t: int) -> float | None:
        own, year = values[t], window(values, t, 1 - rules["percentile_365d"]["days"], 0)
        if own is None or len(year) < rules["percentile_365d"]["min_values"]:
            return None
        below = len([value for value in year if value < own]) + year.count(own) * rules["equal_share"]
        return round_to(below / len(year), rounding["combined_decimals"])

    def ratios(date: str, metrics: dict) -> dict:
        quantities = methodology["quantities"]
        own = [name for name in rules["ratios"] if any(chain in form["chains"] for form in quantities[name]["forms"])]
        return {name: rounded(ratio(form_of(methodology, name, chain), metrics, date)) for name in own}

    def summary(values: list, t: int) -> dict:
        return {
            "ma7": rounded(mean_of(values, t, rules["ma7"])),
            "ma30": rounded(mean_of(values, t, rules["ma30"])),
            "change_1d": relative(values[t], values[t - 1] if t > 0 else None),
            "change_7d": change(values, t, "change_7d"),
            "change_30d": change(values, t, "change_30d"),
            "percentile_365d": rank(values, t),
        }

    dates = list(gold)
    published = [ratios(date, day["metrics"]) for date, day in gold.items()]
    ranked = columns | {
        name: [day[name] for day in published] for name in rules["extremes"]["ratios"] if name in published[0]
    }
    extreme = [extremes(name, column) for name, column in ranked.items()]
    return [
        sha256(
            {
                "metrics": {name: summary(column, t) for name, column in columns.items()},
                **published[t],
                "extremes": [each for days in extreme for each in days[t]],
            }
        ).hex()
        for t in range(len(dates))
    ]


def compute(line: str) -> str:
    series = json.loads(line)
    gold = gold_of(series)
    chain = Chain(series["methodology"], series["chain"], gold)
    state = {"axes": {}, "dimensions": {}, "run": None}
    derived = derived_of(series, gold) if series["derived"] else [None] * len(gold)
    days = []
    for t in range(len(chain.dates)):
        record, state = record_of(chain, t, state)
        days.append([record["regime"]["label"], sha256(record).hex(), derived[t]])
    return json.dumps(days)


if __name__ == "__main__":
    with multiprocessing.Pool() as pool:
        for result in pool.imap(compute, sys.stdin, chunksize=1):
            print(result)
