"""Requests, retries and problem documents. The key is sent only to the service's own address."""

from __future__ import annotations

import email.utils
import http.client
import math
import re
import threading
import time
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar
from urllib.parse import urljoin, urlsplit

from urllib3.exceptions import DecodeError, HTTPError

from .connections import Connections, TooLongError
from .document_forms import LINK, PROBLEM, url
from .errors import AccessError, CrdError, DamagedError, DataError, FileError, NotFoundError, TemporaryError
from .settings import DISTRIBUTION, advice_on_key, advice_on_missing_key, package_version
from .strict_json import parse_object
from .values import MAX_FILE_BYTES, etag, url_path

TIMEOUT_SECONDS = 60.0  # without any byte
ANSWER_SECONDS = 120.0  # for a whole answer
LONGEST_WAIT_SECONDS = 120.0  # for all tries of a file together
FIRST_WAIT_SECONDS = 0.5
SMALL_BYTES = 65_536  # no link or problem document is longer
LARGE_BYTES = 2**20  # longer answers are received one after another
PIECE_BYTES = 65_536
REDIRECTS = 5
VOLUMES = "?volumes="  # asks for links to the volumes of a manifest too
MOVED = (301, 302, 303, 307, 308)
EMPTY = (204, 304)  # have no content
LENGTHS = ("content-length", "transfer-encoding")

T = TypeVar("T")
# What is raised without an answer, or within one; ValueError for an address that cannot be used.
UNANSWERED = (HTTPError, http.client.HTTPException, OSError, ValueError, OverflowError, zlib.error)


class Link(NamedTuple):
    """An address of a file that needs no key, with its size and digest."""

    url: str
    sha256: str
    bytes: int
    volumes: Sequence[Link] = ()  # of a manifest
    path: str = ""
    until: float = math.inf  # on the clock of `time.monotonic`


class Answer(NamedTuple):
    """The content of a public file and its ETag. No content means that the file is unchanged."""

    data: bytes | None
    etag: str
    is_cached: bool  # a cache on the way says that it answered


class Transport:
    """Talks to one service. Several threads can use it."""

    def __init__(self, base_url: str, api_key: str | None, tries: int) -> None:
        self.base_url, self.api_key, self.tries = base_url, api_key, tries
        self.stopped = threading.Event()
        self.large = threading.Lock()
        self.headers = {"User-Agent": f"{DISTRIBUTION}/{package_version()}", "Accept-Encoding": "gzip"}
        self.connections = Connections(TIMEOUT_SECONDS)
        weakref.finalize(self, self.connections.close)

    def retrying(self, action: Callable[[], T]) -> T:
        """Runs `action` until it has no temporary error; waits as long as the service asks for, within a limit."""
        left = LONGEST_WAIT_SECONDS
        for attempt in range(1, self.tries + 1):
            try:
                return action()
            except TemporaryError as fault:
                wait = FIRST_WAIT_SECONDS * 2 ** (attempt - 1) if fault.seconds is None else fault.seconds
                wait = min(wait, left)
                if attempt == self.tries or left <= 0 or self.stopped.wait(wait):
                    raise
                left -= wait
        raise AssertionError("there is at least one try")

    def request_public(self, path: str, etag: str | None, fresh: bool, size: int | None = None) -> Answer:
        """Requests a public file, without the key, from any host. `fresh` asks caches whether it changed."""
        headers = {} if etag is None else {"If-None-Match": etag}
        if fresh:
            headers["Cache-Control"] = "no-cache"
        status, answer, data, address = self.get(self.address(path), headers, size, follows=True)
        is_cached = re.fullmatch("0*[1-9][0-9]*", answer.get("Age", "")) is not None
        if status == 304 and etag is not None:
            return Answer(None, etag, is_cached)
        if status != 200:
            raise explain(address, status, answer, data)
        return Answer(data, usable_etag(answer), is_cached)

    def request_link(self, path: str, digest: str | None) -> Link | None:
        """Requests a link to a subscriber file; returns None if the file still has the digest."""
        headers = {"Accept": 'application/json; profile="signed-url"'}
        if self.api_key is not None:
            headers["X-API-Key"] = self.api_key
        if digest is not None:
            headers["If-None-Match"] = f'"sha256:{digest}"'
        asked = time.monotonic()
        most = LARGE_BYTES if VOLUMES in path else SMALL_BYTES
        status, answer, data, address = self.get(self.address(path), headers, most, follows=False)
        if status == 304 and digest is not None:
            return None
        if status != 200:
            fault = explain(address, status, answer, data)
            if self.api_key is None and isinstance(fault, AccessError):
                is_missing = fault.code == "api-key-missing"
                advice = (advice_on_missing_key if is_missing else advice_on_key)(self.base_url)
                raise AccessError(f"{fault} {advice}".rstrip(), fault.code)
            raise fault
        try:
            body = parse_object(data, "A link", LINK)
        except DataError as fault:
            raise self.unexpected() from fault
        until = asked + body.get("expires_in", 0)
        volumes = [
            Link(each["url"], each["sha256"], each["bytes"], (), each["path"], until)
            for each in body.get("volumes", [])
        ]
        return Link(body["url"], body["sha256"], body["bytes"], volumes)

    def address(self, path: str) -> str:
        if url_path(path) is not None:
            raise DataError(f"The path {path[:100]!r} of a file is not valid.")
        return self.base_url + path

    def unexpected(self) -> TemporaryError:
        """Returns the error for an answer of another program, or of a proxy that asks its users to sign in."""
        return TemporaryError(f"{self.base_url} does not answer like the service. Check the address.")

    def download(self, url: str, size: int) -> bytes:
        """Downloads a link, without the key."""
        status, _, data, _ = self.get(url, {}, size, follows=True)
        if status != 200:
            raise FileError(f"its download link returned {status}")
        if len(data) != size:
            raise DamagedError("its size or digest differs from the listed one")
        return data

    def get(
        self, url: str, headers: dict[str, str], size: int | None, follows: bool
    ) -> tuple[int, Mapping[str, str], bytes, str]:
        """
        Returns status, headers and content of an answer, and the address that gave it. Of a file of `size` bytes, which
        can be unknown, one byte more is read, to know that it is longer; of other answers a few.
        """
        is_started, address = False, url
        most = MAX_FILE_BYTES if size is None else min(size, MAX_FILE_BYTES)

        def receive() -> tuple[int, Mapping[str, str], bytes, str]:
            nonlocal is_started, address
            for _ in range(REDIRECTS + 1):
                check_request(self.base_url, address, headers)
                answer = self.connections.open(address, {**self.headers, **headers})
                try:
                    where = answer.headers.get("Location") if follows and answer.status in MOVED else None
                    if where is not None:
                        address = urljoin(address, where)
                        continue
                    is_started = True
                    own = most if answer.status == 200 else SMALL_BYTES
                    pieces = answer.stream(PIECE_BYTES, decode_content=False)
                    encoding = answer.headers.get("Content-Encoding", "")
                    data = self.joined(unpacked(pieces, encoding, own + 1))
                    if not data and answer.status not in EMPTY and not {*LENGTHS} & {*map(str.lower, answer.headers)}:
                        raise HTTPError("it ended within its headers")  # which the library takes for a whole answer
                    return answer.status, answer.headers, data, address
                finally:
                    if not answer.closed:  # without its end, which the next request would find
                        answer.close()
                    answer.release_conn()
            raise HTTPError(f"more than {REDIRECTS} redirects")

        try:
            with self.connections.limited(ANSWER_SECONDS):
                return receive()
        except TooLongError as fault:
            raise FileError(f"its download took more than {ANSWER_SECONDS:.0f} seconds") from fault
        except UNANSWERED as fault:
            if is_started:
                raise FileError(f"its download was cut off ({describe(fault)})") from fault
            host = re.sub("^https?://([^/?#]*).*", r"\1", address)
            raise TemporaryError(f"no connection ({host}: {describe(fault)})") from fault

    def joined(self, pieces: Iterator[bytes]) -> bytes:
        """Returns all pieces together. Only one thread at a time has more than LARGE_BYTES of an incomplete answer."""
        data = bytearray()
        for piece in pieces:
            data += piece
            if len(data) > LARGE_BYTES:
                with self.large:
                    for rest in pieces:
                        data += rest
        return bytes(data)

    def close(self) -> None:
        self.connections.close()


def check_request(own: str, address: str, headers: Mapping[str, str]) -> None:
    """Refuses a link or a redirect to another kind of address, and the key on its way to another service."""
    is_plain = not address.startswith("https:") and own.startswith("https:")
    if url(address) is not None or is_plain:
        raise AccessError(f"the service names the address {address}, which is not read")
    if "X-API-Key" in headers and origin(address) != origin(own):
        raise AccessError(f"the key is not sent to {address}")


def origin(address: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def unpacked(pieces: Iterator[bytes], encoding: str, most: int) -> Iterator[bytes]:
    """Yields the content of an answer, and at most `most` bytes, whatever its compression is."""
    if encoding.lower() not in ("", "identity", "gzip"):
        raise DecodeError(f"its content encoding is {encoding}")
    unpacker = zlib.decompressobj(wbits=31) if encoding.lower() == "gzip" else None
    left = most
    for packed in pieces:
        piece = packed[:left] if unpacker is None else unpacker.decompress(packed, left)
        if unpacker is not None and unpacker.unused_data:
            raise DecodeError("it has more than its compressed content")
        yield piece
        left -= len(piece)
        if left <= 0:
            return
    if unpacker is not None and not unpacker.eof:
        raise DecodeError("its compression is incomplete")


def describe(fault: BaseException) -> str:
    """Returns the reason of a fault in the words of its cause: those of the library name its own objects."""
    while (cause := fault.__cause__ or fault.__context__) is not None:
        fault = cause
    return str(fault) or type(fault).__name__


def usable_etag(headers: Mapping[str, str]) -> str:
    """Returns the ETag of an answer; an empty text if it has none that can be sent back."""
    found = headers.get("ETag", "")
    return found if etag(found) is None else ""


def explain(address: str, status: int, headers: Mapping[str, str], data: bytes) -> CrdError:
    """
    Returns the error for an answer from an address. It names its host, because a key can be for another one. Problem
    documents say what is wrong, and which plan has a file.
    """
    host = urlsplit(address).netloc
    if 300 <= status < 400:
        where = headers.get("Location", "nowhere")
        return AccessError(f"the service {host} redirects to {where} unexpectedly; the key was not sent there")
    text, code = f"the service {host} answered {status}", ""
    try:
        problem = parse_object(data, "A problem", PROBLEM)
        text, code = f"{host}: {problem['detail']} ({problem['code']})", problem["code"]
    except DataError:
        pass
    if status == 429 or status >= 500:
        return TemporaryError(text, retry_after(headers.get("Retry-After", "")))
    return NotFoundError(text) if status in (404, 410) else AccessError(text, code)


def retry_after(value: str) -> float | None:
    """Parses a Retry-After header: seconds, or a date. Returns None for anything else, and for longer times a limit."""
    if re.fullmatch("[0-9]+", value):
        return min(float(value[:10]), LONGEST_WAIT_SECONDS)
    try:
        seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
    return min(max(0.0, seconds), LONGEST_WAIT_SECONDS)
