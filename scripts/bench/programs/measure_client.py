"""Prints the times of the client and of curl as JSON: measure_client.py URL ROUNDS FOLDER. CRD_API_KEY is the key."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas
import pyarrow.parquet  # noqa: F401  loaded before the first measurement

import crd

url, rounds, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
key = os.environ["CRD_API_KEY"]
ROWS = 200_000  # for `regimes_on`


def timed(work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def new_client() -> crd.Client:
    return crd.Client(url, key, tempfile.mkdtemp(dir=folder), progress=lambda _: None)  # with an empty cache


def paths_of(genre: str) -> list[str]:
    """Returns the paths of the files of a history."""
    client, requested = new_client(), []
    newest = client.files.newest
    client.files.newest = lambda path, held, _=None: newest(path, held)  # one request for the link of each file
    connections = client.files.transport.connections
    connections.open = lambda *request: requested.append(request[0]) or type(connections).open(connections, *request)
    client.history(genre, "bitcoin")
    own = f"{client.base_url}/api/"
    return ["/api/" + each.removeprefix(own) for each in requested if each.startswith(own)]  # the others are links


def sample(genre: str, curl: list[str]) -> list[float]:
    client = new_client()
    return [timed(lambda: client.history(genre, "bitcoin")), timed(lambda: subprocess.run(curl, check=True))]


def regimes_samples(mirror: str) -> list[list[float]]:
    """Returns times of `regimes_on`, and of pandas alone: it joins the labels of the volumes in the mirror."""
    times = pandas.date_range("2016-01-01", periods=ROWS, freq="20min").to_series().sample(frac=1, random_state=1)
    frame = pandas.DataFrame({"date": times.to_numpy(), "value": 1.0})
    client = new_client()

    def join_plainly() -> None:
        volumes = Path(mirror, "meta", "bitcoin", "volumes").glob("*.parquet")
        labels = pandas.concat([pandas.read_parquet(each, columns=["date", "regime"]) for each in volumes])
        labels["date"] = pandas.to_datetime(labels["date"]).astype(frame["date"].dtype) + pandas.Timedelta(days=1)
        pandas.merge_asof(frame.sort_values("date"), labels.sort_values("date"), on="date")

    def join() -> None:
        client.regimes_on(frame, chain="bitcoin", daily=False)

    join()  # fills the cache
    return [[timed(join), timed(join_plainly)] for _ in range(rounds)]


mirror = f"{folder}/mirror-{time.time_ns()}"
result = {"mirror": timed(lambda: new_client().sync(mirror)), "regimes": regimes_samples(mirror)}
for genre in ("gold", "meta"):  # curl downloads the same files in one connection, and follows the redirects to links
    outputs = [part for path in paths_of(genre) for part in ("--output", f"{folder}/curl", url + path)]
    curl = ["curl", "-sSfL", "--header", f"X-API-Key: {key}", *outputs]
    result[genre] = [sample(genre, curl) for _ in range(rounds)]
print(json.dumps(result))
