"""Where the client finds the service, the key and the cache: arguments, then environment, then the installation."""

from __future__ import annotations

import json
import os
import re
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from .errors import UsageError

DISTRIBUTION = "chain-reference-data"
WHEELS = "/api/v1/python/"  # the service publishes its client below this path
LOOPBACK = r"http://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(/|$)"


def package_version() -> str:
    """Returns the installed version, or "0" if the sources are used without installation."""
    try:
        return distribution(DISTRIBUTION).version
    except PackageNotFoundError:
        return "0"


def find_base_url(base_url: str | None = None) -> str:
    """Returns the address of the service without a slash at the end."""
    found = base_url or os.environ.get("CRD_BASE_URL") or installed_from()
    if not found:
        raise UsageError("The address of the service is unknown. Set CRD_BASE_URL, or use Client(base_url=...).")
    if re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", found) is None:
        raise UsageError(f"{found!r} is not an address of a service. Use one such as https://data.example.com.")
    return found.rstrip("/")


def find_api_key(api_key: str | None, base_url: str) -> str | None:
    """Returns the key, or None. Raises UsageError for a key that would be sent without encryption."""
    key = api_key or os.environ.get("CRD_API_KEY") or None
    if key is None:
        return None
    if re.fullmatch("[!-~]+", key) is None:
        raise UsageError("The API key contains characters that no key has. Check api_key and CRD_API_KEY.")
    if base_url.startswith("http://") and re.match(LOOPBACK, base_url) is None:
        raise UsageError(f"A key is only sent over https, except to this machine. Use https instead of {base_url}.")
    return key


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
        url = json.loads(text or "{}").get("url", "")
    except (PackageNotFoundError, ValueError, AttributeError):
        return None
    base, found, _ = str(url).partition(WHEELS)
    return base if found and base.startswith(("http://", "https://")) else None
