"""Each of the last seven days with its regime and its transactions, by DuckDB.

GATEWAY=https://… API_KEY=crd_… python with_duckdb.py base

DuckDB reads files here: reading http:// itself takes its extension httpfs, which is downloaded when first needed.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

import duckdb
import requests
from download import download

chain = sys.argv[1]
with tempfile.TemporaryDirectory() as folder:
    calendar, bundle = Path(folder, "calendar.csv"), Path(folder, "bundle.json")
    # The calendar is public: no key.
    public = requests.get(f"{os.environ['GATEWAY']}/api/v1/analyst-kit/{chain}/regime-calendar", timeout=30)
    public.raise_for_status()
    calendar.write_bytes(public.content)
    bundle.write_bytes(download(f"/api/v1/files/gold/{chain}/7d/latest.json"))
    rows = duckdb.execute(
        """
        WITH days AS (SELECT unnest(days) AS day FROM read_json($bundle))
        SELECT day.date::VARCHAR AS date, regime, day.metrics.tx_count AS tx_count
        FROM days JOIN read_csv($calendar) AS calendar
          ON calendar.date = day.date AND calendar.chain = day.chain
        ORDER BY date
        """,
        {"bundle": str(bundle), "calendar": str(calendar)},
    ).fetchall()
print(json.dumps([dict(zip(("date", "regime", "tx_count"), row)) for row in rows]))
