"""Reads the dates and regimes of a public calendar with the scan of Polars, which sends HEAD first: scan_calendar.py PATH."""

import os
import sys

import polars as pl

print(pl.scan_csv(os.environ["GATEWAY"] + sys.argv[1]).select("date", "regime").collect().write_json())
