"""Where the client finds the service, the key and the cache: arguments, then environment, then the installation."""

from __future__ import annotations

import os
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit

from .errors import UsageError
from .strict_json import parse_json

DISTRIBUTION = "chain-reference-data"
WHEELS = "/api/v1/python/"  # the service publishes its client below this path
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
PORTS = {"http": 80, "https": 443}


def package_version() -> str:
    """Returns the installed version, or "0" if the sources are used without installation."""
    try:
        return distribution(DISTRIBUTION).version
    except PackageNotFoundError:
        return "0"


def find_base_url(base_url: str | None = None) -> str:
    """Returns the address of the service without a slash at the end."""
    found = base_url or default_base_url()
    if not found:
        raise UsageError("The address of the service is unknown. Set CRD_BASE_URL, or use Client(base_url=...).")
    if origin_of(found) is None:
        raise UsageError(f"{found!r} is not an address of a service. Use one such as https://data.example.com.")
    return found.rstrip("/")


def default_base_url() -> str | None:
    return os.environ.get("CRD_BASE_URL") or installed_from()


def find_api_key(api_key: str | None, base_url: str) -> str | None:
    """
    Returns the key for a service, or None. CRD_API_KEY belongs to the default service and is sent to no other one.
    Raises UsageError for a key that would be sent without encryption.
    """
    key = api_key or (os.environ.get("CRD_API_KEY") if is_default(base_url) else None)
    if not key:
        return None
    if re.fullmatch("[!-~]+", key) is None:
        raise UsageError("The API key contains characters that no key has. Check api_key and CRD_API_KEY.")
    scheme, host, _ = origin_of(base_url) or ("", "", 0)
    if scheme != "https" and host not in LOOPBACK_HOSTS:
        raise UsageError(f"A key is only sent over https, except to this machine. Use https instead of {base_url}.")
    return key


def advice_on_key(base_url: str) -> str:
    """Returns why CRD_API_KEY is not sent to a service, and what to do; an empty text if it is sent or not set."""
    if not os.environ.get("CRD_API_KEY") or is_default(base_url):
        return ""
    default = default_base_url()
    owner = "no service, because CRD_BASE_URL is not set" if default is None else default
    advice = f'Set CRD_BASE_URL="{base_url}", or use Client(base_url=..., api_key=...).'
    return f"CRD_API_KEY was not sent to {base_url}: it belongs to {owner}. {advice}"


def advice_on_missing_key(base_url: str) -> str:
    """Returns what to do when no API key is sent to a service that needs one."""
    variables = "CRD_API_KEY" if is_default(base_url) else f'CRD_API_KEY and CRD_BASE_URL="{base_url}"'
    create = (
        f"No API key is set. Create one at {base_url}/account, and set {variables} before you start the program, "
        "or use Client(base_url=..., api_key=...)."
    )
    return advice_on_key(base_url) or create


def is_default(base_url: str) -> bool:
    """Returns whether an address has the origin of the default service: scheme, host and port."""
    default = default_base_url()
    return default is not None and origin_of(default) == origin_of(base_url)


def origin_of(url: str) -> tuple[str, str, int] | None:
    """Returns scheme, host and port of the address of a service, or None if it is not valid."""
    if re.fullmatch(r"https?://[^\s/?#@\\]+(/[^\s?#]*)?", url) is None:
        return None
    try:
        split = urlsplit(url)
        return (split.scheme, split.hostname, split.port or PORTS[split.scheme]) if split.hostname else None
    except ValueError:  # of the port or of an IPv6 address
        return None


def find_cache(cache_dir: str | os.PathLike[str] | None) -> Path:
    """Returns the folder of the cache, which may not exist yet."""
    chosen = cache_dir or os.environ.get("CRD_CACHE_DIR")
    return Path(chosen) if chosen else user_cache() / DISTRIBUTION


def user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def installed_from() -> str | None:
    """Returns the address of the service whose wheel was installed by its URL; pip records it (PEP 610)."""
    try:
        text = distribution(DISTRIBUTION).read_text("direct_url.json")
        url = parse_json((text or "{}").encode()).get("url", "")
    except (PackageNotFoundError, ValueError, AttributeError):
        return None
    base, found, _ = str(url).partition(WHEELS)
    return base if found and base.startswith(("http://", "https://")) else None
