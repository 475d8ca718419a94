"""The forms of the signed documents, as the JSON Schemas key-set/1, release-statement/1 and timestamp/1 define them."""

from __future__ import annotations

from ..values import (
    Form,
    by_name,
    each_of,
    either,
    exactly,
    instant,
    optional,
    positive,
    record,
    revision,
    sha256,
    text,
    url_path,
)

SITE = r"[!\"$-~]+"
THUMBPRINT = "[A-Za-z0-9_-]{43}"
site = text(SITE, 200)
thumbprint = text(THUMBPRINT)
coordinate = text("[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]")  # 32 bytes: the last bits are 0
public_key = either(
    record(kty=exactly("OKP"), crv=exactly("Ed25519"), x=coordinate),
    record(kty=exactly("EC"), crv=exactly("P-256"), x=coordinate, y=coordinate),
)
revocation = record(at=instant, reason=text("(?s).{1,200}"))

FORMS: dict[str, Form] = {
    "key-set": record(
        schema=exactly("key-set/1"),
        site=site,
        version=positive,
        issued_at=instant,
        expires=instant,
        signed_from_sequence=positive,
        root=public_key,
        keys=each_of(
            record(
                kid=thumbprint,
                jwk=public_key,
                valid_from=instant,
                valid_until=instant,
                revoked=optional(revocation),
            ),
            most=100,
        ),
    ),
    "release-statement": record(
        schema=exactly("release-statement/1"),
        site=site,
        revision=revision,
        sequence=positive,
        sha256=sha256,
        previous=optional(record(revision=revision, sha256=sha256)),
        release_sha256=sha256,
        manifests=by_name(url_path, sha256),
        history_sha256=sha256,
        published_at=instant,
        generator=record(
            version=text("(?s).{1,100}"),
            commit=optional(text("[0-9a-f]{40}(-modified)?")),
            lockfile_sha256=optional(sha256),
        ),
    ),
    "timestamp": record(
        schema=exactly("timestamp/1"),
        site=site,
        sequence=positive,
        sha256=sha256,
        as_of=instant,
        expires=instant,
    ),
}
RELEASES = record(
    schema=exactly("releases/1"),
    releases=each_of(record(sequence=positive, revision=revision, sha256=sha256, published_at=instant), most=1_000_000),
)
