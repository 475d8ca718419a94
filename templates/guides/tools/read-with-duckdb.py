import os

import duckdb

SERVICE = "http://127.0.0.1:8080"
ARCHIVE = SERVICE + "/api/v1/files/gold/base"

db = duckdb.connect()
db.execute("INSTALL httpfs; LOAD httpfs")
key = os.environ["CRD_API_KEY"]
db.execute(f"CREATE SECRET (TYPE http, BEARER_TOKEN '{key}', SCOPE '{SERVICE}')")
manifest = db.read_json(f"{ARCHIVE}/manifest.json")
periods = manifest.select("unnest(volumes).period").fetchall()
files = [f"{ARCHIVE}/volumes/{period}.parquet" for (period,) in periods]
days = db.read_parquet(files).filter("in_force_until IS NULL")
print(days.select("date, tx_count").order("date").fetchall())
