"""How a verification can fail: a code for programs, and what it means in words."""

from __future__ import annotations

from ..errors import CrdError
from ..terminal import printable

FAULTS = {
    "jws-malformed": "is not a complete signed document: it was cut off or replaced",
    "jws-algorithm": "names a signature algorithm that does not belong to its key",
    "jws-kind": "is a different kind of signed document than expected here",
    "jws-altered": "has an invalid signature: the content or the signature was altered",
    "key-unknown": "is signed by a key that the key set does not list",
    "key-revoked": "is signed by a key that was revoked",
    "key-expired": "is signed by a key that is not valid at this time",
    "root-untrusted": "is signed by a root key other than the one you trust",
    "site-wrong": "is about another site",
    "keys-expired": "has expired: the site serves an old key set, or its owner did not renew it",
    "keys-old": "is older than the key set that you have seen before",
    "timestamp-expired": "has expired: the site shows an old state, as a frozen mirror does",
    "timestamp-early": "is from the future: the clock of this machine or of the publisher is wrong",
    "release-unsigned": "is missing, but this site signs its releases",
    "release-old": "is about an older release than you have seen before: the site serves an old state",
    "release-forked": "names a different release than the signed history: two histories exist",
    "file-missing": "is missing, although the release lists it",
    "file-altered": "does not match its signed digest: it was altered or replaced",
    "mixed": "belongs to a different release from the rest: a release is being published, or a cache is old",
    "unreachable": "could not be read",
}
NO_KEY_SET = "does not exist: this site does not sign its releases, or the signatures were removed"
UNPROVEN = ("mixed", "unreachable")  # these do not prove tampering: a retry may succeed
LONGEST_TEXT = 300


class VerificationError(CrdError):
    """A failed verification. `code` is a key of FAULTS, `subject` the path of what failed, `reason` its own text."""

    def __init__(self, code: str, subject: str, detail: str = "", reason: str = "") -> None:
        self.code, self.subject, self.detail = code, printable(subject, LONGEST_TEXT), printable(detail, LONGEST_TEXT)
        meaning = reason or meaning_of(code, subject)
        super().__init__(f"{self.subject} {meaning}{f' ({self.detail})' if detail else ''}")

    @property
    def is_false(self) -> bool:
        """
        True if the fault proves that something is false; otherwise the verification was incomplete and can be repeated.
        """
        return self.code not in UNPROVEN


def meaning_of(code: str, subject: str) -> str:
    """Returns what a fault means. A site without a key set may sign nothing at all."""
    return NO_KEY_SET if code == "release-unsigned" and subject.endswith("/keys.jws") else FAULTS[code]


def gravest(faults: list[VerificationError]) -> VerificationError:
    """Returns the first of the gravest faults: a mixture explains others, a false file is worse than an unread one."""
    order = {"mixed": 0, "unreachable": 2}
    return min(faults, key=lambda fault: order.get(fault.code, 1))
