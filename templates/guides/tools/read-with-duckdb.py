import os

import duckdb

SERVICE = "http://127.0.0.1:8080"

db = duckdb.connect()
db.execute("INSTALL httpfs; LOAD httpfs")
key = os.environ["CRD_API_KEY"]
db.execute(f"CREATE SECRET (TYPE http, BEARER_TOKEN '{key}', SCOPE '{SERVICE}')")
manifest = db.read_json(f"{SERVICE}/api/v1/files/gold/base/manifest.json")
paths = manifest.select("unnest(volumes).parquet.path").fetchall()
days = db.read_parquet([SERVICE + path for (path,) in paths]).filter("in_force_until IS NULL")
print(days.select("date, tx_count").order("date").fetchall())
