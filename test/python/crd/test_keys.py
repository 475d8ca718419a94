"""Which service receives the key, and by which way."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from crd import AccessError, Client, NotFoundError, UsageError
from crd.settings import advice_on_missing_key, origin_of
from service import KEY, Answer, Service, sha256_of
from story import LAST

DAY = f"/api/v1/files/gold/base/{LAST}.json"


@pytest.fixture
def other() -> Iterator[Service]:
    other = Service()
    yield other
    other.close()


@pytest.mark.parametrize(
    ("base_url", "message"),
    [
        ("http://data.example.com", "only sent over https"),
        ("http://127.0.0.1.example.com", "only sent over https"),
        ("ftp://data.example.com", "is not an address"),
        ("https://user:word@data.example.com", "is not an address"),
    ],
)
def test_a_key_is_not_sent_to_unsafe_addresses(base_url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Client(base_url=base_url, api_key=KEY)


def key_for(base_url: str, api_key: str | None = None) -> str | None:
    client = Client(base_url=base_url, api_key=api_key)
    client.close()
    return client.files.transport.api_key


def test_the_key_of_the_environment_belongs_to_the_service_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRD_API_KEY", KEY)
    monkeypatch.setenv("CRD_BASE_URL", "https://data.example.com/v2")
    for same in ("https://data.example.com", "https://DATA.example.com:443/v3"):
        assert key_for(same) == KEY
    for another in (
        "https://example.com",
        "https://data.example.com:8443",
        "http://127.0.0.1",
        "http://data.example.com",
    ):
        assert key_for(another) is None
    assert key_for("https://example.com", KEY) == KEY
    monkeypatch.delenv("CRD_BASE_URL")
    assert key_for("https://data.example.com") is None
    monkeypatch.setattr("crd.settings.installed_from", lambda: "https://data.example.com")
    assert key_for("https://data.example.com") == KEY
    assert key_for("https://example.com") is None


def test_advice_on_a_missing_key_names_the_variables_that_take_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    address = "https://data.example.com"
    both = f'CRD_API_KEY and CRD_BASE_URL="{address}" before'
    assert f"{address}/account, and set {both}" in advice_on_missing_key(address)
    monkeypatch.setenv("CRD_BASE_URL", address)
    assert f"{address}/account, and set CRD_API_KEY before" in advice_on_missing_key(address)
    monkeypatch.setenv("CRD_API_KEY", KEY)
    other = advice_on_missing_key("https://example.com")
    assert other.startswith(f"CRD_API_KEY was not sent to https://example.com: it belongs to {address}.")


def test_a_refusal_says_that_the_key_was_not_sent(
    service: Service, client_of: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CRD_API_KEY", KEY)
    monkeypatch.setenv("CRD_BASE_URL", "https://data.example.com")
    with pytest.raises(
        AccessError, match=r"not sent to http.*: it belongs to https://data\.example\.com\. Set"
    ) as refused:
        client_of(api_key=None).day("gold", "base", LAST)
    assert refused.value.code == "api-key-missing"
    assert not any("x-api-key" in headers for _, headers in service.requests)
    monkeypatch.delenv("CRD_BASE_URL")
    with pytest.raises(AccessError, match="because CRD_BASE_URL is not set"):
        client_of(api_key=None).day("gold", "base", LAST)


def test_neither_redirects_nor_links_take_the_key_to_another_origin(
    service: Service, other: Service, client: Client
) -> None:
    data = service.files[DAY]
    link = json.dumps({"url": f"{other.url}/objects/{sha256_of(data)}", "sha256": sha256_of(data), "bytes": len(data)})
    other.files[DAY] = data
    service.fault = lambda path: Answer(200, link.encode(), {}) if path == DAY else None
    assert client.day("gold", "base", LAST)["date"] == LAST
    assert [path[:9] for path, _ in other.requests] == ["/objects/"]
    service.fault = lambda path: Answer(307, b"", {"Location": other.url + path})
    host = re.escape(other.url.removeprefix("http://"))  # of the one that answered: public files may be elsewhere
    with pytest.raises(NotFoundError, match=f"^{host}: "):
        client.files.public("/api/v1/elsewhere")
    with pytest.raises(AccessError, match="the key was not sent there"):
        client.files.subscriber(DAY)
    assert [path for path, _ in other.requests[1:]] == ["/api/v1/release"]
    assert not any("x-api-key" in headers or KEY in str(headers) for _, headers in other.requests)


def test_a_proxy_of_the_environment_gets_no_requests_to_this_machine(
    service: Service, other: Service, client_of: Callable[..., Client], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, other.url)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    port = service.server.server_port
    for i, host in enumerate(("127.0.0.1", "localhost")):
        client = client_of(base_url=f"http://{host}:{port}", cache_dir=tmp_path / str(i))
        assert client.day("gold", "base", LAST)["date"] == LAST
    assert other.requests == []
    elsewhere = client_of(base_url="http://data.example.com", api_key=None)  # the proxy is used for other hosts
    with pytest.raises(NotFoundError):
        elsewhere.files.public("/api/v1/b")
    assert [path for path, _ in other.requests] == ["http://data.example.com/api/v1/release"]


@pytest.mark.parametrize("address", ["https://", "https://:443", "https://a:99999", "https://[::1", "https://a\\b"])
def test_addresses_without_a_host_or_with_a_wrong_port_are_refused(address: str) -> None:
    assert origin_of(address) is None
    with pytest.raises(UsageError, match="is not an address"):
        Client(base_url=address)
