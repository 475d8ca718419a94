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
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util import make_headers, parse_url

from .errors import MissingPackageError
from .settings import LOOPBACK_HOSTS

CONNECTIONS = 32  # to a host
AGAIN_SECONDS = 1.0


class TooLongError(Exception):
    """A request has taken longer than it may."""


class Connections:
    """Opens requests, through the proxy of the environment if there is one. Several threads can use it."""

    def __init__(self, timeout_seconds: float) -> None:
        self.timeout_seconds = timeout_seconds  # without any byte
        self.opened: weakref.WeakSet[HTTPConnection] = weakref.WeakSet()
        self.managers: dict[str | None, urllib3.PoolManager] = {}
        self.running: dict[object, float] = {}  # requests, and when each must have ended
        self.watched = math.inf  # when the watcher looks again
        self.watcher: threading.Thread | None = None
        self.lock, self.earlier = threading.Lock(), threading.Event()

    def open(self, url: str, headers: dict[str, str]) -> urllib3.BaseHTTPResponse:
        """Sends a GET request, and returns its answer, whose content is not read yet. Redirects are not followed."""
        return self.manager(proxy_of(url)).request(
            "GET",
            url,
            headers=headers,
            redirect=False,
            retries=False,
            timeout=self.timeout_seconds,
            preload_content=False,
        )

    def manager(self, proxy: str | None) -> urllib3.PoolManager:
        """Returns the pools of connections through a proxy, or of direct ones."""
        found = self.managers.get(proxy)
        if found is None:
            found = new_manager(proxy)
            found.pool_classes_by_scheme = {
                name: type(pool.__name__, (pool,), {"ConnectionCls": self.noting(connection)})
                for name, pool, connection in (
                    ("http", urllib3.HTTPConnectionPool, HTTPConnection),
                    ("https", urllib3.HTTPSConnectionPool, HTTPSConnection),
                )
            }
            found = self.managers.setdefault(proxy, found)
        return found

    def noting(self, kind: type[HTTPConnection]) -> type[HTTPConnection]:
        """Returns a kind of connection that `close` finds also while it is used."""
        opened = self.opened

        class Noted(kind):  # type: ignore[valid-type, misc]
            def connect(self) -> None:
                opened.add(self)
                super().connect()

        return Noted

    @contextlib.contextmanager
    def limited(self, seconds: float) -> Iterator[None]:
        """
        Ends all connections if what runs inside takes longer, so that a thread which waits for an answer goes on.
        Raises TooLongError then.
        """
        request = object()
        ends = time.monotonic() + seconds
        with self.lock:
            self.running[request] = ends
            if ends < self.watched:
                self.watched = ends
                self.earlier.set()
                if self.watcher is None:
                    self.watcher = threading.Thread(target=watch, args=(weakref.ref(self), self.earlier), daemon=True)
                    self.watcher.start()
        try:
            yield
        except Exception as fault:
            if time.monotonic() >= ends:
                raise TooLongError from fault
            raise
        else:
            if time.monotonic() >= ends:  # what was cut off within its headers can look like an empty answer
                raise TooLongError
        finally:
            with self.lock:
                del self.running[request]

    def next_end(self) -> float | None:
        """Ends the connections if a request takes too long. Returns when the next one does; None if none is running."""
        with self.lock:
            self.watched = min(self.running.values(), default=math.inf)
            if self.watched == math.inf:
                self.watcher = None
                return None
        if self.watched > time.monotonic():
            return self.watched
        self.close()
        return time.monotonic() + AGAIN_SECONDS  # a connection that was not open yet

    def close(self) -> None:
        """Ends all connections, also those that a thread still reads from."""
        for connection in list(self.opened):
            try:
                if connection.sock is not None:
                    connection.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it has ended already
        for manager in self.managers.values():
            manager.clear()


def watch(of: weakref.ref[Connections], earlier: threading.Event) -> None:
    """Ends the connections of requests that take too long, as long as there are any."""
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
    return urllib3.ProxyManager(proxy, proxy_headers=headers, **kept)


def proxy_of(url: str) -> str | None:
    """Returns the proxy of the environment for an address. One for this machine would see the key."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in LOOPBACK_HOSTS or urllib.request.proxy_bypass(host):
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
