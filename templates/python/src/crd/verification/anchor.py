"""What a reader trusts from the start: the name of a site, and its root key."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..errors import UsageError
from .forms import SITE, THUMBPRINT


class Anchor(NamedTuple):
    """The name of a site, and the thumbprint of its root key (RFC 7638)."""

    site: str
    root: str

    def __str__(self) -> str:
        return f"{self.site}#{self.root}"


def parse_anchor(text: str) -> Anchor:
    """Parses SITE#THUMBPRINT. Raises UsageError for any other text."""
    site, _, root = text.partition("#")
    if len(site) > 200 or re.fullmatch(SITE, site) is None or re.fullmatch(THUMBPRINT, root) is None:
        example = "https://data.example.com#NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"
        raise UsageError(f"{text!r} does not name a root key. Use SITE#THUMBPRINT, such as {example}.")
    return Anchor(site, root)
