"""Signed documents in the compact form of JWS (RFC 7515), verified by joserfc."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import MissingPackageError
from ..strict_json import parse_json
from .faults import VerificationError
from .forms import FORMS, public_key

try:
    from joserfc import jwk, jws
    from joserfc.errors import JoseError, MissingAlgorithmError
    from joserfc.util import urlsafe_b64decode
except ImportError as fault:
    advice = 'crd verify needs the package joserfc. Run: pip install "joserfc>=1.6,<2"'
    raise MissingPackageError(advice) from fault

ALGORITHMS = {"Ed25519": "EdDSA", "P-256": "ES256"}  # the only one of each kind of key
TYPES = {"key-set": "crd-key-set+jws", "release-statement": "crd-release+jws", "timestamp": "crd-timestamp+jws"}
SIGNATURE_BYTES = 64  # of both algorithms
Key = Mapping[str, Any]


class OneAlgorithm(jws.JWSRegistry):
    """Allows one algorithm, without the warning that EdDSA has a newer name (RFC 9864)."""

    def __init__(self, name: str) -> None:
        super().__init__(algorithms=[name])
        self.name = name

    def get_alg(self, name: str) -> Any:
        return self.algorithms[name] if name == self.name else super().get_alg(name)


@dataclass(frozen=True)
class SignedDocument:
    """A signed document whose header was checked, but not its signature."""

    kind: str
    subject: str
    kid: str
    algorithm: str
    signature: jws.CompactSignature

    def content(self) -> Any:
        """Returns the content without looking at the signature; None if it is not JSON."""
        try:
            return parse_json(self.signature.payload)
        except ValueError:
            return None

    def verified_by(self, key: Key) -> dict[str, Any]:
        """Returns the content, after the signature was verified with exactly this key and its algorithm."""
        algorithm = ALGORITHMS[key["crv"]]
        if self.algorithm != algorithm:
            raise VerificationError("jws-algorithm", self.subject, f"alg {self.algorithm}")
        try:
            if len(urlsafe_b64decode(self.signature.segments["signature"])) != SIGNATURE_BYTES:
                raise VerificationError("jws-malformed", self.subject, "the signature is not 64 bytes")
            imported = jwk.import_key(dict(key))
            if not jws.validate_compact(self.signature, imported, registry=OneAlgorithm(algorithm)):
                raise VerificationError("jws-altered", self.subject)
        except (JoseError, ValueError, TypeError) as fault:
            raise VerificationError("jws-malformed", self.subject, str(fault)) from fault
        content = self.content()
        place = FORMS[self.kind](content)
        if place is not None:
            detail = f"the content does not match the {self.kind} schema{f' at {place}' if place else ''}"
            raise VerificationError("jws-malformed", self.subject, detail)
        signed: dict[str, Any] = content
        return signed


def read_jws(data: bytes, kind: str, subject: str) -> SignedDocument:
    """Reads a signed document. Its header must be exactly alg, kid and typ, and typ that of its kind."""
    try:
        signature = jws.extract_compact(data.strip())
        header = dict(signature.headers())
    except MissingAlgorithmError as fault:
        raise VerificationError("jws-algorithm", subject, "the header has no alg") from fault
    except (JoseError, ValueError, TypeError, RecursionError) as fault:
        raise VerificationError("jws-malformed", subject) from fault
    other = sorted(set(header) - {"alg", "kid", "typ"})
    if other:
        raise VerificationError("jws-malformed", subject, f"the header has {other[0]}")
    if header.get("typ") != TYPES[kind]:
        raise VerificationError("jws-kind", subject, f"typ {header.get('typ')}")
    if header["alg"] not in ALGORITHMS.values():
        raise VerificationError("jws-algorithm", subject, f"alg {header['alg']}")
    if not isinstance(header.get("kid"), str):
        raise VerificationError("jws-malformed", subject, "the header has no kid")
    return SignedDocument(kind, subject, header["kid"], header["alg"], signature)


def thumbprint_of(key: object) -> str | None:
    """Returns the SHA-256 thumbprint of a public key (RFC 7638); None if it is not a key."""
    if not isinstance(key, dict) or public_key(key) is not None:
        return None
    try:
        return jwk.import_key(dict(key)).thumbprint()
    except (JoseError, ValueError, TypeError):
        return None
