"""RFC 8785: the canonical form of a JSON value, whose bytes are hashed and published."""

from __future__ import annotations

import decimal
import hashlib
import math
from json.encoder import encode_basestring
from typing import Any

LITERALS = {None: "null", True: "true", False: "false"}


def canonical(value: Any) -> str:
    """Returns the RFC 8785 form of a value: members sorted by UTF-16 code units, no white space."""
    if isinstance(value, str):
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return LITERALS[value]
    if isinstance(value, (int, float)):
        return number_text(float(value))
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    # The order of code points is the order of UTF-16 code units up to U+FFFF, and costs less.
    names = sorted(value, key=None if "".join(value).isascii() else lambda name: name.encode("utf-16-be"))
    return "{" + ",".join([encode_basestring(name) + ":" + canonical(value[name]) for name in names]) + "}"


def number_text(x: float) -> str:
    """
    Formats a finite double like ECMAScript: the shortest digits that read back as x, such as 9.44e-7. Raises ValueError
    for any other.
    """
    if x == 0:
        return "0"
    text = repr(x)
    if math.isfinite(x) and "e" not in text:  # from 1e-4 up to 1e16
        return text.removesuffix(".0")
    sign, figures, exponent = decimal.Decimal(text).as_tuple()  # repr() has the same shortest digits
    if not isinstance(exponent, int):
        raise ValueError(f"{x} is not a finite double")
    digits = "".join(map(str, figures)).rstrip("0")
    point = len(figures) + exponent  # number of digits before the point
    return ("-" if sign else "") + place_point(digits, point)


def csv_number(x: float) -> str:
    """Formats a finite double as CSV files of the service do: like `number_text`, but always with a decimal point."""
    text = repr(x + 0.0)  # without a sign of zero
    if "e" in text:
        digits, mark, exponent = number_text(x).partition("e")
        text = (digits if "." in digits else digits + ".0") + mark + exponent
    return text


def place_point(digits: str, point: int) -> str:
    """Inserts the decimal point: plain notation from 1e-6 up to 1e21, an exponent otherwise."""
    if 0 < point <= 21:
        whole = digits[:point].ljust(point, "0")
        return whole + "." + digits[point:] if len(digits) > point else whole
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    return digits[0] + ("." + digits[1:] if len(digits) > 1 else "") + f"e{point - 1:+d}"


def sha256(value: Any) -> bytes:
    """Returns the 32 bytes of the SHA-256 of the RFC 8785 form of a value."""
    return hashlib.sha256(canonical(value).encode("utf-8")).digest()
