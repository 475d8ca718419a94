"""Reads the days of a bundle only with a library, without our examples: python read_days.py HOW PATH.

The rows are right, but a library that follows the redirect also sends the key to the file host.
"""

import os
import sys

import pandas as pd
import polars as pl
import requests

_, how, path = sys.argv
url = os.environ["GATEWAY"] + path
key = {"X-API-Key": os.environ["API_KEY"]}


def link() -> str:
    return requests.get(url, params={"redirect": "false"}, headers=key, timeout=30).json()["url"]


def days_of(frame: pd.DataFrame) -> pd.DataFrame:
    days = pd.json_normalize(frame["days"]).rename(columns={"metrics.tx_count": "tx_count"})
    return days[["date", "tx_count"]]


def read() -> pd.DataFrame:
    match how:
        case "requests-redirect":
            return days_of(requests.get(url, headers=key, timeout=30).json())
        case "pandas-redirect":
            return days_of(pd.read_json(url, storage_options=key))
        case "pandas-link":
            return days_of(pd.read_json(link()))
        case "polars-link":
            # Polars cannot read JSON from http://. Our JSON is one line, so it is NDJSON too.
            days = pl.read_ndjson(link()).select(pl.col("days").explode()).unnest("days").unnest("metrics")
            return pd.DataFrame(days.select("date", "tx_count").to_dicts())
        case _:
            raise ValueError(how)


print(read().to_json(orient="records"))
