"""Gold and meta days, and the methodology, from files as downloaded."""

from __future__ import annotations

import contextlib
import datetime
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence

from ..document_forms import THRESHOLDS
from ..errors import CrdError, DataError, UsageError
from ..local_files import read_file
from ..strict_json import finite, parse_json, whole
from ..values import chain as chain_form
from ..values import date as date_form
from .arithmetic import Json
from .signals import inputs_of

# The records of a genre by date, ascending.
Days = dict[str, Json]


def read_bytes(file: str) -> bytes:
    try:
        return read_file(file)
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}. Check the path.") from error


def read_json(file: str, parse_whole: Callable[[str], float] = finite) -> Json:
    """Reads the object in a JSON file. Numbers are doubles (section 1)."""
    data = read_bytes(file)
    try:
        value = parse_json(data, parse_whole)
    except ValueError as error:
        raise UsageError(f"{file} is not valid JSON: {error}. Download it again.") from error
    if not isinstance(value, dict):
        raise UsageError(f"{file} does not contain a JSON object. Use a file as downloaded from the service.")
    return value


def shift(text: str, days: int) -> str:
    """Returns the date that is so many days after another one."""
    return (datetime.date.fromisoformat(text) + datetime.timedelta(days)).isoformat()


def is_placed(day: Json) -> bool:
    """Returns whether a record has a date and a chain."""
    return date_form(day.get("date")) is None and chain_form(day.get("chain")) is None


def read_days(paths: Sequence[str], genre: str) -> Days:
    """Reads the day records of one genre from folders, day files and bundles; returns them by date."""
    days: Days = {}
    chain = None
    for file, day in (found for path in paths for found in list_days(path, genre)):
        if day.get("schema") != genre + "-day/1" or not is_placed(day):
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
    data = read_json(file, parse_whole=whole)
    place = THRESHOLDS(data)
    if place is not None:
        raise UsageError(f"{file} is not the methodology: see {place}. Download /api/v1/methodology/v1.json.")
    return data


@contextlib.contextmanager
def applying(name: str) -> Iterator[None]:
    """Raises DataError for a methodology whose values cannot be computed with, such as weights of 0."""
    try:
        yield
    except CrdError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, StopIteration, TypeError, ValueError) as error:
        raise DataError(f"{name} cannot be applied: {type(error).__name__}: {error}. Download it again.") from error


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
