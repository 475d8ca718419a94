"""Each of the last seven days with its regime and its transactions, by Polars.

GATEWAY=https://… API_KEY=crd_… python with_polars.py base
"""

import io
import os
import sys

import polars as pl
import requests
from download import download

chain = sys.argv[1]
# The calendar is public: no key. Polars would fetch it in parts, and these might be of two releases.
public = requests.get(f"{os.environ['GATEWAY']}/api/v1/analyst-kit/{chain}/regime-calendar", timeout=30)
public.raise_for_status()
calendar = pl.read_csv(public.content)
bundle = pl.read_json(io.BytesIO(download(f"/api/v1/files/gold/{chain}/7d/latest.json")))
days = bundle.select(pl.col("days").explode()).unnest("days").unnest("metrics")

joined = days.join(calendar, on=["date", "chain"], how="left", maintain_order="left")
print(joined.select("date", "regime", "tx_count").write_json())
