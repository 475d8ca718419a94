"""
Client of the chain reference data: daily regimes and metrics of blockchains, verified by digest.

    import crd
    frame = crd.calendar("bitcoin")                                  # public
    frame = crd.history("gold", "bitcoin", as_of="2026-03-01")       # with CRD_API_KEY

The functions use a default client, configured by CRD_BASE_URL, CRD_API_KEY and CRD_CACHE_DIR. `Client` has the same
methods. Functions that return frames need pandas; `crd.tables()` returns plain rows without it.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from .client import Client
from .errors import (
    AccessError,
    ChangedError,
    CrdError,
    DamagedError,
    DataError,
    FileError,
    IncompleteError,
    MissingPackageError,
    NotFoundError,
    TemporaryError,
    UsageError,
)
from .settings import package_version
from .tables import Tables
from .verification.faults import VerificationError
from .verification.result import Verification

P = ParamSpec("P")
T = TypeVar("T")

__version__ = package_version()


@functools.cache
def default_client() -> Client:
    """Returns the client of the functions below. It is made when it is first needed."""
    return Client()


def tables() -> Tables:
    """Returns the default client's data as tables, which need no other package."""
    return default_client().tables


def by_default_client(method: Callable[Concatenate[Client, P], T]) -> Callable[P, T]:
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        return method(default_client(), *args, **kwargs)

    signature = inspect.signature(method)
    own = [each for name, each in signature.parameters.items() if name != "self"]
    call.__name__, call.__doc__ = method.__name__, method.__doc__
    call.__dict__["__signature__"] = signature.replace(parameters=own)
    return call


status = by_default_client(Client.status)
calendar = by_default_client(Client.calendar)
calendars = by_default_client(Client.calendars)
day = by_default_client(Client.day)
latest = by_default_client(Client.latest)
bundle = by_default_client(Client.bundle)
history = by_default_client(Client.history)
recompute = by_default_client(Client.recompute)
sync = by_default_client(Client.sync)
regimes_on = by_default_client(Client.regimes_on)


def verify(
    trust: str,
    source: str | os.PathLike[str] | None = None,
    since: str | os.PathLike[str] | None = None,
    days: bool = False,
    at: str | None = None,
) -> Verification:
    """
    Verifies a service like `Client.verify`, or a folder that `sync` created. `source` is the address of the service, by
    default that of the default client, or the folder. A folder is verified without a network: as of now, or as of the
    instant `at`, such as "2026-03-01T06:00:00Z".
    """
    from .verify_source import verify_source

    return verify_source(trust, source, since, days, at)


__all__ = [
    "AccessError",
    "ChangedError",
    "Client",
    "CrdError",
    "DamagedError",
    "DataError",
    "FileError",
    "IncompleteError",
    "MissingPackageError",
    "NotFoundError",
    "Tables",
    "TemporaryError",
    "UsageError",
    "Verification",
    "VerificationError",
    "bundle",
    "calendar",
    "calendars",
    "day",
    "default_client",
    "history",
    "latest",
    "recompute",
    "regimes_on",
    "status",
    "sync",
    "tables",
    "verify",
]
