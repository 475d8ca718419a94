"""The dates and regimes of a public calendar as Polars scans it, which probes with HEAD: python scan_calendar.py PATH."""

import os
import sys

import polars as pl

print(pl.scan_csv(os.environ["GATEWAY"] + sys.argv[1]).select("date", "regime").collect().write_json())
