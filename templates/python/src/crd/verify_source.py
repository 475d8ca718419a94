"""Verifies a service or a folder, with the key and the clock of this machine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .client import Client
from .errors import UsageError

if TYPE_CHECKING:
    from .verification.entry import Name
    from .verification.result import Report, Verification


def verify_source(
    trust: str,
    source: Name | None = None,
    since: Name | None = None,
    days: bool = False,
    at: str | None = None,
    report: Report = lambda _: None,
) -> Verification:
    """Verifies a service or a mirror folder. Without `source`, verifies the service from the settings."""
    from .verification.entry import options_of, verify_mirror, verify_service  # needs the package joserfc

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
        return verify_service(client.files, client.base_url, options_of(trust, since, report, client.progress), days)
    finally:
        client.close()
