from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from crd import Client
from service import KEY, Service
from story import tell


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()
    tell(service, volumes=True)
    yield service
    service.close()


@pytest.fixture
def client_of(service: Service, tmp_path: Path) -> Iterator[Callable[..., Client]]:
    """Returns a function that makes clients of the service, with the key and the same cache."""
    made: list[Client] = []

    def make(**options: object) -> Client:
        chosen = {"base_url": service.url, "api_key": KEY, "cache_dir": tmp_path / "cache", **options}
        made.append(Client(**chosen))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def client(client_of: Callable[..., Client]) -> Client:
    return client_of()
