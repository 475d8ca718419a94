"""Signed documents in the compact form of JWS (RFC 7515), verified by joserfc."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..canonical import sha256
from ..errors import MissingPackageError
from ..strict_json import parse_canonical
from .faults import VerificationError
from .forms import FORMS, public_key, thumbprint

try:
    from joserfc import jwk, jws
    from joserfc.errors import JoseError
except ImportError as fault:
    advice = 'crd verify needs the package joserfc. Run: pip install "joserfc>=1.6,<2"'
    raise MissingPackageError(advice) from fault

ALGORITHMS = {"Ed25519": "EdDSA", "P-256": "ES256"}  # the only one of each kind of key
TYPES = {"key-set": "crd-key-set+jws", "release-statement": "crd-release+jws", "timestamp": "crd-timestamp+jws"}
PARTS = 3
SIGNATURE_BYTES = 64  # of both algorithms
MAX_SIGNED_BYTES = 2**18
Key = Mapping[str, Any]


class OneAlgorithm(jws.JWSRegistry):
    """
    Allows one algorithm, without the warning that EdDSA has a newer name (RFC 9864), and longer payloads than joserfc
    does by default: 128,000 bytes, in earlier versions 8,000.
    """

    max_payload_length = MAX_SIGNED_BYTES

    def __init__(self, name: str) -> None:
        super().__init__(algorithms=[name])
        self.name = name

    def get_alg(self, name: str) -> Any:
        return self.algorithms[name] if name == self.name else super().get_alg(name)


@dataclass(frozen=True)
class SignedDocument:
    """A signed document whose form was checked, but not its signature. `content` is what it says if that is true."""

    kind: str
    subject: str
    kid: str
    algorithm: str
    content: Any
    text: bytes

    def verified_by(self, key: Key) -> dict[str, Any]:
        """Returns the content, after the signature was verified with exactly this key and its algorithm."""
        algorithm = ALGORITHMS[key["crv"]]
        if self.algorithm != algorithm:
            raise VerificationError("jws-algorithm", self.subject, f"alg {self.algorithm}")
        if len(decode_part(self.text.rpartition(b".")[2]) or b"") != SIGNATURE_BYTES:
            raise VerificationError("jws-malformed", self.subject, f"its signature is not {SIGNATURE_BYTES} bytes")
        try:
            imported = jwk.import_key(dict(key))
            registry = OneAlgorithm(algorithm)
            signature = jws.extract_compact(self.text, registry=registry)
            if not jws.validate_compact(signature, imported, registry=registry):
                raise VerificationError("jws-altered", self.subject)
        except (JoseError, ValueError, TypeError) as fault:
            raise VerificationError("jws-malformed", self.subject, str(fault)) from fault
        place = FORMS[self.kind](self.content)
        if place is not None:
            detail = f"it does not match the schema {self.kind}/1 at {place}"
            raise VerificationError("jws-malformed", self.subject, detail)
        signed: dict[str, Any] = self.content
        return signed


def read_jws(data: bytes, kind: str, subject: str) -> SignedDocument:
    """
    Checks the form of a signed document: three parts in canonical Base64url, a header of exactly alg, kid and typ, and
    canonical JSON in header and payload.
    """
    if len(data) > MAX_SIGNED_BYTES:
        raise VerificationError("jws-malformed", subject, f"it has more than {MAX_SIGNED_BYTES} bytes")
    parts = [decode_part(part) for part in data.split(b".")]
    if len(parts) != PARTS or None in parts:
        raise VerificationError("jws-malformed", subject, "it is not three parts in Base64url")
    header = parse_part("header", parts[0] or b"", subject)
    if not isinstance(header, dict):
        raise VerificationError("jws-malformed", subject, "the header is not an object")
    other = sorted(set(header) - {"alg", "kid", "typ"})
    if other:
        raise VerificationError("jws-malformed", subject, f"the header has {other[0]}")
    if header.get("typ") != TYPES[kind]:
        raise VerificationError("jws-kind", subject, f"typ {header.get('typ')}")
    if header.get("alg") not in ALGORITHMS.values():
        raise VerificationError("jws-algorithm", subject, f"alg {header.get('alg')}")
    if thumbprint(header.get("kid")) is not None:
        raise VerificationError("jws-malformed", subject, f"kid {header.get('kid')}")
    payload = parse_part("payload", parts[1] or b"", subject)
    return SignedDocument(kind, subject, header["kid"], header["alg"], payload, data)


def decode_part(part: bytes) -> bytes | None:
    """Returns the bytes of a part; None if it is not their only form in Base64url (RFC 4648, section 3.5)."""
    try:
        decoded = base64.urlsafe_b64decode(part + b"=" * (-len(part) % 4))
    except ValueError:
        return None
    return decoded if base64.urlsafe_b64encode(decoded).rstrip(b"=") == part else None


def parse_part(name: str, part: bytes, subject: str) -> Any:
    """Returns the value of a part, which must be canonical JSON."""
    try:
        return parse_canonical(part)
    except ValueError as fault:
        raise VerificationError("jws-malformed", subject, f"the {name}: {fault}") from fault


def thumbprint_of(key: object) -> str | None:
    """Returns the SHA-256 thumbprint of a public key (RFC 7638); None if it is not a key."""
    if not isinstance(key, dict) or public_key(key) is not None:
        return None
    return base64.urlsafe_b64encode(sha256(key)).rstrip(b"=").decode("ascii")
