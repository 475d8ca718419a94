"""Verifies a service or a folder, with the key and the clock of this machine."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import UsageError
from ..manifest import utc_now
from ..settings import advice_on_key
from .anchor import parse_anchor
from .forms import instant, to_time
from .result import Report, Verification
from .sources import Folder, Site
from .verifier import Options, verify_folder, verify_site

if TYPE_CHECKING:
    from ..client import Client

Name = str | os.PathLike[str]


def verify_source(
    trust: str,
    source: Name | None = None,
    since: Name | None = None,
    days: bool = False,
    at: str | None = None,
    report: Report = lambda _: None,
) -> Verification:
    """Verifies a service or a mirror folder. Without `source`, verifies the service from the settings."""
    from ..client import Client

    if source is not None and re.match("https?://", str(source)) is None:
        if days:
            raise UsageError(
                "--days (days=True) applies only to a service; every file of a mirror is always verified. Omit it."
            )
        return verify_mirror(source, trust, since, at, report)
    if at is not None:
        raise UsageError("--at (at=...) applies only to a mirror; a service is verified as of now. Omit it.")
    client = Client(base_url=None if source is None else str(source))
    try:
        return verify_client(client, trust, since, days, report)
    finally:
        client.close()


def verify_client(
    client: Client, trust: str, since: Name | None = None, days: bool = False, report: Report = lambda _: None
) -> Verification:
    """Verifies the service of a client."""
    transport = client.files.transport
    advice = advice_on_key(client.base_url)
    no_key = "" if transport.api_key is not None else f"no API key is set{f': {advice}' if advice else ''}"
    options = Options(parse_anchor(trust), utc_now, None if since is None else Path(since), report, client.progress)
    return verify_site(Site(client.files), options, days, no_key)


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
