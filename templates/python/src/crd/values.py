"""
Values from a service or a file. A form judges each of them where it enters: no name, path, date, size or digest is used
before.
"""

from __future__ import annotations

import datetime
import functools
import itertools
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from .errors import DataError

Form = Callable[[Any], str | None]
"""Returns the path of the first invalid value, such as "keys.0.kid", or None if the value is valid."""

T = TypeVar("T")
HERE = ""
# For some forms, a function that returns true if all values of a list have the form. It decides the usual case of long
# lists with few calls; where a list has another value, the form itself finds it.
QUICK: dict[Form, Callable[[list[Any]], bool]] = {}
MAX_FILE_BYTES = 2**24
YEARS = range(1970, 2200)  # of all dates; pandas has none after 2262
ADVICE = "Check the address of the service, or report this to its operator."


def judge(value: T, form: Form, name: str, advice: str = ADVICE) -> T:
    """Returns a value that has a form. Raises DataError, which calls the value `name`."""
    place = form(value)
    if place is not None:
        raise DataError(f"{name} is not valid{f' at {place[:200]}' if place else ''}. {advice}")
    return value


def when(holds: bool) -> str | None:
    return None if holds else HERE


def at(name: object, fault: str | None) -> str | None:
    """Returns the path of the fault of a member."""
    return None if fault is None else f"{name}.{fault}".removesuffix(".")


def all_have(form: Form, values: list[Any]) -> bool:
    """Returns whether all values have a form."""
    quick = QUICK.get(form)
    return all(form(value) is None for value in values) if quick is None else quick(values)


def all_are(kind: type, values: Iterable[Any]) -> bool:
    return set(map(type, values)) <= {kind}


def are_digests(values: list[Any]) -> bool:
    if not all_are(str, values) or not set(map(len, values)) <= {64}:
        return False
    joined = "".join(values)
    return joined.isascii() and not joined.encode().translate(None, b"0123456789abcdef")


def text(pattern: str, longest: int = 10_000) -> Form:
    matches = re.compile(pattern, re.ASCII).fullmatch

    def check(value: Any) -> str | None:
        return None if isinstance(value, str) and len(value) <= longest and matches(value) is not None else HERE

    def check_all(values: list[Any]) -> bool:
        if not all_are(str, values):
            return False
        different = set(values)
        return max(map(len, different), default=0) <= longest and all(map(matches, different))

    QUICK[check] = check_all
    return check


def exactly(*expected: str) -> Form:
    def check(value: Any) -> str | None:
        return when(value in expected)

    QUICK[check] = lambda values: all_are(str, values) and set(values) <= {*expected}
    return check


def whole(least: int, most: int) -> Form:
    def check(value: Any) -> str | None:
        return when(isinstance(value, int) and not isinstance(value, bool) and least <= value <= most)

    QUICK[check] = lambda values: not values or (all_are(int, values) and least <= min(values) <= max(values) <= most)
    return check


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def number(value: Any) -> str | None:
    return when(is_number(value))


QUICK[number] = lambda values: set(map(type, values)) <= {float, int} and all(map(math.isfinite, values))


def either(*forms: Form) -> Form:
    """Returns the form of a value that has one of the forms."""
    return lambda value: when(any(form(value) is None for form in forms))


def optional(form: Form) -> Form:
    """Returns the form of None, or of a value that has a form."""

    def check(value: Any) -> str | None:
        return when(value is None or form(value) is None)

    QUICK[check] = lambda values: all_have(form, [value for value in values if value is not None])
    return check


def record(**members: Form) -> Form:
    """Returns the form of an object with exactly these members."""
    check_each = having({}, **members)

    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return HERE
        other = sorted(set(value) ^ set(members))
        return str(other[0]) if other else check_each(value)

    return check


def having(others: Mapping[str, Form], /, **members: Form) -> Form:
    """Returns the form of an object with at least these members, perhaps some `others`, and perhaps unknown ones."""
    required = members.keys()
    forms = list({**others, **members}.items())

    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return HERE
        if not required <= value.keys():
            return next(name for name in members if name not in value)
        for name, form in forms:
            if name in value:
                fault = form(value[name])
                if fault is not None:
                    return at(name, fault)
        return None

    def check_all(values: list[Any]) -> bool:
        if not all_are(dict, values):
            return False
        columns = [(form, [value[name] for value in values if name in value]) for name, form in others.items()]
        try:
            columns += [(form, [*map(operator.itemgetter(name), values)]) for name, form in members.items()]
        except KeyError:
            return False
        return all(all_have(form, column) for form, column in columns)

    QUICK[check] = check_all
    return check


def each_of(form: Form, most: int, least: int = 1) -> Form:
    """Returns the form of an array with `least` to `most` elements."""

    def check(value: Any) -> str | None:
        if not isinstance(value, list) or not least <= len(value) <= most:
            return HERE
        if all_have(form, value):
            return None
        return next((fault for i, item in enumerate(value) if (fault := at(i, form(item))) is not None), None)

    def check_all(values: list[Any]) -> bool:
        if not all_are(list, values) or not all(least <= count <= most for count in set(map(len, values))):
            return False
        return all_have(form, [item for value in values for item in value])

    QUICK[check] = check_all
    return check


def by_name(name_form: Form, form: Form, most: int = 1_000_000) -> Form:
    """Returns the form of an object with any members."""

    def check(value: Any) -> str | None:
        if not isinstance(value, dict) or len(value) > most:
            return HERE
        named = ((name, name_form(name) is not None or form(item) is not None) for name, item in value.items())
        return next((str(name) for name, is_wrong in named if is_wrong), None)

    def check_all(values: list[Any]) -> bool:
        if not all_are(dict, values) or max(map(len, values), default=0) > most:
            return False
        names = dict.fromkeys(itertools.chain.from_iterable(values))
        return all_have(name_form, [*names]) and all_have(form, [item for value in values for item in value.values()])

    QUICK[check] = check_all
    return check


def some(form: Form) -> Form:
    """Returns the form of an object that is not empty."""
    return lambda value: HERE if value == {} else form(value)


def date(value: Any) -> str | None:
    return when(isinstance(value, str) and is_date_text(value))


@functools.lru_cache(2**14)  # the files of a history have the same dates
def is_date_text(text: str) -> bool:
    try:
        return is_date(text) is None and datetime.date.fromisoformat(text).year in YEARS
    except ValueError:
        return False


QUICK[date] = lambda values: all_are(str, values) and all(map(is_date_text, values))


def instant(value: Any) -> str | None:
    try:
        return when(is_instant(value) is None and to_time(value) is not None)
    except ValueError:
        return HERE


def to_time(text: str) -> datetime.datetime:
    """Returns the time of an instant in UTC, in whole seconds."""
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)


REVISION = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\.(?!000000)\d{6}"
is_date = text(r"\d{4}-\d\d-\d\d")
is_instant = text(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
chain = text("[a-z][a-z0-9]{0,29}")
name = text("[a-z][a-z0-9_]{0,99}")
period = text(r"\d{4}(-(0[1-9]|1[0-2]))?")
revision = text(REVISION)
methodology_version = text(r"v[1-9]\d{0,5}")
sha256 = text("[0-9a-f]{64}")
QUICK[sha256] = are_digests  # there are thousands in a manifest
size = whole(0, MAX_FILE_BYTES)
positive = whole(1, 2**53 - 1)  # the whole numbers that are exact in JSON
url_path = text("/[!-~]*", 1_000)
code = text("[a-z0-9-]{1,60}")
etag = text(r'(W/)?"[!#-~]*"', 200)
sentence = text("(?s).*", 1_000)
# A spreadsheet runs a text that begins like a formula, and CSV files contain these. Some split lines at semicolons.
SPACE = r"[\s\xa0\u2000-\u200b\u3000\ufeff]"
cell_text = text(rf"(?!{SPACE}|(?:.*;)?{SPACE}*[=+@\-＝＋－＠])[^\t\r\n]+", 1_000)  # noqa: RUF001
optional_number = optional(number)
optional_cell_text = optional(cell_text)
optional_sentence = optional(sentence)
