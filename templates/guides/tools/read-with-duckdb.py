import os

import duckdb

ARCHIVE = "http://127.0.0.1:8080/api/v1/files/gold/base"

db = duckdb.connect()
db.execute("INSTALL httpfs; LOAD httpfs")
db.execute(f"CREATE SECRET (TYPE http, BEARER_TOKEN '{os.environ['CRD_API_KEY']}')")
periods = db.sql(f"SELECT unnest(volumes).period FROM read_json('{ARCHIVE}/manifest.json')").fetchall()
files = [f"{ARCHIVE}/volumes/{period}.parquet" for (period,) in periods]
print(db.execute("SELECT date, tx_count FROM read_parquet(?) ORDER BY date", [files]).fetchall())
