#!/usr/bin/env python3
"""Recomputes the regimes of a chain from its gold days, and compares them with the published ones.

This program follows the text /api/v1/methodology/v1.md; "section 2" below is section 2 of that text. Every
threshold comes from the data, /api/v1/methodology/v1.json. It needs Python 3.9 or later, and no packages,
network or key. The last section of the text explains how to download the files.

  python3 recompute.py --methodology v1.json mirror/gold/base > base.csv
  python3 recompute.py --methodology v1.json mirror/gold/base --compare regime-calendar

The first command prints date,chain,regime,confidence,determinism_hash of every date as CSV. The second one
prints "N dates compared, M differ", and lists the first dates that differ on stderr.

Exit codes: 0 done, and nothing differs; 1 a date differs; 2 a file or an argument is wrong.
"""

import argparse
import csv
import datetime
import decimal
import hashlib
import json
import math
import os
import re
import sys

COLUMNS = ("date", "chain", "regime", "confidence", "determinism_hash")
MAX_LISTED = 10  # number of differing dates that are listed


class Fault(Exception):
    """An error in a file or an argument. Its message names the file and says what to do."""


# --- Section 0: arithmetic ---------------------------------------------------------------------------


def total(values):
    """Returns the sum from 0, left to right. sum() compensates rounding errors from Python 3.12 on."""
    result = 0.0
    for value in values:
        result = result + value
    return result


def round_to(x, decimals):
    """Returns round2, round6 or round9 of x: floor(x * 10^decimals + 0.5) / 10^decimals."""
    power = float(10**decimals)
    shifted = x * power + 0.5
    return (math.floor(shifted) if math.isfinite(shifted) else shifted) / power


def significant(x, digits):
    """Returns sig9 of x for 9 digits: rounded half away from zero on the exact value of x."""
    context = decimal.Context(prec=digits, rounding=decimal.ROUND_HALF_UP)
    return float(context.create_decimal_from_float(x))


def clip(x, lower, upper):
    """Returns the value nearest to x within both bounds."""
    return min(upper, max(lower, x))


def median(values):
    """Returns the middle value, or the mean of the two middle values."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 == 1 else (ordered[half - 1] + ordered[half]) / 2


# --- RFC 8785: the canonical form of a JSON value, whose bytes are hashed ----------------------------


def canonical(value):
    """Returns the RFC 8785 form of a value: members sorted by UTF-16 code units, no white space."""
    if value is None or isinstance(value, (bool, str)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (int, float)):
        return number_text(float(value))
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"


def number_text(x):
    """Formats a finite double like ECMAScript: the shortest digits that read back as x, such as 9.44e-7."""
    if x == 0:
        return "0"
    sign, figures, exponent = decimal.Decimal(repr(x)).as_tuple()  # repr() has the same shortest digits
    digits = "".join(map(str, figures)).rstrip("0")
    point = len(figures) + exponent  # number of digits before the point
    return ("-" if sign else "") + place_point(digits, point)


def place_point(digits, point):
    """Inserts the decimal point: plain notation from 1e-6 up to 1e21, an exponent otherwise."""
    if 0 < point <= 21:
        whole = digits[:point].ljust(point, "0")
        return whole + "." + digits[point:] if len(digits) > point else whole
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    return digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + "e%+d" % (point - 1)


def sha256(value):
    """Returns the 32 bytes of the SHA-256 of the RFC 8785 form of a value."""
    return hashlib.sha256(canonical(value).encode("utf-8")).digest()


# --- Files -------------------------------------------------------------------------------------------


def parse_number(text):
    """Parses a JSON number as a double (section 1). RFC 8785 requires a finite one."""
    x = float(text)
    if not math.isfinite(x):
        raise ValueError("%s is not a finite double" % text)
    return x


def read_text(file):
    try:
        with open(file, encoding="utf-8", newline="") as stream:
            return stream.read()
    except OSError as error:
        raise Fault("%s cannot be read: %s. Check the path." % (file, error.strerror))
    except UnicodeDecodeError:
        raise Fault("%s is not UTF-8 text. Download it again." % file)


def read_json(file, parse_whole=parse_number):
    """Reads the object in a JSON file."""
    text = read_text(file)
    try:
        value = json.loads(
            text, parse_int=parse_whole, parse_float=parse_number, parse_constant=parse_number
        )
    except (ValueError, RecursionError) as error:
        raise Fault("%s is not valid JSON: %s. Download it again." % (file, error))
    if not isinstance(value, dict):
        raise Fault("%s does not contain a JSON object. Use a file as downloaded from the service." % file)
    return value


def date_of(text):
    """Parses a date such as 2024-02-29; returns None for any other text."""
    try:
        return datetime.date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else None
    except (TypeError, ValueError):
        return None


def shift(text, days):
    """Returns the date that is so many days after another one."""
    return (date_of(text) + datetime.timedelta(days)).isoformat()


def read_days(paths, genre):
    """Reads the day records of one genre from folders, day files and bundles; returns them by date."""
    days = {}
    chain = None
    for file, day in (found for path in paths for found in list_days(path, genre)):
        if day.get("schema") != genre + "-day/1" or date_of(day.get("date")) is None:
            raise Fault("%s is not a %s day. Use day files or bundles of that genre." % (file, genre))
        chain = chain or day.get("chain")
        if day.get("chain") != chain:
            raise Fault("%s belongs to another chain than %s. Use the files of one chain." % (file, chain))
        if days.setdefault(day["date"], day) != day:
            raise Fault("%s has another %s than an earlier file. Use only one." % (file, day["date"]))
    if not days:
        raise Fault("%s has no %s days. Use a folder with files named YYYY-MM-DD.json." % (paths[0], genre))
    return dict(sorted(days.items()))


def list_days(path, genre):
    """Yields the records at a path, each with the file that it comes from."""
    if os.path.isdir(path):
        for name in sorted(os.listdir(path)):
            if re.fullmatch(r"\d{4}-\d\d-\d\d\.json", name):
                file = os.path.join(path, name)
                day = read_json(file)
                if day.get("date") != name[:10]:
                    raise Fault("%s contains the date %s. Download it again." % (file, day.get("date")))
                yield file, day
        return
    content = read_json(path)
    if content.get("schema") != "bundle/1":
        yield path, content
    elif content.get("genre") != genre or not isinstance(content.get("days"), list):
        raise Fault("%s is not a bundle of %s days. Use a bundle of that genre." % (path, genre))
    else:
        for day in content["days"]:
            yield path, day if isinstance(day, dict) else {}


def read_methodology(file):
    """Reads the thresholds. Whole numbers stay integers, because they count days and decimals."""
    data = read_json(file, parse_whole=int)
    if data.get("schema") != "methodology/1":
        raise Fault("%s is not the methodology. Download /api/v1/methodology/v1.json." % file)
    return data


def check_gold(days, methodology, chain):
    """Checks that every date from the first to the last has a record with all methodology inputs."""
    if all(chain not in definition["chains"] for definition in methodology["signals"]):
        raise Fault("the methodology has no chain %s. Use gold days of a chain that it has." % chain)
    first, last = min(days), max(days)
    dates = [shift(first, n) for n in range((date_of(last) - date_of(first)).days + 1)]
    missing = [date for date in dates if date not in days]
    if missing:
        raise Fault(
            "from %s to %s, %d gold days are missing, the first on %s. A date without values has a file too."
            " Download the missing files." % (first, last, len(missing), missing[0])
        )
    for date, day in days.items():
        check_metrics(date, day, inputs_of(methodology, chain))


def check_metrics(date, day, inputs):
    metrics = day.get("metrics")
    if not isinstance(metrics, dict) or "source" not in day:
        raise Fault("the gold day %s is incomplete. Download it again." % date)
    for name in inputs:
        if name not in metrics:
            raise Fault("the gold day %s has no %s. Download it again." % (date, name))
        value = metrics[name]
        if value is not None and not isinstance(value, float):
            raise Fault("the gold day %s: %s is %s. Download it again." % (date, name, json.dumps(value)))


# --- Sections 1 and 2: inputs and signals ------------------------------------------------------------


def form_of(methodology, quantity, chain):
    """Returns the formula of a quantity on a chain: numerator and denominators (metrics or constants)."""
    forms = methodology["quantities"][quantity]["forms"]
    return next(form for form in forms if chain in form["chains"])


def signals_of(methodology, chain):
    """Returns the expected signals of a chain, in the order of the table in section 2."""
    return [definition for definition in methodology["signals"] if chain in definition["chains"]]


def inputs_of(methodology, chain):
    """Returns the methodology inputs of a chain: the metrics that its signals use, sorted."""
    names = set()
    for definition in signals_of(methodology, chain):
        form = form_of(methodology, definition["signal"], chain)
        names.update(part for part in [form["numerator"], *form["denominators"]] if isinstance(part, str))
    return sorted(names)


def ratio(form, metrics):
    """Returns numerator / (product of the denominators); None if a part is missing or it is not finite."""
    names = [form["numerator"], *form["denominators"]]
    parts = [metrics[part] if isinstance(part, str) else part for part in names]
    if None in parts:
        return None
    numerator, *denominators = parts
    if not denominators:
        return numerator
    divisor = denominators[0]
    for part in denominators[1:]:
        divisor = divisor * part
    quotient = numerator / divisor if divisor != 0 else math.inf
    return quotient if math.isfinite(quotient) else None


def transform(value, definition):
    """Returns x(t): the value, or its ln for a signal with the transform ln; None if it is not above 0."""
    if value is None or definition["transform"] == "none":
        return value
    return math.log(value) if value > 0 else None


def window(values, t, from_day, to_day):
    """Returns the available values of the dates [t + from_day, t + to_day], except dates before the first."""
    return [v for v in values[max(0, t + from_day) : max(0, t + to_day + 1)] if v is not None]


def smooth(x, t, rules):
    """Returns s(t), the trimmed mean of a week (step 1)."""
    available = sorted(window(x, t, **rules["window"]))
    for trim in rules["trim"]:  # the first matching row applies
        if len(available) >= trim["min_values"]:
            kept = available[trim["drop_each_end"] : len(available) - trim["drop_each_end"]]
            return total(kept) / len(kept)
    return None


def baseline(s, t, rules, min_scale):
    """Returns the number of s in the baseline window, their median m, and the scale (step 2)."""
    values = window(s, t, **rules["window"])
    if len(values) < rules["min_values"]:
        return len(values), None, None
    m = median(values)
    return len(values), m, max(rules["mad_factor"] * median([abs(v - m) for v in values]), min_scale)


def signal_series(methodology, chain, definition, metrics):
    """Computes a signal for every date: value, x, s, baseline m, number of s in its window, and z."""
    form = form_of(methodology, definition["signal"], chain)
    limit, decimals = methodology["z_limit"], methodology["rounding"]["signal_decimals"]
    value = [ratio(form, each) for each in metrics]
    x = [transform(each, definition) for each in value]
    s = [smooth(x, t, methodology["smoothing"]) for t in range(len(x))]
    base = [baseline(s, t, methodology["baseline"], definition["min_scale"]) for t in range(len(s))]
    z = [
        None if s_t is None or m is None else clip(round_to((s_t - m) / scale, decimals), -limit, limit)
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


# --- Section 3: dimensions and axes ------------------------------------------------------------------


def weighted_mean(pairs, decimals):
    """Returns round9((sum of weight * z) / (sum of weight)) over the available z; None without any."""
    available = [(weight, z) for weight, z in pairs if z is not None]
    if not available:
        return None
    weights = total(weight for weight, _ in available)
    return round_to(total(weight * z for weight, z in available) / weights, decimals)


def dimensions_of(signals, t, decimals):
    """Returns the z of each dimension that the chain has signals for."""
    pairs = {}
    for each in signals:
        definition = each["definition"]
        pairs.setdefault(definition["dimension"], []).append((definition["weight"], each["z"][t]))
    return {dimension: weighted_mean(own, decimals) for dimension, own in pairs.items()}


def axes_of(methodology, dimensions, decimals):
    """Returns the z of both axes; None if a required dimension is missing (for pressure: cost)."""
    axes = {}
    for axis, parts in methodology["axes"].items():
        missing = [each for each in parts if each["required"] and dimensions.get(each["dimension"]) is None]
        pairs = [(each["weight"], dimensions.get(each["dimension"])) for each in parts]
        axes[axis] = None if missing else weighted_mean(pairs, decimals)
    return axes


# --- Sections 4 and 5: levels and label --------------------------------------------------------------


def next_level(level, z, band):
    """Returns the level of a day from the level of the day before: entered at 1.0, left inside 0.3."""
    if z is None:
        return "normal"
    if (level == "high" and z < band["exit"]) or (level == "low" and z > -band["exit"]):
        level = "normal"
    if z >= band["enter"]:
        return "high"
    return "low" if z <= -band["enter"] else level


def next_levels(levels, z, band):
    """Returns the levels of all axes or dimensions; each starts at normal."""
    return {name: next_level(levels.get(name, "normal"), each, band) for name, each in z.items()}


def label_of(methodology, axes, levels, metrics, quality):
    """Returns the label: indeterminate without both axes, any input of the day, or enough data quality."""
    evidence = None not in axes.values() and any(value is not None for value in metrics.values())
    if not evidence or quality < methodology["data_quality"]["minimum"]:
        return "indeterminate"
    return methodology["labels"][levels["demand"]][levels["pressure"]]


def next_run(run, date, label):
    """Returns the run of equal labels at a date: the run of the day before continued, or a new one."""
    if run is not None and run["label"] == label:
        return {**run, "run_days": run["run_days"] + 1}
    previous = None if run is None else run["label"]
    return {"label": label, "since": date, "run_days": 1, "previous_label": previous}


# --- Sections 6 and 7: data quality and confidence ---------------------------------------------------


def data_quality(methodology, signals, t):
    """Returns data_quality, completeness, depth and density of a date."""
    rules, decimals = methodology["data_quality"], methodology["rounding"]["combined_decimals"]

    def weighted(share):
        return total(each["definition"]["weight"] * share(each) for each in signals)

    def recent(days):
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


def margin_of(axes, levels, band, decimals):
    """Returns the distance to the nearest boundary that would change a level; None if an axis is missing."""
    if None in axes.values():
        return None
    distances = []
    for axis, z in axes.items():
        ways = {"normal": band["enter"] - abs(z), "high": z - band["exit"], "low": -z - band["exit"]}
        distances.append(round_to(ways[levels[axis]], decimals))
    return min(distances)


def speed_of(axes, week_ago, decimals):
    """Returns the larger change of an axis within a week, over the axes available on both days."""
    both = [(z, week_ago[axis]) for axis, z in axes.items() if None not in (z, week_ago[axis])]
    return max([abs(round_to(now - then, decimals)) for now, then in both], default=0)


def score_of(methodology, run, margin, speed):
    """Returns the calibrated probability that hindsight gives the same label; 0 without a label."""
    rules = methodology["confidence"]
    if run["label"] == "indeterminate":
        return rules["indeterminate_score"]
    exponent = (
        rules["intercept"]
        + rules["margin"] * clip(margin, 0, rules["margin_limit"])
        + rules["run"] * (min(run["run_days"], rules["run_limit_days"]) / rules["run_limit_days"])
        + rules["speed"] * min(rules["speed_limit"], speed)
    )
    return round_to(1 / (1 + math.exp(-exponent)), methodology["rounding"]["confidence_decimals"])


def confidence_of(chain, t, run, levels, quality):
    methodology, axes = chain.methodology, chain.axes[t]
    rules, decimals = methodology["confidence"], methodology["rounding"]["combined_decimals"]
    margin = margin_of(axes, levels, methodology["levels"], decimals)
    speed = speed_of(axes, before(chain.axes, t, rules["speed_lag_days"]), decimals)
    score = score_of(methodology, run, margin, speed)
    level = level_of(rules, score, quality["data_quality"])
    missing = [each["definition"]["signal"] for each in chain.signals if each["z"][t] is None]
    published = {"score": score, "level": level, **quality, "margin": margin, "speed": speed}
    return {**published, "missing_signals": missing}


def level_of(rules, score, quality):
    """Returns the highest level that both the score and the data quality allow."""
    for each in rules["levels"]:
        if score >= each["min_score"] and quality >= each["min_data_quality"]:
            return each["level"]
    return "low"


def before(series, t, days):
    """Returns the element of a series some days before date t; all missing before the first date."""
    return series[t - days] if t >= days else dict.fromkeys(series[t])


# --- Section 8: scorecard and drivers ----------------------------------------------------------------


def scorecard_of(chain, t, levels):
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


def dimension_score(methodology, z):
    """Returns the score from 0 to 100, where 50 is typical of the last year."""
    rules = methodology["scorecard"]
    if z is None:
        return None
    score = rules["scale"] / (1 + math.exp(-rules["slope"] * z))
    return round_to(score, methodology["rounding"]["score_decimals"])


def trend_of(methodology, z, week_ago):
    if z is None or week_ago is None:
        return None
    move = round_to(z - week_ago, methodology["rounding"]["combined_decimals"])
    threshold = methodology["scorecard"]["trend_threshold"]
    return "rising" if move >= threshold else "falling" if move <= -threshold else "flat"


def drivers_of(chain, t):
    """Returns the signals that move an available axis, strongest first."""
    drivers = []
    for axis, parts in chain.methodology["axes"].items():
        if chain.axes[t][axis] is not None:
            present = [part for part in parts if chain.dimensions[t].get(part["dimension"]) is not None]
            shares = total(part["weight"] for part in present)
            for part in present:
                drivers += dimension_drivers(chain, t, part["dimension"], part["weight"] / shares)
    return sorted(drivers, key=lambda each: (-abs(each["contribution"]), each["signal"]))


def dimension_drivers(chain, t, dimension, share):
    """Returns the drivers of one dimension, which has this share of its axis."""
    available = [
        each
        for each in chain.signals
        if each["definition"]["dimension"] == dimension and each["z"][t] is not None
    ]
    weights = total(each["definition"]["weight"] for each in available)
    return [
        driver(chain.methodology["rounding"], each, t, (each["definition"]["weight"] / weights) * share)
        for each in available
        if each["z"][t] != 0
    ]


def driver(rounding, signal, t, factor):
    definition, z = signal["definition"], signal["z"][t]

    def published(value):
        return significant(value, rounding["significant_digits"])

    def in_unit(value):
        return published(math.exp(value) if definition["transform"] == "ln" else value)

    return {
        "dimension": definition["dimension"],
        "signal": definition["signal"],
        "direction": "up" if z > 0 else "down",
        "z": z,
        "contribution": round_to(factor * z, rounding["combined_decimals"]),
        "value": None if signal["x"][t] is None else published(signal["value"][t]),
        "smoothed": in_unit(signal["s"][t]),
        "baseline": in_unit(signal["m"][t]),
        "unit": signal["unit"],
    }


# --- Sections 9 and 10: the record of a day, and its hash --------------------------------------------


class Chain:
    """The values of every date that do not depend on the levels and the run of the day before."""

    def __init__(self, methodology, name, gold):
        decimals = methodology["rounding"]["combined_decimals"]
        inputs = inputs_of(methodology, name)
        self.methodology = methodology
        self.methodology_sha256 = sha256(methodology).hex()
        self.name = name
        self.dates = list(gold)
        self.has_row = [day["source"] is not None for day in gold.values()]
        self.metrics = [{each: day["metrics"][each] for each in inputs} for day in gold.values()]
        self.digests = [
            sha256({"chain": name, "date": date, "metrics": metrics})
            for date, metrics in zip(self.dates, self.metrics)
        ]
        self.signals = [
            signal_series(methodology, name, definition, self.metrics)
            for definition in signals_of(methodology, name)
        ]
        self.dimensions = [dimensions_of(self.signals, t, decimals) for t in range(len(gold))]
        self.axes = [axes_of(methodology, each, decimals) for each in self.dimensions]

    def inputs_sha256(self, t):
        """Returns the digest of the digests of the last 385 dates, or of all dates if there are fewer."""
        days = self.methodology["determinism"]["input_days"]
        return hashlib.sha256(b"".join(self.digests[max(0, t + 1 - days) : t + 1])).hexdigest()


def status_of(has_row, label):
    if not has_row:
        return "missing"
    return "degraded" if label == "indeterminate" else "available"


def record_of(chain, t, state):
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
            "axes": {
                axis: {"z": z, "level": None if z is None else levels[axis]} for axis, z in axes.items()
            },
        },
        "confidence": confidence_of(chain, t, run, levels, quality),
        "scorecard": scorecard_of(chain, t, dimension_levels),
        "drivers": drivers_of(chain, t),
        "methodology": {
            "version": methodology["version"],
            "sha256": chain.methodology_sha256,
            "path": "/api/v1/methodology/%s.json" % methodology["version"],
        },
        "inputs_sha256": chain.inputs_sha256(t),
    }
    return record, {"axes": levels, "dimensions": dimension_levels, "run": run}


def recompute(chain, start):
    """Returns a row of COLUMNS for every date, or for every date after `start`, a date and its state."""
    date, state = start or (None, {"axes": {}, "dimensions": {}, "run": None})
    rows = []
    for t in range(0 if date is None else chain.dates.index(date) + 1, len(chain.dates)):
        record, state = record_of(chain, t, state)
        score = number_text(record["confidence"]["score"])
        rows.append((record["date"], chain.name, record["regime"]["label"], score, sha256(record).hex()))
    return rows


def state_of(record):
    """Returns the state that a published meta record carries over to the next day (section 9)."""
    regime = record["regime"]
    return {
        "axes": {axis: each["level"] or "normal" for axis, each in regime["axes"].items()},
        "dimensions": {name: each["level"] or "normal" for name, each in record["scorecard"].items()},
        "run": {name: regime[name] for name in ("label", "since", "run_days", "previous_label")},
    }


# --- Published results to compare with ---------------------------------------------------------------


def read_published(path, chain):
    """Reads regime, confidence and hash by date from a regime calendar (CSV) or from meta days."""
    if os.path.isdir(path) or path.endswith(".json"):
        rows = [meta_row(day, path) for day in read_days([path], "meta").values()]
    else:
        rows = read_calendar(path)
    if not rows:
        raise Fault("%s has no rows. Download it again." % path)
    if any(row["chain"] != chain for row in rows):
        raise Fault("%s belongs to another chain than the gold days. Use the file of %s." % (path, chain))
    try:
        return {
            row["date"]: (row["regime"], float(row["confidence"]), row["determinism_hash"]) for row in rows
        }
    except (TypeError, ValueError):
        raise Fault("%s has a row without a confidence. Download it again." % path)


def meta_row(day, file):
    try:
        regime, score = day["regime"], day["confidence"]["score"]
        values = (day["date"], day["chain"], regime["label"], score, regime["determinism_hash"])
    except (KeyError, TypeError):
        raise Fault("%s: the meta day %s is incomplete. Download it again." % (file, day["date"]))
    return dict(zip(COLUMNS, values))


def read_calendar(file):
    rows = csv.DictReader(read_text(file).splitlines())
    if not set(COLUMNS) <= set(rows.fieldnames or []):
        raise Fault("%s is not a regime calendar: it must have the columns %s." % (file, ", ".join(COLUMNS)))
    return list(rows)


def read_start(file, dates, days):
    """Reads a published meta record to start from. Returns its date and state."""
    records = list(read_days([file], "meta").values())
    if len(records) != 1 or records[0]["date"] not in dates[:-1]:
        raise Fault(
            "%s is not a meta day with gold days after it. Use one meta day from before the last gold day."
            % file
        )
    date = records[0]["date"]
    latest = shift(date, 2 - days)
    if dates[0] > latest:
        raise Fault(
            "the gold days begin on %s. To start from %s, add the gold days from %s on."
            % (dates[0], file, latest)
        )
    try:
        return date, state_of(records[0])
    except (AttributeError, KeyError, TypeError):
        raise Fault("%s: the meta day %s is incomplete. Download it again." % (file, date))


def compare(rows, published):
    """Returns the number of compared dates, and a line for each date that differs."""
    found = {row[0]: (row[2], float(row[3]), row[4]) for row in rows}
    first = rows[0][0]
    differing = []
    for date in sorted(date for date in published if date >= first):
        if date not in found:
            differing.append("%s: published, but there is no gold day. Download it." % date)
        elif found[date] != published[date]:
            pairs = zip(("regime", "confidence", "determinism_hash"), published[date], found[date])
            parts = ["%s is published as %s, recomputed as %s" % pair for pair in pairs if pair[1] != pair[2]]
            differing.append("%s: %s" % (date, "; ".join(parts)))
    return sum(date >= first for date in published), differing


# --- The command line --------------------------------------------------------------------------------


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    gold = "gold days of one chain from its first date on: a folder with YYYY-MM-DD.json, or bundles"
    compare = "published results: the regime calendar (CSV), or meta days (a folder or a .json file)"
    start = "published meta day: start on the day after it; needs the gold days of only 385 dates"
    parser.add_argument("gold", nargs="+", metavar="GOLD", help=gold)
    parser.add_argument("--methodology", required=True, metavar="FILE", help="/api/v1/methodology/v1.json")
    parser.add_argument("--compare", metavar="FILE", help=compare)
    parser.add_argument("--start", metavar="FILE", help=start)
    return parser.parse_args(arguments)


def run(options):
    methodology = read_methodology(options.methodology)
    gold = read_days(options.gold, "gold")
    dates = list(gold)
    name = gold[dates[0]]["chain"]
    check_gold(gold, methodology, name)
    start = None
    if options.start is not None:
        start = read_start(options.start, dates, methodology["determinism"]["input_days"])
    if options.compare is None:
        rows = recompute(Chain(methodology, name, gold), start)
        print("\n".join(",".join(row) for row in [COLUMNS, *rows]))
        return 0
    published = read_published(options.compare, name)
    if start is None and min(published) < dates[0]:
        raise Fault(
            "the gold days begin on %s, but %s begins on %s. Every day depends on all days before it."
            " Download all gold days, or use --start." % (dates[0], options.compare, min(published))
        )
    return report(recompute(Chain(methodology, name, gold), start), published, options.compare)


def report(rows, published, file):
    """Prints the result of the comparison and returns the exit code."""
    count, differing = compare(rows, published)
    if count == 0:
        raise Fault("%s contains no recomputed date. Use a file with the same dates." % file)
    for line in differing[:MAX_LISTED]:
        print(line, file=sys.stderr)
    if len(differing) > MAX_LISTED:
        print("and %d more" % (len(differing) - MAX_LISTED), file=sys.stderr)
    unmatched = sum(row[0] not in published for row in rows)
    if unmatched > 0:
        print("%d gold days were not compared: %s has no such dates" % (unmatched, file), file=sys.stderr)
    print("%d dates compared, %d differ" % (count, len(differing)))
    return 1 if differing else 0


def main(arguments):
    try:
        return run(parse_arguments(arguments))
    except Fault as fault:
        print("recompute.py: %s" % fault, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
