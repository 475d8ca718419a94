"""Files of the service, verified by digest and kept in the cache."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from .cache import Cache, Known, sha256_hex
from .document_forms import RELEASE as RELEASE_FORM
from .errors import AccessError, ChangedError, DamagedError, DataError, FileError, NotFoundError, TemporaryError
from .strict_json import parse_object
from .transport import VOLUMES, Link, Transport
from .trust_paths import RELEASE
from .values import Form

T = TypeVar("T")
SPARE_SECONDS = 10.0  # of the life of a link
DAMAGED = "its size or digest differs from the listed one"


class File(NamedTuple):
    """The verified content of a file, its digest and its path."""

    data: bytes
    sha256: str
    path: str

    def json(self, form: Form | None = None) -> dict[str, Any]:
        """Returns the document in the file. Raises DataError if it is not one, or does not have the form."""
        return parse_object(self.data, self.path, form)


class Received(NamedTuple):
    """The content of a file that is not verified yet, and whether a cache on the way says that it answered."""

    data: bytes
    is_cached: bool


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
    """Adds the path to an error of one file, whose text is the end of a sentence."""
    try:
        yield
    except FileError as fault:
        raise type(fault)(f"{path}: {fault}. Try again later.") from fault


class Release:
    """The public files of one release. `fresh` reads them without caches, which can be some minutes old."""

    def __init__(self, files: Files, fresh: bool) -> None:
        self.files, self.fresh = files, fresh
        value = files.read_release(fresh)
        self.revision: str = value["published_revision"]
        self.listed: dict[str, dict[str, Any]] = {each["path"]: each for each in value["files"]}

    def read(self, path: str) -> File:
        """Returns a file. Raises NotFoundError if the release has none at this path, ChangedError for other bytes."""
        listed = self.listed.get(path)
        if listed is None:
            raise NotFoundError(f"The release has no file {path}.")
        digest: str = listed["sha256"]
        data = self.files.cache.read(digest) or self.files.read_public(path, self.fresh, listed["bytes"])
        if sha256_hex(data) != digest:
            advice = "A release was published, and caches keep files for up to five minutes. Run it again later."
            raise ChangedError(f"{path}: {DAMAGED}. {advice}")
        return File(data, digest, path)


class Files:
    """Reads public files, listed by the release, and subscriber files, listed by manifests or described by links."""

    def __init__(self, transport: Transport, cache: Cache) -> None:
        self.transport, self.cache = transport, cache
        self.links: dict[str, Link] = {}  # of volumes, by path

    def public(self, path: str) -> File:
        """Returns a public file. Raises NotFoundError if the release has none at this path."""
        return self.of_one_release(lambda release: release.read(path))

    def of_one_release(self, read: Callable[[Release], T]) -> T:
        """Runs `read` on the current release; once more without caches if a file is of another release."""
        try:
            return read(Release(self, fresh=False))
        except ChangedError:
            return read(Release(self, fresh=True))

    def read_release(self, fresh: bool) -> dict[str, Any]:
        """Returns the list of the public files of a release."""
        try:
            return parse_object(self.read_public(RELEASE, fresh), RELEASE, RELEASE_FORM)
        except DataError as fault:
            raise self.transport.unexpected() from fault

    def read_public(self, path: str, fresh: bool, size: int | None = None) -> bytes:
        """Returns a public file that is not verified yet; the cached one if it is unchanged."""
        return self.receive_public(path, fresh, size).data

    def receive_public(self, path: str, fresh: bool, size: int | None = None) -> Received:
        """Like `read_public`, and says whether a cache on the way answered. A file of another size is cut off."""
        url = self.transport.base_url + path
        known = None if fresh else self.cache.known(url)
        held = None if known is None else self.cache.read(known.sha256)
        etag = None if held is None or known is None else known.etag
        answer = self.transport.retrying(lambda: self.transport.request_public(path, etag, fresh, size))
        if answer.data is None:
            assert held is not None  # only a held file is asked for with its ETag
            return Received(held, answer.is_cached)
        digest = sha256_hex(answer.data)
        self.cache.write(answer.data, digest)
        if answer.etag:
            self.cache.remember(url, Known(answer.etag, digest))
        return Received(answer.data, answer.is_cached)

    def subscriber(self, path: str, volumes: str | None = None) -> File:
        """Returns a subscriber file, verified by the digest that its link names. `newest` says what `volumes` is."""
        url = self.transport.base_url + path
        known = self.cache.known(url)
        held = None if known is None else self.cache.read(known.sha256)
        with naming(path):
            data = self.newest(path, held, volumes)
        digest = sha256_hex(data)
        if data is not held:
            self.cache.write(data, digest)
            self.cache.remember(url, Known("", digest))
        return File(data, digest, path)

    def newest(self, path: str, held: bytes | None, volumes: str | None = None) -> bytes:
        """
        Returns a verified subscriber file without the cache; `held` itself if the file still has its bytes. `volumes`
        is the format of the volumes that are read after a manifest: if none is held, its answer has the links to all.
        """

        def link_of() -> Link | None:
            if held is not None or volumes is None:
                return self.transport.request_link(path, None if held is None else sha256_hex(held))
            try:
                return self.transport.request_link(f"{path}{VOLUMES}{volumes}", None)
            except AccessError as fault:
                if fault.code != "request-malformed":  # as a service answers that is older than this client
                    raise
                return self.transport.request_link(path, None)

        def fetch() -> bytes:
            link = link_of()
            if link is None:
                assert held is not None  # only a held file is asked for with its digest
                return held
            self.links.update({each.path: each for each in link.volumes})
            return self.download(link.url, link.sha256, link.bytes)

        return self.transport.retrying(fetch)

    def listed(self, path: str, entry: Mapping[str, Any]) -> bytes:
        """Returns a file that a manifest lists with `sha256` and `bytes`. Raises ChangedError if it changed since."""
        held = self.cache.read(entry["sha256"])
        if held is not None:
            return held
        with naming(path):
            data = self.fetch_listed(path, entry)
        self.cache.write(data, entry["sha256"])
        return data

    def fetch_listed(self, path: str, entry: Mapping[str, Any]) -> bytes:
        """Downloads a file that a manifest lists, without the cache. Raises ChangedError if it is another one now."""
        digest, size = entry["sha256"], entry["bytes"]

        def fetch() -> bytes:
            link = self.links.pop(path, None)
            if link is not None and link.sha256 == digest and time.monotonic() + SPARE_SECONDS < link.until:
                with contextlib.suppress(FileError, TemporaryError):  # one of its own may work
                    return self.download(link.url, digest, size)
            try:
                link = self.transport.request_link(path, None)
            except NotFoundError as fault:
                if "?revision=" in path:  # the service keeps it, but a copy of the service may be a little behind
                    raise FileError(str(fault)) from fault
                raise ChangedError(f"{path} was removed after its manifest was read. Run it again. {fault}") from fault
            assert link is not None  # without a digest there is no 304
            if link.sha256 != digest:
                raise ChangedError(f"{path} changed after its manifest was read. Run it again.")
            return self.download(link.url, digest, size)

        return self.transport.retrying(fetch)

    def download(self, url: str, digest: str, size: int) -> bytes:
        data = self.transport.download(url, size)
        if sha256_hex(data) != digest:
            raise DamagedError(DAMAGED)
        return data
