import os

import duckdb

ARCHIVE = "http://127.0.0.1:8080/api/v1/files/gold/base"

db = duckdb.connect()
db.execute("INSTALL httpfs; LOAD httpfs")
db.execute(f"CREATE SECRET (TYPE http, BEARER_TOKEN '{os.environ['CRD_API_KEY']}')")
manifest = db.read_json(f"{ARCHIVE}/manifest.json")
periods = manifest.select("unnest(volumes).period").fetchall()
files = [f"{ARCHIVE}/volumes/{period}.parquet" for (period,) in periods]
days = db.read_parquet(files)
print(days.select("date, tx_count").order("date").fetchall())
