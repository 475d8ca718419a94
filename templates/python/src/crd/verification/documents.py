"""The chain of signed documents: root key, key set, timestamp, statement."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

from ..values import to_time
from .anchor import Anchor
from .faults import VerificationError
from .signatures import SignedDocument, read_jws, thumbprint_of

CLOCK_TOLERANCE = datetime.timedelta(minutes=5)  # a reader's clock may be behind by this much
Content = dict[str, Any]


class Judge:
    """Verifies documents as of the time that `now` returns, for a reader who trusts one root key."""

    def __init__(self, anchor: Anchor, now: Callable[[], datetime.datetime]) -> None:
        self.anchor, self.now = anchor, now

    def key_set(self, data: bytes, subject: str) -> Content:
        """Returns the key set, which the trusted root key signed."""
        document = read_jws(data, "key-set", subject)
        content = document.content
        root = content.get("root") if isinstance(content, dict) else None
        if thumbprint_of(root) != document.kid:
            raise VerificationError("key-unknown", subject, f"key {document.kid}")
        assert isinstance(root, dict)  # it has a thumbprint
        keys = document.verified_by(root)
        if document.kid != self.anchor.root:
            raise VerificationError("root-untrusted", subject, f"root key {document.kid}")
        self.check_site(keys, subject)
        if self.now() >= to_time(keys["expires"]):
            raise VerificationError("keys-expired", subject, f"on {keys['expires']}")
        if self.is_early(keys["issued_at"]):
            raise VerificationError("timestamp-early", subject, f"issued at {keys['issued_at']}")
        return keys

    def timestamp(self, data: bytes, subject: str, keys: Content) -> Content:
        """Returns the timestamp, which says that its release was the current one until shortly before now."""
        stamp = self.current(read_jws(data, "timestamp", subject), keys)
        if self.now() >= to_time(stamp["expires"]):
            detail = f"on {stamp['expires']}; release {stamp['sequence']}"
            raise VerificationError("timestamp-expired", subject, detail)
        if self.is_early(stamp["as_of"]):
            raise VerificationError("timestamp-early", subject, f"signed at {stamp['as_of']}")
        return stamp

    def statement(self, data: bytes, subject: str, keys: Content, stamp: Content) -> Content:
        """Returns the statement about the release of the timestamp."""
        statement = self.current(read_jws(data, "release-statement", subject), keys)
        if statement["sequence"] != stamp["sequence"]:
            detail = f"release {statement['sequence']}, but the timestamp says {stamp['sequence']}"
            raise VerificationError("mixed", subject, detail)
        if statement["sha256"] != stamp["sha256"]:
            raise VerificationError("release-forked", subject, f"release {statement['sequence']}")
        return statement

    def current(self, document: SignedDocument, keys: Content) -> Content:
        """Returns the content of a document whose key is listed, not revoked and valid now."""
        key = next((each for each in keys["keys"] if each["kid"] == document.kid), None)
        if key is None or thumbprint_of(key["jwk"]) != document.kid:
            raise VerificationError("key-unknown", document.subject, f"key {document.kid}")
        if key["revoked"] is not None:
            detail = f"key {document.kid}: {key['revoked']['reason']}"
            raise VerificationError("key-revoked", document.subject, detail)
        if self.is_early(key["valid_from"]) or self.now() >= to_time(key["valid_until"]):
            detail = f"key {document.kid}: {key['valid_from']} to {key['valid_until']}"
            raise VerificationError("key-expired", document.subject, detail)
        content = document.verified_by(key["jwk"])
        self.check_site(content, document.subject)
        return content

    def check_site(self, content: Content, subject: str) -> None:
        if content["site"] != self.anchor.site:
            raise VerificationError("site-wrong", subject, f"{content['site']} instead of {self.anchor.site}")

    def is_early(self, instant: str) -> bool:
        return self.now() + CLOCK_TOLERANCE < to_time(instant)
