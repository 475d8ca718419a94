"""Reads a volume by its addresses with DuckDB and its extension httpfs: python read_volume.py PARQUET CSV STATEMENT...

Prints the rows of both files as JSON, after it has executed the statements, such as CREATE SECRET. The extension is the
file of its wheel, and DuckDB downloads no other.
"""

import json
import sys
from importlib import resources

import duckdb


def connect(statements: list[str]) -> duckdb.DuckDBPyConnection:
    wheel = resources.files("duckdb_extension_httpfs") / "extensions" / f"v{duckdb.__version__}"
    connection = duckdb.connect(config={"autoinstall_known_extensions": False})
    connection.load_extension(str(wheel / "httpfs.duckdb_extension"))
    for statement in statements:
        connection.execute(statement)
    return connection


def rows_of(connection: duckdb.DuckDBPyConnection, query: str, url: str) -> list[dict[str, object]]:
    result = connection.execute(query, [url])
    names = [column[0] for column in result.description or []]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


_, parquet, csv, *statements = sys.argv
reader = connect(statements)
tables = {
    "parquet": rows_of(reader, "FROM read_parquet(?)", parquet),
    "csv": rows_of(reader, "FROM read_csv(?)", csv),
}
print(json.dumps(tables, default=str))
