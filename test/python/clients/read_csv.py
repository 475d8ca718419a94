"""
Reads tables with pandas, Polars, DuckDB and PyArrow: by default, all years of a table together and each file alone; and
all years with the types of the Table Schema. read_csv.py TABLES prints what was compared and what differs as JSON.

TABLES is a JSON file: a list of tables with a name, the fields of the Table Schema, and the paths of the CSV files.
"""

import csv
import datetime
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset

Columns = dict[str, tuple[str, list[Any]]]  # type and values of each column
Types = dict[str, str]  # type of each column in the Table Schema

PARSERS: dict[str, Any] = {
    "number": float,
    "integer": int,
    "boolean": {"true": True, "false": False}.__getitem__,
    "date": datetime.date.fromisoformat,
    "string": str,
}
PANDAS: Types = {"number": "float64", "integer": "Int64", "boolean": "bool", "string": "str"}
POLARS = {"number": pl.Float64, "integer": pl.Int64, "boolean": pl.Boolean, "string": pl.String, "date": pl.Date}
DUCKDB: Types = {"number": "DOUBLE", "integer": "BIGINT", "boolean": "BOOLEAN", "string": "VARCHAR", "date": "DATE"}
ARROW = {
    "number": pa.float64(),
    "integer": pa.int64(),
    "boolean": pa.bool_(),
    "string": pa.string(),
    "date": pa.date32(),
}
# What the readers call the types, and what they make of a column in which they find no value.
NAMES = {"pandas": PANDAS | {"date": "datetime64[us]"}, "duckdb": DUCKDB}
NAMES |= {"polars": {name: str(each) for name, each in POLARS.items()}}
NAMES |= {"pyarrow": {name: str(each) for name, each in ARROW.items()}}
EMPTY = {"pandas": "float64", "polars": "String", "duckdb": "VARCHAR", "pyarrow": "null"}
INFERRED_FILES, INFERRED_ROWS = 10, 100  # by which Polars decides on types; DuckDB by the same files


def read_pandas(files: list[str], types: Types) -> Columns:
    dates = [name for name, each in types.items() if each == "date"]
    dtype = {name: PANDAS[each] for name, each in types.items() if name not in dates}
    frame = pd.concat([pd.read_csv(file, dtype=dtype or None, parse_dates=dates or None) for file in files])
    columns: Columns = {}
    for name in map(str, frame):
        cells = frame[name].astype(object).where(frame[name].notna(), None).tolist()
        dates_of = [each.date() if isinstance(each, datetime.datetime) else each for each in cells]
        columns[name] = (str(frame[name].dtype), dates_of)
    return columns


def read_polars(files: list[str], types: Types) -> Columns:
    named = {name: POLARS[each] for name, each in types.items()}
    return {each.name: (str(each.dtype), each.to_list()) for each in pl.scan_csv(files, schema=named or None).collect()}


def read_duckdb(files: list[str], types: Types) -> Columns:
    found = duckdb.read_csv(files, **({"dtype": {name: DUCKDB[each] for name, each in types.items()}} if types else {}))
    columns = list(zip(*found.fetchall()))
    return {name: (str(found.types[i]), list(columns[i])) for i, name in enumerate(found.columns)}


def read_pyarrow(files: list[str], types: Types) -> Columns:
    named = {name: ARROW[each] for name, each in types.items()}
    options = pa.csv.ConvertOptions(column_types=named or None, strings_can_be_null=bool(named))
    dataset = pa.dataset.dataset(files, format=pa.dataset.CsvFileFormat(convert_options=options))
    # A column without a value in the first file has the type null, and a value in another file is an error.
    table = dataset.to_table([each.name for each in dataset.schema if each.type != pa.null()])
    nulls: Columns = {each.name: ("null", []) for each in dataset.schema if each.type == pa.null()}
    return nulls | {name: (str(table[name].type), table[name].to_pylist()) for name in table.column_names}


READERS = {"pandas": read_pandas, "polars": read_polars, "duckdb": read_duckdb, "pyarrow": read_pyarrow}


def default_type(reader: str, kind: str, files: list[list[str]]) -> str:
    """Returns the type that a reader gives to a column of this type by default, from its cells in each file."""
    has_value = {
        "pandas": any(map(any, files)),
        "polars": all(any(cells[:INFERRED_ROWS]) for cells in files[:INFERRED_FILES]),
        "duckdb": any(map(any, files[:INFERRED_FILES])),
        "pyarrow": any(files[0]),
    }
    if not has_value[reader]:
        return EMPTY[reader]
    if reader == "pandas" and kind in ("string", "date"):
        return "str" if all(map(any, files)) else "object"
    if reader == "pandas" and kind == "integer":
        return "int64" if all(map(all, files)) else "float64"
    return "String" if reader == "polars" and kind == "date" else NAMES[reader][kind]


def expected(kind: str, cells: list[str], found: str, reader: str, is_typed: bool) -> list[Any]:
    """Returns the values of a column. Where a reader finds text, they are the texts of the cells."""
    is_text = found in ("str", "object", "String", "VARCHAR", "string")
    empty = "" if reader == "pyarrow" and is_text and not is_typed else None
    return [(cell if is_text else PARSERS[kind](cell)) if cell else empty for cell in cells]


def differences(types: Types, files: list[str], mode: str, counts: Counter[str]) -> list[str]:
    rows = [list(csv.DictReader(Path(file).read_text().splitlines())) for file in files]
    wrong = []
    for reader, read in READERS.items():
        columns = read(files, types if mode == "typed" else {})
        if set(columns) != set(types):
            wrong.append(f"{reader} {mode} {files[0]}: columns {list(columns)}")
            continue
        for name, kind in types.items():
            found, values = columns[name]
            parts = [[row[name] for row in part] for part in rows]
            wanted = NAMES[reader][kind] if mode == "typed" else default_type(reader, kind, parts)
            counts[f"{reader} {mode} {'as in the schema' if found == NAMES[reader][kind] else found}"] += 1
            if found != wanted:
                wrong.append(f"{reader} {mode} {files[0]} {name}: {found}, not {wanted}")
            elif found != "null":
                cells = expected(kind, [cell for part in parts for cell in part], found, reader, mode == "typed")
                counts["cells"] += len(cells)
                if values != cells:
                    i = next(i for i, cell in enumerate(cells) if values[i] != cell)
                    wrong.append(f"{reader} {mode} {files[0]} {name} row {i}: {values[i]!r}, not {cells[i]!r}")
    return wrong


if __name__ == "__main__":
    counted: Counter[str] = Counter()
    found_wrong = []
    for table in json.loads(Path(sys.argv[1]).read_text()):
        types_of = {field["name"]: field["type"] for field in table["fields"]}
        for mode_of in ("typed", "default"):
            found_wrong += differences(types_of, table["files"], mode_of, counted)
        for file_of in table["files"] if len(table["files"]) > 1 else []:
            found_wrong += differences(types_of, [file_of], "default", counted)
    print(json.dumps({"counts": counted, "cells": counted.pop("cells"), "differences": found_wrong}))
