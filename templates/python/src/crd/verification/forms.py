"""The forms of the signed documents, as the JSON Schemas key-set/1, release-statement/1 and timestamp/1 define them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any

Form = Callable[[Any], str | None]
"""Returns the path of the first invalid value, such as "keys.0.kid", or None if the value is valid."""

HERE = ""


def when(holds: bool) -> str | None:
    return None if holds else HERE


def inside(name: object, fault: str | None) -> str | None:
    """Returns the path of the fault of a member."""
    return None if fault is None else f"{name}.{fault}".removesuffix(".")


def text(pattern: str, longest: int = 10_000) -> Form:
    return lambda value: when(
        isinstance(value, str) and len(value) <= longest and re.fullmatch(pattern, value) is not None
    )


def exactly(expected: str | None) -> Form:
    return lambda value: when(value == expected)


def positive(value: Any) -> str | None:
    return when(isinstance(value, int) and not isinstance(value, bool) and value > 0)


def instant(value: Any) -> str | None:
    try:
        return when(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", value) is not None and to_time(value) is not None)
    except (TypeError, ValueError):
        return HERE


def to_time(text: str) -> datetime.datetime:
    """Returns the time of an instant in UTC, in whole seconds."""
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)


def record(**members: Form) -> Form:
    """Returns the form of an object with exactly these members."""

    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return HERE
        other = sorted(set(value) ^ set(members))
        if other:
            return str(other[0])
        return next((fault for name in members if (fault := inside(name, members[name](value[name])))), None)

    return check


def either(*forms: Form) -> Form:
    """Returns the form of a value that has one of the forms."""
    return lambda value: when(any(form(value) is None for form in forms))


def each_of(form: Form, most: int) -> Form:
    """Returns the form of an array with 1 to `most` elements."""

    def check(value: Any) -> str | None:
        if not isinstance(value, list) or not 1 <= len(value) <= most:
            return HERE
        return next((fault for i, item in enumerate(value) if (fault := inside(i, form(item)))), None)

    return check


def by_name(name_form: Form, form: Form) -> Form:
    """Returns the form of an object with any members."""

    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return HERE
        named = ((name, name_form(name) is not None or form(item) is not None) for name, item in value.items())
        return next((str(name) for name, is_wrong in named if is_wrong), None)

    return check


SITE = r"[!\"$-~]+"
THUMBPRINT = "[A-Za-z0-9_-]{43}"
site = text(SITE, 200)
thumbprint = coordinate = text(THUMBPRINT)
sha256 = text("[0-9a-f]{64}")
revision = text(r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\.(?!000000)\d{6}")
nothing = exactly(None)
public_key = either(
    record(kty=exactly("OKP"), crv=exactly("Ed25519"), x=coordinate),
    record(kty=exactly("EC"), crv=exactly("P-256"), x=coordinate, y=coordinate),
)
revocation = record(at=instant, reason=text(".{1,200}"))

FORMS: dict[str, Form] = {
    "key-set": record(
        schema=exactly("key-set/1"),
        site=site,
        version=positive,
        issued_at=instant,
        expires=instant,
        signed_from_sequence=positive,
        root=public_key,
        keys=each_of(
            record(
                kid=thumbprint,
                jwk=public_key,
                valid_from=instant,
                valid_until=instant,
                revoked=either(nothing, revocation),
            ),
            most=100,
        ),
    ),
    "release-statement": record(
        schema=exactly("release-statement/1"),
        site=site,
        revision=revision,
        sequence=positive,
        sha256=sha256,
        previous=either(nothing, record(revision=revision, sha256=sha256)),
        release_sha256=sha256,
        manifests=by_name(text("/[!-~]*"), sha256),
        history_sha256=sha256,
        published_at=instant,
        generator=record(
            version=text("(?s).{1,100}"),
            commit=either(nothing, text("[0-9a-f]{40}(-modified)?")),
            lockfile_sha256=either(nothing, sha256),
        ),
    ),
    "timestamp": record(
        schema=exactly("timestamp/1"),
        site=site,
        sequence=positive,
        sha256=sha256,
        as_of=instant,
        expires=instant,
    ),
}
