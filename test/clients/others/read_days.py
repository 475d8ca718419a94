"""The days of a bundle as libraries read them without our advice: python read_days.py HOW PATH.

The rows are right, but whatever follows the redirect sends the key on.
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
            # Polars reads no http:// as JSON, but our JSON is one line, and so NDJSON too.
            days = pl.read_ndjson(link()).select(pl.col("days").explode()).unnest("days").unnest("metrics")
            return pd.DataFrame(days.select("date", "tx_count").to_dicts())
        case _:
            raise ValueError(how)


print(read().to_json(orient="records"))
