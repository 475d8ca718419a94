"""Verifies what a statement says by digests: the list of public files, the list of releases, and every public file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..archive import parallel
from ..cache import sha256_hex
from ..canonical import canonical
from ..document_forms import RELEASE as RELEASE_FORM
from ..files import Received
from ..strict_json import finite, parse_canonical, parse_json
from ..trust_paths import RELEASE, RELEASES
from .documents import Content
from .faults import VerificationError, gravest
from .forms import RELEASES as RELEASES_FORM
from .sources import Source

MANY_FAULTS = 20  # the rest is not read after so many
T = TypeVar("T")


def check_release(source: Source, statement: Content, fresh: bool) -> list[Content]:
    """Returns the entries of the list of public files, whose digest is signed."""
    received = read_listed(source, RELEASE, fresh)
    check_digest(source.name(RELEASE), received, statement["release_sha256"], statement)
    release = canonical_value(received.data)
    if RELEASE_FORM(release) is not None:
        raise VerificationError("file-altered", source.name(RELEASE), "it is not a list of files")
    files: list[Content] = release["files"]
    return files


def check_public_files(source: Source, files: list[Content], statement: Content, fresh: bool) -> None:
    def check(entry: Content) -> None:
        received = read_listed(source, entry["path"], fresh, entry["bytes"])
        check_digest(entry["path"], received, entry["sha256"], statement)

    check_each(check, files)


def check_history(source: Source, statement: Content, fresh: bool) -> list[Content]:
    """Returns the entries of all releases up to the one of the statement, whose common digest is signed."""
    received = read_listed(source, RELEASES, fresh)
    last: int = statement["sequence"]
    past = releases_in(received.data)[:last]
    detail = f"up to release {last}"
    digest = sha256_hex(canonical(past).encode("utf-8"))
    if len(past) != last or digest != statement["history_sha256"]:  # the list itself is not signed: anyone can alter it
        code = "mixed" if received.is_cached else "file-altered"
        raise VerificationError(code, source.name(RELEASES), detail)
    if not ends_with(past, statement):
        raise VerificationError("release-forked", source.name(RELEASES), detail)
    return past


def releases_in(data: bytes) -> list[Content]:
    """Returns the entries of a list of releases in its only form, with the sequences 1, 2, 3 and so on, or none."""
    value = canonical_value(data)
    releases: list[Content] = value["releases"] if RELEASES_FORM(value) is None else []
    return releases if all(entry["sequence"] == i + 1 for i, entry in enumerate(releases)) else []


def canonical_value(data: bytes) -> Any:
    """Returns the value of a JSON text in its canonical form; None for any other bytes."""
    try:
        return parse_canonical(data)
    except ValueError:
        return None


def ends_with(past: list[Content], statement: Content) -> bool:
    """Returns whether a history ends with the release of a statement, after the one that it names before."""
    stated = [{name: statement[name] for name in ("sequence", "revision", "sha256", "published_at")}]
    if statement["previous"] is not None:
        stated.insert(0, statement["previous"])
    ends = past[-2:]
    return len(ends) == len(stated) and all(entry.items() >= part.items() for entry, part in zip(ends, stated))


def read_listed(source: Source, path: str, fresh: bool, size: int | None = None) -> Received:
    received = source.read(path, fresh, size)
    if received is None:
        raise VerificationError("file-missing", source.name(path))
    return received


def check_digest(name: str, received: Received, sha256: str, statement: Content, detail: str = "") -> None:
    """Raises VerificationError for other bytes: "mixed" if they can be those of another release."""
    if sha256_hex(received.data) == sha256:
        return
    named = (parse(received.data) or {}).get("published_revision")
    is_list = name in (RELEASE, "trust/release.json")
    is_other = isinstance(named, str) and (named != statement["revision"] if is_list else named > statement["revision"])
    raise VerificationError("mixed" if is_other or received.is_cached else "file-altered", name, detail)


def parse(data: bytes) -> Content | None:
    """Returns a JSON object, whose numbers are doubles; None for anything else."""
    try:
        value = parse_json(data, finite)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def check_each(
    check: Callable[[T], None], items: Iterable[T], report: Callable[[int, int], None] = lambda *_: None
) -> None:
    """Runs `check` on all items in several threads. Raises the gravest fault, of several the one of the first item."""
    faults: dict[int, VerificationError] = {}

    def work(entry: tuple[int, T]) -> None:
        if len(faults) >= MANY_FAULTS:
            return
        place, item = entry
        try:
            check(item)
        except VerificationError as fault:
            faults[place] = fault

    parallel(work, enumerate(items), report)
    if faults:
        raise gravest([faults[place] for place in sorted(faults)])
