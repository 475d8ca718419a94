"""Reads a volume by its addresses with DuckDB and its extension httpfs: python read_volume.py PARQUET CSV [SETTING...].

Prints the rows of both files as JSON. The extension is the file of its wheel, and DuckDB downloads no other.
A setting is SQL, such as "SET force_download = true".
"""

import json
import os
import sys
from importlib import resources

import duckdb


def connect(key: str) -> duckdb.DuckDBPyConnection:
    wheel = resources.files("duckdb_extension_httpfs") / "extensions" / f"v{duckdb.__version__}"
    connection = duckdb.connect(config={"autoinstall_known_extensions": False})
    connection.load_extension(str(wheel / "httpfs.duckdb_extension"))
    connection.execute(f"CREATE SECRET (TYPE http, EXTRA_HTTP_HEADERS MAP {{'X-API-Key': '{key}'}})")
    return connection


def rows_of(connection: duckdb.DuckDBPyConnection, query: str, url: str) -> list[dict[str, object]]:
    result = connection.execute(query, [url])
    names = [column[0] for column in result.description or []]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


_, parquet, csv, *settings = sys.argv
reader = connect(os.environ["API_KEY"])
for setting in settings:
    reader.execute(setting)
tables = {
    "parquet": rows_of(reader, "FROM read_parquet(?)", parquet),
    "csv": rows_of(reader, "FROM read_csv(?)", csv),
}
print(json.dumps(tables, default=str))
