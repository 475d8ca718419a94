"""Gold and meta days, and the methodology, from files as downloaded."""

from __future__ import annotations

import datetime
import json
import math
import os
import re
from collections.abc import Callable, Iterator, Sequence

from ..errors import UsageError
from .arithmetic import Json
from .signals import inputs_of

# The records of a genre by date, ascending.
Days = dict[str, Json]


def parse_number(text: str) -> float:
    """Parses a JSON number as a double (section 1). RFC 8785 requires a finite one."""
    x = float(text)
    if not math.isfinite(x):
        raise ValueError(f"{text} is not a finite double")
    return x


def read_text(file: str) -> str:
    try:
        with open(file, encoding="utf-8", newline="") as stream:
            return stream.read()
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}. Check the path.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text. Download it again.") from error


def read_json(file: str, parse_whole: Callable[[str], float] = parse_number) -> Json:
    """Reads the object in a JSON file."""
    text = read_text(file)
    try:
        value = json.loads(text, parse_int=parse_whole, parse_float=parse_number, parse_constant=parse_number)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} is not valid JSON: {error}. Download it again.") from error
    if not isinstance(value, dict):
        raise UsageError(f"{file} does not contain a JSON object. Use a file as downloaded from the service.")
    return value


def date_of(text: str) -> datetime.date | None:
    """Parses a date such as 2024-02-29; returns None for any other text."""
    try:
        return datetime.date.fromisoformat(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else None
    except (TypeError, ValueError):
        return None


def shift(text: str, days: int) -> str:
    """Returns the date that is so many days after another one."""
    return (datetime.date.fromisoformat(text) + datetime.timedelta(days)).isoformat()


def read_days(paths: Sequence[str], genre: str) -> Days:
    """Reads the day records of one genre from folders, day files and bundles; returns them by date."""
    days: Days = {}
    chain = None
    for file, day in (found for path in paths for found in list_days(path, genre)):
        if day.get("schema") != genre + "-day/1" or date_of(day.get("date")) is None:
            raise UsageError(f"{file} is not a {genre} day. Use day files or bundles of that genre.")
        chain = chain or day.get("chain")
        if day.get("chain") != chain:
            raise UsageError(f"{file} belongs to another chain than {chain}. Use the files of one chain.")
        if days.setdefault(day["date"], day) != day:
            raise UsageError("{} has another {} than an earlier file. Use only one.".format(file, day["date"]))
    if not days:
        raise UsageError(f"{paths[0]} has no {genre} days. Use a folder with files named YYYY-MM-DD.json.")
    return dict(sorted(days.items()))


def list_days(path: str, genre: str) -> Iterator[tuple[str, Json]]:
    """Yields the records at a path, each with the file that it comes from."""
    if os.path.isdir(path):
        for name in sorted(os.listdir(path)):
            if re.fullmatch(r"\d{4}-\d\d-\d\d\.json", name):
                file = os.path.join(path, name)
                day = read_json(file)
                if day.get("date") != name[:10]:
                    raise UsageError("{} contains the date {}. Download it again.".format(file, day.get("date")))
                yield file, day
        return
    content = read_json(path)
    if content.get("schema") != "bundle/1":
        yield path, content
    elif content.get("genre") != genre or not isinstance(content.get("days"), list):
        raise UsageError(f"{path} is not a bundle of {genre} days. Use a bundle of that genre.")
    else:
        for day in content["days"]:
            yield path, day if isinstance(day, dict) else {}


def read_methodology(file: str) -> Json:
    """Reads the thresholds. Whole numbers stay integers, because they count days and decimals."""
    data = read_json(file, parse_whole=int)
    if data.get("schema") != "methodology/1":
        raise UsageError(f"{file} is not the methodology. Download /api/v1/methodology/v1.json.")
    return data


def check_gold(days: Days, methodology: Json, chain: str) -> None:
    """Checks that every date from the first to the last has a record with all methodology inputs."""
    if all(chain not in definition["chains"] for definition in methodology["signals"]):
        raise UsageError(f"the methodology has no chain {chain}. Use gold days of a chain that it has.")
    first, last = min(days), max(days)
    dates = [
        shift(first, n)
        for n in range((datetime.date.fromisoformat(last) - datetime.date.fromisoformat(first)).days + 1)
    ]
    missing = [date for date in dates if date not in days]
    if missing:
        raise UsageError(
            f"from {first} to {last}, {len(missing)} gold days are missing, the first on {missing[0]}."
            " A date without values has a file too. Download the missing files."
        )
    for date, day in days.items():
        check_metrics(date, day, inputs_of(methodology, chain))


def check_metrics(date: str, day: Json, inputs: Sequence[str]) -> None:
    metrics = day.get("metrics")
    if not isinstance(metrics, dict) or "source" not in day:
        raise UsageError(f"the gold day {date} is incomplete. Download it again.")
    for name in inputs:
        if name not in metrics:
            raise UsageError(f"the gold day {date} has no {name}. Download it again.")
        value = metrics[name]
        if value is not None and not isinstance(value, float):
            raise UsageError(f"the gold day {date}: {name} is {json.dumps(value)}. Download it again.")
