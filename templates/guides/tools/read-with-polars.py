import os

import polars as pl
import requests

SERVICE = "http://127.0.0.1:8080"
KEY = {"Authorization": f"Bearer {os.environ['CRD_API_KEY']}"}


def link(path):
    answer = requests.get(f"{SERVICE}{path}?redirect=false", headers=KEY, timeout=60)
    answer.raise_for_status()
    return answer.json()["url"]


manifest = requests.get(link("/api/v1/files/gold/base/manifest.json"), timeout=60).json()
volumes = [pl.read_parquet(link(each["parquet"]["path"])) for each in manifest["volumes"]]
days = pl.concat(volumes).filter(pl.col("in_force_until").is_null())
print(days.select("date", "tx_count"))
