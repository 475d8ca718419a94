"""Requests, retries and problem documents. The key is sent only to the service's own address."""

from __future__ import annotations

import email.utils
import json
import re
import threading
import time
import weakref
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import httpx

from .errors import AccessError, CrdError, DamagedError, FileError, NotFoundError, TemporaryError
from .settings import DISTRIBUTION, LOOPBACK_HOSTS, advice_on_key, advice_on_missing_key, package_version

TIMEOUT_SECONDS = 60.0
LONGEST_WAIT_SECONDS = 120.0
FIRST_WAIT_SECONDS = 0.5
SMALL_BYTES = 65_536  # no link or problem document is longer
CONNECTIONS = 32

T = TypeVar("T")


class Link(NamedTuple):
    """An address of a file that needs no key, with its size and digest."""

    url: str
    sha256: str
    bytes: int


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
        headers = {"User-Agent": f"{DISTRIBUTION}/{package_version()}"}
        limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
        hosts = [f"[{host}]" if ":" in host else host for host in LOOPBACK_HOSTS]
        direct = {f"all://{host}": None for host in hosts}  # a proxy of the environment would see the key
        self.http = httpx.Client(timeout=TIMEOUT_SECONDS, headers=headers, limits=limits, mounts=direct)
        weakref.finalize(self, self.http.close)

    def retrying(self, action: Callable[[], T]) -> T:
        """Runs `action` until it has no temporary error; waits as long as the service asks for."""
        for attempt in range(1, self.tries + 1):
            try:
                return action()
            except TemporaryError as fault:
                wait = FIRST_WAIT_SECONDS * 2 ** (attempt - 1) if fault.seconds is None else fault.seconds
                if attempt == self.tries or self.stopped.wait(min(wait, LONGEST_WAIT_SECONDS)):
                    raise
        raise AssertionError("there is at least one try")

    def request_public(self, path: str, etag: str | None, fresh: bool) -> Answer:
        """Requests a public file, without the key, from any host. `fresh` asks caches whether it changed."""
        headers = {} if etag is None else {"If-None-Match": etag}
        if fresh:
            headers["Cache-Control"] = "no-cache"
        status, answer, data = self.get(self.base_url + path, headers, None, follows=True)
        is_cached = re.fullmatch("0*[1-9][0-9]*", answer.get("Age", "")) is not None
        if status == 304 and etag is not None:
            return Answer(None, etag, is_cached)
        if status != 200:
            raise explain(status, answer, data)
        return Answer(data, answer.get("ETag", ""), is_cached)

    def request_link(self, path: str, digest: str | None) -> Link | None:
        """Requests a link to a subscriber file; returns None if the file still has the digest."""
        headers = {"Accept": 'application/json; profile="signed-url"'}
        if self.api_key is not None:
            headers["X-API-Key"] = self.api_key
        if digest is not None:
            headers["If-None-Match"] = f'"sha256:{digest}"'
        status, answer, data = self.get(self.base_url + path, headers, SMALL_BYTES, follows=False)
        if status == 304 and digest is not None:
            return None
        if status != 200:
            fault = explain(status, answer, data)
            if self.api_key is None and isinstance(fault, AccessError):
                is_missing = fault.code == "api-key-missing"
                advice = (advice_on_missing_key if is_missing else advice_on_key)(self.base_url)
                raise AccessError(f"{fault} {advice}".rstrip(), fault.code)
            raise fault
        return self.parse_link(data)

    def parse_link(self, data: bytes) -> Link:
        try:
            body = json.loads(data)
            link = Link(body["url"], body["sha256"], body["bytes"])
            if re.match("https?://", link.url) and re.fullmatch("[0-9a-f]{64}", link.sha256) and link.bytes >= 0:
                return link
        except (ValueError, TypeError, KeyError):
            pass
        raise self.unexpected()

    def unexpected(self) -> TemporaryError:
        """Returns the error for an answer of another program, or of a proxy that asks its users to sign in."""
        return TemporaryError(f"{self.base_url} does not answer like the service. Check the address.")

    def download(self, url: str, size: int) -> bytes:
        """Downloads a link, without the key."""
        status, _, data = self.get(url, {}, size, follows=True)
        if status != 200:
            raise FileError(f"its download link returned {status}")
        if len(data) != size:
            raise DamagedError("its size or digest differs from the listed one")
        return data

    def get(
        self, url: str, headers: dict[str, str], most: int | None, follows: bool
    ) -> tuple[int, httpx.Headers, bytes]:
        """Returns status, headers and at most `most` + 1 bytes of an answer."""
        data = bytearray()
        started = False
        try:
            with self.http.stream("GET", url, headers=headers, follow_redirects=follows) as answer:
                started = True
                for chunk in answer.iter_bytes():
                    data += chunk
                    if most is not None and len(data) > most:
                        break
                return answer.status_code, answer.headers, bytes(data[: None if most is None else most + 1])
        except (httpx.TransportError, httpx.DecodingError, httpx.TooManyRedirects) as fault:
            if started:
                raise FileError(f"its download was cut off ({describe(fault)})") from fault
            raise TemporaryError(f"no connection ({httpx.URL(url).host}: {describe(fault)})") from fault


def describe(fault: Exception) -> str:
    return str(fault) or type(fault).__name__


def explain(status: int, headers: httpx.Headers, data: bytes) -> CrdError:
    """Returns the error for an answer. Problem documents say what is wrong, and which plan has a file."""
    if 300 <= status < 400:
        where = headers.get("Location", "nowhere")
        return AccessError(f"the service redirects to {where} unexpectedly; the key was not sent there")
    text, code = f"the service answered {status}", ""
    try:
        problem = json.loads(data)
        text, code = f"{problem['detail']} ({problem['code']})", str(problem["code"])
    except (ValueError, TypeError, KeyError):
        pass
    if status == 429 or status >= 500:
        return TemporaryError(text, retry_after(headers.get("Retry-After", "")))
    return NotFoundError(text) if status in (404, 410) else AccessError(text, code)


def retry_after(value: str) -> float | None:
    """Parses a Retry-After header: seconds, or a date."""
    if value.isdecimal():
        return float(value)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
