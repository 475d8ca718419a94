"""The files by which a signed release is verified: their URL paths, and their names in a mirror."""

from __future__ import annotations

KEYS = "/.well-known/chain-reference-data/keys.jws"
TIMESTAMP = "/api/v1/timestamp.jws"
STATEMENT = "/api/v1/release.jws"
RELEASES = "/api/v1/releases.json"
RELEASE = "/api/v1/release"

# The files in a mirror. The key set and the timestamp can change without a release; the timestamp is written last.
MIRRORED = {
    RELEASES: "trust/releases.json",
    RELEASE: "trust/release.json",
    KEYS: "trust/keys.jws",
    STATEMENT: "trust/release.jws",
    TIMESTAMP: "trust/timestamp.jws",
}
