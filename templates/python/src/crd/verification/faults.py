"""How a verification can fail: a code for programs, and what it means in words."""

from __future__ import annotations

from ..errors import CrdError

FAULTS = {
    "jws-malformed": "is not a complete signed document: it was cut off or replaced",
    "jws-algorithm": "names a signature algorithm that does not belong to its key",
    "jws-kind": "is a signed document of another kind, put in this place",
    "jws-altered": "has a signature that does not belong to its content: one of them was altered",
    "key-unknown": "is signed by a key that the key set does not list",
    "key-revoked": "is signed by a key that was revoked",
    "key-expired": "is signed by a key that is not valid at this time",
    "root-untrusted": "is signed by another root key than the one you trust",
    "site-wrong": "is about another site",
    "keys-expired": "has expired: the site serves an old key set, or its owner did not renew it",
    "keys-old": "is older than the key set that you have seen before",
    "timestamp-expired": "has expired: the site shows an old state, as a frozen mirror does",
    "timestamp-early": "is from the future: the clock of this machine or of the publisher is wrong",
    "release-unsigned": "is missing, although the releases of this site are signed",
    "release-old": "is about an older release than you have seen before: an old release is replayed",
    "release-forked": ("is about another release than the signed history has at this place: two histories exist"),
    "file-missing": "is missing, although the release lists it",
    "file-altered": "has other bytes than the release says: it was altered, or is another file",
    "mixed": "belongs to another release than the rest: a release is being published, or a cache is old",
    "unreachable": "could not be read",
}
UNPROVEN = ("mixed", "unreachable")  # these prove nothing false, and may be gone in the next try
LONGEST_TEXT = 300


class VerificationError(CrdError):
    """A failed verification. `code` is a key of FAULTS, `subject` the path of what failed."""

    def __init__(self, code: str, subject: str, detail: str = "") -> None:
        self.code, self.subject, self.detail = code, printable(subject), printable(detail)
        super().__init__(f"{self.subject} {FAULTS[code]}{f' ({self.detail})' if detail else ''}")

    @property
    def is_false(self) -> bool:
        """Whether something is false. Otherwise the verification could not be completed; a later one may be."""
        return self.code not in UNPROVEN


def printable(text: str) -> str:
    """Returns a text that a terminal shows as it is: details can come from whoever forged a file."""
    shown = "".join(each if each.isprintable() else "?" for each in text)
    return shown if len(shown) <= LONGEST_TEXT else f"{shown[:LONGEST_TEXT]}..."


def gravest(faults: list[VerificationError]) -> VerificationError:
    """Returns the fault to report: a mixture explains the others, and a false file counts more than an unread one."""
    order = {"mixed": 0, "unreachable": 2}
    return min(faults, key=lambda fault: order.get(fault.code, 1))
