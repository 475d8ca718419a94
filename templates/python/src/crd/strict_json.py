"""Reads JSON from a service or a file: strict UTF-8 without repeated members, and limits of depth, size and numbers."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable
from typing import Any

from .canonical import canonical
from .errors import DataError
from .values import ADVICE, Form, judge

MAX_JSON_BYTES = 2**24
MAX_DEPTH = 32
MAX_VALUES = 1_000_000  # as many containers and elements; twice as many quotation marks
MAX_DIGITS = 25  # whole numbers from 1e21 on are written with an exponent (RFC 8785)

NO_MARKS = bytes(set(range(256)) - set(b'[]{}",:'))


def finite(text: str) -> float:
    """Parses a JSON number as a double. RFC 8785 requires a finite one."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:MAX_DIGITS]} is not a finite double")
    return number


def whole(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a whole number has {len(text)} digits")
    return int(text)


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a member is repeated")
    return found


def parse_json(data: bytes, parse_whole: Callable[[str], float] = whole) -> Any:
    """Returns the value of a JSON text. Raises ValueError with the reason if it is not one, or beyond the limits."""
    names, members = check_limits(data), 0
    text = data.decode("utf-8")

    def count(value: dict[str, Any]) -> dict[str, Any]:
        nonlocal members
        members += len(value)
        return value

    loads = functools.partial(json.loads, text, parse_int=parse_whole, parse_float=finite, parse_constant=finite)
    try:
        try:  # first without a list for each object
            value = loads(object_hook=count)
            has_all = members == names
        except ValueError:
            has_all = False
        if not has_all:
            value = loads(object_pairs_hook=without_repeats)
    except RecursionError as fault:
        raise ValueError("its values are nested too deeply") from fault
    if b"\\" in data and re.search(r"\\u[dD][89a-fA-F]", text):  # half of a character, which no UTF-8 text contains
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def parse_canonical(data: bytes) -> Any:
    """
    Returns the value of a JSON text in its canonical form (RFC 8785). Raises ValueError for any other text: so a signed
    value has one text.
    """
    value = parse_json(data)
    if canonical(value).encode("utf-8") != data:
        raise ValueError("it is not canonical JSON")
    return value


def check_limits(data: bytes) -> int:
    """
    Bounds the memory and the recursion that parsing takes, before it begins. Returns the number of names of members in
    the text, if it is JSON.
    """
    if len(data) > MAX_JSON_BYTES:
        raise ValueError(f"it has more than {MAX_JSON_BYTES:,} bytes")
    if data.count(b'"') > 2 * MAX_VALUES:
        raise ValueError("it has too many texts")
    plain = data.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in data else data
    # With only such marks left, most texts are empty: removed at once, they need no split.
    marks = plain.translate(None, NO_MARKS).replace(b'""', b"")
    outside = b"".join(marks.split(b'"')[::2])
    if sum(outside.count(each) for each in (b",", b"[", b"{")) > MAX_VALUES:
        raise ValueError("it has too many values")
    if not is_shallow(outside.translate(None, b",:")):
        raise ValueError("its values are nested too deeply")
    return outside.count(b":")


def is_shallow(brackets: bytes) -> bool:
    """Returns whether brackets are never nested deeper than MAX_DEPTH."""
    left = brackets
    for _ in range(MAX_DEPTH // 2):  # each time without one or two levels, the innermost ones
        left = left.replace(b"[]", b"").replace(b"{}", b"")
        if not left:
            return True
    depth = 0
    for bracket in brackets:
        depth += 1 if bracket in b"[{" else -1
        if depth > MAX_DEPTH:
            return False
    return True


def parse_object(data: bytes, name: str, form: Form | None = None) -> dict[str, Any]:
    """Returns the object in a JSON text that has a form. Raises DataError, which calls the text `name`."""
    try:
        value = parse_json(data)
    except ValueError as fault:
        raise DataError(f"{name} is not valid JSON: {fault}. {ADVICE}") from fault
    if not isinstance(value, dict):
        raise DataError(f"{name} does not contain a JSON object. {ADVICE}")
    return value if form is None else judge(value, form, name)
