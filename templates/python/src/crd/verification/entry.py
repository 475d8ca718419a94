"""Verifies a service or a folder, with the clock of this machine."""

from __future__ import annotations

import os
from pathlib import Path

from ..archive import Progress
from ..errors import UsageError
from ..files import Files
from ..manifest import utc_now
from ..settings import advice_on_key
from ..values import instant, to_time
from .anchor import parse_anchor
from .result import Report, Verification
from .sources import Folder, Site
from .verifier import Options, verify_folder, verify_site

Name = str | os.PathLike[str]


def verify_service(files: Files, base_url: str, options: Options, days: bool = False) -> Verification:
    """Verifies the service at an address, with the key of its files."""
    advice = advice_on_key(base_url)
    has_key = files.transport.api_key is not None
    no_key = "" if has_key else f"no API key is set{f': {advice}' if advice else ''}"
    return verify_site(Site(files), options, days, no_key)


def options_of(trust: str, since: Name | None, report: Report, progress: Progress) -> Options:
    """Returns the options of a verification as of now."""
    return Options(parse_anchor(trust), utc_now, None if since is None else Path(since), report, progress)


def verify_mirror(
    folder: Name, trust: str, since: Name | None = None, at: str | None = None, report: Report = lambda _: None
) -> Verification:
    """Verifies a folder that `crd sync` created, without a network: as of now, or as of the instant `at`."""
    if at is not None and instant(at) is not None:
        raise UsageError(f"at={at!r} is not an instant. Use one such as 2026-03-01T06:00:00Z.")
    instant_of = utc_now if at is None else (lambda: to_time(at))
    seen = None if since is None else Path(since)
    options = Options(parse_anchor(trust), instant_of, seen, report, lambda _: None)
    return verify_folder(Folder(Path(folder)), options, at)
