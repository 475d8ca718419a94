"""
Columns as Arrow arrays: a history from Parquet files becomes a frame without a Python object for each cell. Its
functions need pyarrow. Dates are date32, labels and texts dictionaries of strings, and numbers float64.
"""

from __future__ import annotations

import datetime
import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .columns import Kind, all_labels, kind_of
from .values import YEARS, all_have, cell_text
from .values import name as is_name

EPOCH = datetime.date(1970, 1, 1).toordinal()
DAYS = range(datetime.date(YEARS[0], 1, 1).toordinal() - EPOCH, datetime.date(YEARS[-1] + 1, 1, 1).toordinal() - EPOCH)
LONGEST_TEXT = 1_000  # as `cell_text` has it


@functools.cache
def type_of(kind: Kind) -> Any:
    import pyarrow

    types = {
        "date": pyarrow.date32(),
        "number": pyarrow.float64(),
        "integer": pyarrow.int64(),
        "boolean": pyarrow.bool_(),
    }
    return types.get(kind) or pyarrow.dictionary(pyarrow.int32(), pyarrow.string())


def usual_table(volumes: Sequence[Any], filled: Iterable[str]) -> Any:
    """
    Returns the rows of tables in the types of their kinds if all cells are certainly valid and the columns `filled`
    have no empty cell. Otherwise None: `checked` then decides, and finds the invalid cell.
    """
    import pyarrow

    joined = concatenate_arrow([volume.replace_schema_metadata(None) for volume in volumes])
    if joined is None:
        return None
    try:
        joined = joined.unify_dictionaries()
        schema = usual_schema(tuple(joined.column_names))
        if joined.schema.types != schema.types:
            columns = zip(joined.column_names, joined.columns)
            joined = pyarrow.table({name: usual_column(name, column) for name, column in columns})
        if any(joined[name].null_count > 0 for name in filled):
            return None
        return joined if all(are_valid(kind_of(name), joined[name]) for name in schema.names) else None
    except (pyarrow.ArrowException, ValueError, LookupError, TypeError):
        return None


def usual_schema(names: Sequence[str]) -> Any:
    """Returns the types of columns. Raises ValueError for a wrong name."""
    import pyarrow

    if not all_have(is_name, list(names)):
        raise ValueError("a column has a wrong name")
    return pyarrow.schema([(name, type_of(kind_of(name))) for name in names])


def usual_column(name: str, column: Any) -> Any:
    """Returns a column in the type of its kind. Raises TypeError if that would not keep its cells."""
    import pyarrow

    kind = kind_of(name)
    usual, own = type_of(kind), column.type
    if own == usual:
        return column
    if pyarrow.types.is_null(own):
        return pyarrow.chunked_array([pyarrow.nulls(len(column), usual)])
    if kind in ("number", "integer", "boolean") and not pyarrow.types.is_dictionary(own):
        return column.cast(usual)
    raise TypeError(f"the column {name} is {own}")


def are_valid(kind: Kind, cells: Any) -> bool:
    """Returns whether the cells of a column are certainly valid."""
    import pyarrow
    import pyarrow.compute

    if kind in ("label", "text"):
        return cells.num_chunks == 0 or are_texts(cells.chunk(0).dictionary)  # which all chunks have
    if kind == "number":  # a sum of other numbers than finite ones is not finite
        return math.isfinite(pyarrow.compute.sum(cells).as_py() or 0.0)
    if kind == "boolean":
        return True
    found = pyarrow.compute.min_max(cells.cast(pyarrow.int32()) if kind == "date" else cells).as_py()
    if found["min"] is None:
        return True
    days = found["min"] in DAYS and found["max"] in DAYS
    return days if kind == "date" else 0 <= found["min"] <= found["max"] <= 2**53


def are_texts(texts: Any) -> bool:
    """Returns whether strings are certainly valid texts: those of letters and digits, such as hashes, all are."""
    import pyarrow.compute

    if (pyarrow.compute.max(pyarrow.compute.binary_length(texts)).as_py() or 0) > LONGEST_TEXT:
        return False
    others = texts.filter(pyarrow.compute.invert(pyarrow.compute.ascii_is_alnum(texts)))
    return texts.null_count == 0 and all_have(cell_text, others.to_pylist())


def arrow_cells(column: Any) -> list[Any]:
    """Returns the cells of a column: dates as texts, and equal texts as one object."""
    import pyarrow

    if pyarrow.types.is_dictionary(column.type):
        cells: list[str | None] = []
        for chunk in column.chunks:
            known = chunk.dictionary.to_pylist()
            cells += [None if each is None else known[each] for each in chunk.indices.to_pylist()]
        return cells
    return list((column.cast(pyarrow.string()) if pyarrow.types.is_date(column.type) else column).to_pylist())


def arrow_table(columns: Mapping[str, Sequence[Any]]) -> Any:
    """Returns columns of valid cells as a pyarrow.Table, in the types of their kinds. None if they do not fit."""
    import pyarrow

    def array_of(name: str, cells: Sequence[Any]) -> Any:
        kind = kind_of(name)
        if kind == "date":
            return pyarrow.array(cells, pyarrow.string()).cast(type_of(kind))
        if kind in ("label", "text"):
            return pyarrow.array(cells, pyarrow.string()).dictionary_encode()
        return pyarrow.array(cells, type_of(kind))

    try:
        return pyarrow.table({name: array_of(name, cells) for name, cells in columns.items()})
    except (pyarrow.ArrowException, ValueError, TypeError, OverflowError):
        return None


def concatenate_arrow(tables: Sequence[Any]) -> Any:
    """
    Returns the rows of all tables, without a copy of their cells; None if they do not fit together. A missing column is
    empty.
    """
    import pyarrow

    try:
        return pyarrow.concat_tables(tables, promote_options="default")
    except (pyarrow.ArrowException, TypeError):  # such as more text than an array can have, or a table that is None
        return None


def pandas_array(name: str, column: Any) -> Any:
    """Returns a column, which is not empty, with the type that `pandas_series` gives its cells."""
    import numpy
    import pandas
    import pyarrow

    kind = kind_of(name)
    if kind == "label":
        return categorical(name, column)
    if kind == "date":
        known = arrow_cells(column.drop_null().slice(0, 1)) or [None]  # pandas chooses the unit by the cells
        dtype = pandas.to_datetime(pandas.Series(known, dtype="object"), format="%Y-%m-%d").dtype
        return column.to_numpy().astype(dtype)
    if kind == "integer":
        return column.to_pandas(types_mapper=lambda _: pandas.Int64Dtype())
    if kind == "text":
        return column.cast(pyarrow.string()).to_pandas(types_mapper=lambda _: pandas.StringDtype())
    if kind == "boolean":
        column = column.fill_null(False)
    return numpy.require(column.to_numpy(), requirements="W")


def categorical(name: str, column: Any) -> Any:
    """Returns labels as a pandas.Categorical."""
    import numpy
    import pandas
    import pyarrow

    whole = pyarrow.table({name: column}).unify_dictionaries().combine_chunks()[name].chunk(0)
    known = [*whole.dictionary.to_pylist(), None]  # the last one is at -1, which is a missing label
    indices = whole.indices.fill_null(-1).to_numpy()
    labels = all_labels(name, {known[i] for i in numpy.unique(indices)})
    codes = {label: code for code, label in enumerate(labels)}
    places = numpy.array([codes.get(each, -1) for each in known])
    return pandas.Categorical.from_codes(places[indices], dtype=categories_of(tuple(labels)))


@functools.lru_cache(1_000)
def categories_of(labels: tuple[str, ...]) -> Any:
    import pandas

    return pandas.CategoricalDtype(pandas.Index(labels))
