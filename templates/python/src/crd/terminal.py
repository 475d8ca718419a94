"""What a terminal shows: texts of others cannot move the cursor, change its colours or reorder a line."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable
from typing import Any, TextIO

LONGEST_TEXT = 2_000


def is_shown(character: str) -> bool:
    """Returns whether a terminal shows a character as it is: no control, formatting or unassigned character."""
    return character.isprintable() or unicodedata.category(character) == "Zs"


def cleaned(text: str, replace: Callable[[str], str] = lambda _: "?") -> str:
    """Returns a text of several lines, in which other characters than those of `is_shown` are replaced."""
    if text.replace("\n", "").isprintable():
        return text
    return "".join(each if each == "\n" or is_shown(each) else replace(each) for each in text)


def printable(text: object, longest: int = LONGEST_TEXT) -> str:
    """Returns a text as one line with at most `longest` characters."""
    whole = str(text)
    shown = cleaned(whole[:longest].replace("\n", "?"))
    return shown if len(whole) <= longest else f"{shown}..."


def say(line: object, file: TextIO | None = None) -> None:
    """Prints a line, by default on stdout."""
    print(printable(line), file=file or sys.stdout, flush=True)


def shown_json(value: Any) -> str:
    """Returns the JSON text of a value for people, in which what a terminal does not show is escaped."""
    return cleaned(
        json.dumps(value, indent=2, ensure_ascii=False), lambda each: json.dumps(each)[1:-1].replace("\x7f", "\\u007f")
    )
