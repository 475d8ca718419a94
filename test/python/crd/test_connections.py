"""Connections end in time, go through the proxy of the environment, and are used again."""

from __future__ import annotations

import base64
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from urllib3.exceptions import HTTPError

from crd import Client, FileError, NotFoundError, TemporaryError, connections
from crd.connections import Connections, proxy_of
from service import Answer, Service
from story import CALENDAR

STATUS = "/api/v1/status"


class SlowHeaders:
    """A service whose headers have no end: a byte now and then, or nothing more."""

    def __init__(self, ends: bool = False) -> None:
        self.ends = ends
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self) -> None:
        connection, _ = self.listener.accept()
        with connection, self.listener:
            try:
                connection.recv(65_536)  # a connection that is closed with unread bytes is reset
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                for _ in range(0 if self.ends else 3_000):
                    connection.sendall(b"x")
                    time.sleep(0.01)
            except OSError:
                self.ended.set()


@pytest.fixture
def slow() -> Iterator[SlowHeaders]:
    slow = SlowHeaders()
    yield slow
    slow.thread.join()


def test_headers_without_an_end_are_given_up_and_no_thread_stays(
    slow: SlowHeaders, client_of: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crd.transport.ANSWER_SECONDS", 0.2)
    monkeypatch.setattr(connections, "AGAIN_SECONDS", 0.1)
    transport = client_of(base_url=slow.url, api_key=None, tries=1).files.transport
    with pytest.raises(FileError, match="took more than 0 seconds"):
        transport.request_public(STATUS, None, True)
    assert slow.ended.wait(5)
    watcher = transport.connections.watcher
    if watcher is not None:  # otherwise it has ended already
        ends(watcher)


def test_an_answer_that_ends_within_its_headers_is_no_answer(client_of: Callable[..., Client]) -> None:
    cut = SlowHeaders(ends=True)
    with pytest.raises(FileError, match="cut off \\(it ended within its headers\\)"):
        client_of(base_url=cut.url, api_key=None, tries=1).files.transport.request_public(STATUS, None, True)
    cut.thread.join()


def test_a_request_without_an_end_does_not_stop_later_ones(
    service: Service, client_of: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(tries=1)
    for _ in range(3):
        monkeypatch.setattr("crd.transport.ANSWER_SECONDS", 0.1)
        service.fault = lambda path: time.sleep(0.5) if path == CALENDAR else None
        with pytest.raises(FileError, match="took more than 0 seconds"):
            client.files.read_public(CALENDAR, True)
        monkeypatch.setattr("crd.transport.ANSWER_SECONDS", 30)
        service.fault = lambda _: None
        assert client.files.read_public(CALENDAR, True) == service.public[CALENDAR]


def test_an_answer_that_was_not_read_to_its_end_is_not_the_answer_of_the_next_request(
    service: Service, client: Client
) -> None:
    for size in (0, 1, 70_000):
        service.fault = lambda path: Answer(200, b"x" * 200_000, {}) if path == CALENDAR else None
        assert client.files.read_public(CALENDAR, True, size) == b"x" * (size + 1)
        service.fault = lambda _: None
        assert client.files.read_public(CALENDAR, True) == service.public[CALENDAR]


def test_requests_use_a_connection_again(service: Service, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    create = socket.create_connection
    monkeypatch.setattr(socket, "create_connection", lambda *it, **more: opened.append(it) or create(*it, **more))  # type: ignore[func-returns-value]
    for _ in range(5):
        client.files.read_public(CALENDAR, True)
    assert len(opened) <= 1 and len(service.paths()) >= 5


def test_redirects_have_a_number(service: Service, client_of: Callable[..., Client]) -> None:
    client = client_of(tries=1)
    for count, fault in ((5, None), (6, "more than 5 redirects")):
        left = [count]

        def redirect(path: str, left: list[int] = left) -> Answer | None:
            if not path.startswith(CALENDAR) or left[0] == 0:
                return None
            left[0] -= 1
            return Answer(307, b"", {"Location": CALENDAR})

        service.fault = redirect
        if fault is None:
            assert client.files.read_public(CALENDAR, True) == service.public[CALENDAR]
        else:
            with pytest.raises(TemporaryError, match=fault):
                client.files.read_public(CALENDAR, True)


def test_a_proxy_gets_the_user_and_password_of_its_address(
    service: Service, client_of: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("no_proxy", "NO_PROXY", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", service.url.replace("//", "//user:p%40ss@"))
    with pytest.raises(NotFoundError):
        client_of(base_url="http://data.example.com", api_key=None).files.public("/api/v1/b")
    [(path, headers)] = service.requests
    assert path == "http://data.example.com/api/v1/release"
    assert headers["proxy-authorization"] == f"Basic {base64.b64encode(b'user:p@ss').decode()}"


def test_the_proxy_is_the_one_of_the_environment_for_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("all_proxy", "proxy.test:3128")
    monkeypatch.setenv("no_proxy", ".internal.test,10.0.0.1")
    assert proxy_of("https://data.example.com/x") == "http://proxy.test:3128"
    for address in ("http://a.internal.test/", "http://10.0.0.1/", "http://localhost/", "http://[::1]:8080/"):
        assert proxy_of(address) is None
    monkeypatch.setenv("no_proxy", "host.test:8443")
    assert proxy_of("https://host.test:8443/") is None
    assert proxy_of("https://host.test/") is not None
    monkeypatch.setenv("https_proxy", "http://secure.test")
    assert proxy_of("https://data.example.com/x") == "http://secure.test"
    assert proxy_of("http://data.example.com/x") == "http://proxy.test:3128"


def test_a_watch_ends_with_the_requests_that_it_is_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "AGAIN_SECONDS", 0.1)
    watched = Connections(1)
    for _ in range(2):  # and begins again
        with watched.limited(1):
            watcher = watcher_of(watched)
        ends(watcher)
    with watched.limited(120):
        watcher = watcher_of(watched)
    watched.close()
    ends(watcher)
    other = Connections(1)
    with other.limited(120):
        watcher = watcher_of(other)
    del other
    ends(watcher)


def watcher_of(connections: Connections) -> threading.Thread:
    assert connections.watcher is not None and connections.watcher.is_alive()
    return connections.watcher


def ends(thread: threading.Thread) -> None:
    thread.join(30)
    assert not thread.is_alive()


def test_a_request_that_takes_too_long_ends_no_other_one(
    slow: SlowHeaders, service: Service, client_of: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crd.transport.ANSWER_SECONDS", 3)
    transport = client_of(tries=1).files.transport
    faults: list[Exception] = []

    def request_slowly() -> None:
        try:
            transport.get(f"{slow.url}/x", {}, 1, follows=False)
        except FileError as fault:
            faults.append(fault)

    late = threading.Thread(target=request_slowly)
    late.start()
    time.sleep(2.5)
    service.fault = lambda path: time.sleep(1) if path == CALENDAR else None  # goes on after the other one is ended
    assert transport.get(service.url + CALENDAR, {}, None, follows=False)[2] == service.public[CALENDAR]
    late.join()
    assert len(faults) == 1 and slow.ended.wait(5)


def test_requests_through_a_proxy_with_socks_are_requests_of_its_library() -> None:
    pytest.importorskip("socks")
    manager = Connections(1).manager("socks5h://127.0.0.1:1")
    with pytest.raises(HTTPError):
        manager.request("GET", "http://data.example.com/", retries=False)
