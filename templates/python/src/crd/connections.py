"""Connections to the service and to the hosts of its links, kept open and used again."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import socket
import ssl
import threading
import time
import urllib.request
import weakref
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

import certifi
import urllib3
from urllib3.connection import HTTPConnection
from urllib3.util import make_headers, parse_url

from .errors import MissingPackageError
from .settings import LOOPBACK_HOSTS

CONNECTIONS = 32  # to a host
AGAIN_SECONDS = 1.0


class TooLongError(Exception):
    """A request has taken longer than it may."""


class Request:
    """A request that is running: when it must have ended, and the connection that it uses."""

    def __init__(self, ends: float) -> None:
        self.ends = ends
        self.connection: HTTPConnection | None = None

    def end(self) -> None:
        """Ends the connection, so that a thread which waits for it goes on."""
        connection = None if self.connection is None else self.connection.sock
        if connection is not None:
            with contextlib.suppress(OSError):  # it has ended already
                connection.shutdown(socket.SHUT_RDWR)


class Connections:
    """Opens requests, through the proxy of the environment if there is one. Several threads can use it."""

    def __init__(self, timeout_seconds: float) -> None:
        self.timeout_seconds = timeout_seconds  # without any byte
        self.managers: dict[str | None, urllib3.PoolManager] = {}
        self.running: set[Request] = set()
        self.of_thread = threading.local()  # `request` is the one of the thread
        self.watched = math.inf  # when the watcher looks again
        self.watcher: threading.Thread | None = None
        self.lock, self.earlier = threading.Lock(), threading.Event()

    def open(self, url: str, headers: dict[str, str]) -> urllib3.BaseHTTPResponse:
        """Sends a GET request, and returns its answer, whose content is not read yet. Redirects are not followed."""
        proxy = proxy_of(url)
        manager = self.manager(proxy)
        requests: urllib3.PoolManager | urllib3.HTTPConnectionPool = manager
        target = url
        if proxy is None:  # as the manager does, which parses each address three times
            parts = urlsplit(url)
            requests = manager.connection_from_host(parts.hostname, parts.port, parts.scheme)
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return requests.request(
            "GET",
            target,
            headers=headers,
            redirect=False,
            retries=False,
            timeout=self.timeout_seconds,
            preload_content=False,
        )

    def manager(self, proxy: str | None) -> urllib3.PoolManager:
        """Returns the pools of connections through a proxy, or of direct ones."""
        with self.lock:
            found = self.managers.get(proxy)
            if found is None:
                found = self.managers[proxy] = new_manager(proxy)
                pools: dict[str, Any] = found.pool_classes_by_scheme
                found.pool_classes_by_scheme = {
                    scheme: type(pool.__name__, (pool,), {"ConnectionCls": self.noting(pool.ConnectionCls)})
                    for scheme, pool in pools.items()
                }
        return found

    def noting(self, kind: type[HTTPConnection]) -> type[HTTPConnection]:
        """Returns a kind of connection that the request of a thread knows while it uses it."""
        of_thread = self.of_thread

        class Noted(kind):  # type: ignore[valid-type, misc]
            def note(self) -> None:
                request: Request | None = getattr(of_thread, "request", None)
                if request is not None:
                    request.connection = self

            def connect(self) -> None:
                self.note()
                super().connect()

            def request(self, *arguments: Any, **options: Any) -> None:
                self.note()
                super().request(*arguments, **options)

        return Noted

    @contextlib.contextmanager
    def limited(self, seconds: float) -> Iterator[None]:
        """Ends the connection of what runs inside if it takes longer. Raises TooLongError then."""
        request = Request(time.monotonic() + seconds)
        self.of_thread.request = request
        with self.lock:
            self.running.add(request)
            is_alive = self.watcher is not None and self.watcher.is_alive()  # a process that was forked has no threads
            if request.ends < self.watched or not is_alive:
                self.watched = request.ends
                self.earlier.set()
            if not is_alive:
                this = weakref.ref(self, lambda _, earlier=self.earlier: earlier.set())  # type: ignore[misc]
                self.watcher = threading.Thread(target=watch, args=(this, self.earlier), daemon=True)
                self.watcher.start()
        try:
            yield
        except Exception as fault:
            if time.monotonic() >= request.ends:
                raise TooLongError from fault
            raise
        else:
            if time.monotonic() >= request.ends:  # what was cut off within its headers can look like an empty answer
                raise TooLongError
        finally:
            self.of_thread.request = None
            with self.lock:
                self.running.discard(request)

    def next_end(self) -> float | None:
        """Ends the requests that take too long. Returns when the next one does; None if none is running."""
        now = time.monotonic()
        with self.lock:
            late = [each for each in self.running if each.ends <= now]
            ends = [each.ends for each in self.running if each.ends > now]
            # A late request can be without a connection that can be ended, such as one that looks up a name.
            self.watched = min([*ends, *([now + AGAIN_SECONDS] if late else [])], default=math.inf)
            if self.watched == math.inf:
                self.watcher = None
        for each in late:
            each.end()
        return None if self.watched == math.inf else self.watched

    def close(self) -> None:
        """Ends all connections, also those that a thread still reads from."""
        with self.lock:
            running, managers = list(self.running), list(self.managers.values())
        for request in running:
            request.end()
        for manager in managers:
            manager.clear()
        self.earlier.set()


def watch(of: weakref.ref[Connections], earlier: threading.Event) -> None:
    """Ends the requests that take too long, as long as there are any."""
    while (connections := of()) is not None and (end := connections.next_end()) is not None:
        del connections
        earlier.wait(max(0, end - time.monotonic()))
        earlier.clear()


def new_manager(proxy: str | None) -> urllib3.PoolManager:
    kept: dict[str, Any] = {"maxsize": CONNECTIONS, "block": True, "ssl_context": trusted()}
    if proxy is None:
        return urllib3.PoolManager(**kept)
    if proxy.startswith("socks"):
        try:
            from urllib3.contrib.socks import SOCKSProxyManager
        except ImportError as fault:
            advice = 'Install it ("pip install urllib3[socks]"), or unset the variable that names the proxy.'
            raise MissingPackageError(f"The package PySocks is not installed. {advice}") from fault
        return SOCKSProxyManager(proxy, **kept)
    auth = parse_url(proxy).auth
    headers = None if auth is None else make_headers(proxy_basic_auth=unquote(auth))
    return urllib3.ProxyManager(proxy, proxy_headers=headers, proxy_ssl_context=trusted(), **kept)


def proxy_of(url: str) -> str | None:
    """Returns the proxy of the environment for an address. One for this machine would see the key."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in LOOPBACK_HOSTS or urllib.request.proxy_bypass(host if parts.port is None else f"{host}:{parts.port}"):
        return None
    proxies = urllib.request.getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    return found if found is None or "://" in found else f"http://{found}"


@functools.cache
def trusted() -> ssl.SSLContext:
    """Returns the certificates of SSL_CERT_FILE and SSL_CERT_DIR, otherwise those of certifi."""
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    return ssl.create_default_context(
        cafile=file or (None if folder else certifi.where()),
        capath=folder or None,
    )
