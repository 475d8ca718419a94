"""Prints every cell of Parquet files as one library of Python reads them: python read.py LIBRARY FILE...

For each file, a line of names, a line per row, and an empty line. Cells are separated by tabs, in the form that
volume-cells.ts describes.
"""

import importlib
import struct
import sys
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

Columns = dict[str, list[Any]]
_, library, *files = sys.argv


def module(name: str) -> Any:
    return importlib.import_module(name)


def pyarrow(file: str) -> Columns:
    return of_arrow(module("pyarrow.parquet").ParquetFile(file).read())


def of_arrow(table: Any) -> Columns:
    return {name: table.column(name).to_pylist() for name in table.column_names}


def of_pandas(frame: Any) -> Columns:
    return {name: column.astype(object).where(column.notna(), None).tolist() for name, column in frame.items()}


def pandas(file: str) -> Columns:
    return of_pandas(module("pandas").read_parquet(file))


def fastparquet(file: str) -> Columns:
    return of_pandas(module("fastparquet").ParquetFile(file).to_pandas())


def polars(file: str) -> Columns:
    return dict(module("polars").read_parquet(file).to_dict(as_series=False))


def duckdb(file: str) -> Columns:
    relation = module("duckdb").read_parquet(file)
    return dict(zip(relation.columns, map(list, zip(*relation.fetchall(), strict=True)), strict=True))


def datafusion(file: str) -> Columns:
    return of_arrow(module("datafusion").SessionContext().read_parquet(file).to_arrow_table())


def chdb(file: str) -> Columns:
    return of_arrow(module("chdb").query(f"SELECT * FROM file('{file}', Parquet)", "ArrowTable"))


def daft(file: str) -> Columns:
    return dict(module("daft").read_parquet(file).to_pydict())


def arro3_io(file: str) -> Columns:
    return of_arrow(module("pyarrow").table(module("arro3.io").read_parquet(file).read_all()))


def pyspark(file: str) -> Columns:
    builder = module("pyspark.sql").SparkSession.builder.master("local[1]")
    frame = builder.config("spark.ui.enabled", "false").getOrCreate().read.parquet(file)
    return dict(zip(frame.columns, map(list, zip(*frame.collect(), strict=True)), strict=True))


def to_cell(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case float():
            return f"0x{struct.pack('>d', value).hex()}"
        case str():
            return f'"{value}'
        case bytes():
            return f'"{value.decode()}'
        case datetime():
            return f"{value.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"
        case date():
            return value.isoformat()
        case _:
            return to_cell(value.item())  # of numpy


READERS: list[Callable[[str], Columns]] = [
    *(pyarrow, pandas, fastparquet, polars, duckdb, datafusion, chdb, daft, arro3_io, pyspark),
]
read = {reader.__name__: reader for reader in READERS}[library.replace("-", "_")]
for file in files:
    columns = read(file)
    print("\t".join(columns))
    for row in zip(*columns.values(), strict=True):
        print("\t".join(map(to_cell, row)))
    print()
