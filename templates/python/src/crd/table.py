"""A table of named columns, and the frames that pandas and Polars make from it."""

from __future__ import annotations

import csv
import datetime
import io
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any

from .arrow import arrow_cells, arrow_table, concatenate_arrow, pandas_array, usual_table
from .canonical import csv_number
from .columns import Kind, Row, all_labels, kind_of, parse_cell
from .errors import DataError, MissingPackageError, UsageError
from .values import ADVICE, Form, all_have, cell_text, date, number, when, whole
from .values import name as is_name

if TYPE_CHECKING:
    import pandas
    import polars

MAX_CELLS = 500_000  # of a file
MAX_UNPACKED_BYTES = 2**26  # of a Parquet file
NULLABLE = ("in_force_until", "confidence", "source")  # of the columns that the client needs
PARQUET_TYPES = ("date32[day]", "string", "double", "int64", "int32", "bool", "null")
FORMS: dict[Kind, Form] = {
    "date": date,
    "label": cell_text,
    "text": cell_text,
    "number": number,
    "integer": whole(0, 2**53),
    "boolean": lambda cell: when(isinstance(cell, bool)),
}


class Table:
    """
    Columns of equal length. Dates are texts, and a missing value is None. A table of Parquet files has a pyarrow.Table
    instead, as `usual_table` returns it: its cells become lists only for a reader of `columns`.
    """

    def __init__(self, columns: dict[str, list[Any]], attributes: dict[str, Any] | None = None) -> None:
        self.lists: dict[str, list[Any]] | None = columns
        self.arrow: Any = None
        self.attributes = {} if attributes is None else attributes

    @classmethod
    def of_arrow(cls, arrow: Any, attributes: dict[str, Any] | None = None) -> Table:
        table = cls({}, attributes)
        table.lists, table.arrow = None, arrow
        return table

    @property
    def columns(self) -> dict[str, list[Any]]:
        if self.lists is None:
            self.lists = {name: self.cells(name) for name in self.names}
        return self.lists

    @property
    def names(self) -> list[str]:
        return list(self.columns if self.arrow is None else self.arrow.column_names)

    def cells(self, name: str) -> list[Any]:
        """Returns the cells of one column. Raises KeyError if there is none of this name."""
        return self.columns[name] if self.lists is not None else arrow_cells(self.arrow[name])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return (self.columns, self.attributes) == (other.columns, other.attributes)

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), [])) if self.arrow is None else int(self.arrow.num_rows)

    def rows(self) -> list[Row]:
        """Returns the rows as dictionaries."""
        names = self.names
        return [dict(zip(names, cells)) for cells in zip(*self.columns.values())]

    def select(self, names: Iterable[str]) -> Table:
        """Returns the table with these columns only, in this order."""
        wanted, known = list(names), self.names
        unknown = [name for name in wanted if name not in known]
        if unknown:
            raise UsageError(f"There is no column {unknown[0]!r}. The columns are: {', '.join(known)}.")
        if self.arrow is not None:
            return Table.of_arrow(self.arrow.select(wanted), self.attributes)
        return Table({name: self.columns[name] for name in wanted}, self.attributes)

    def where(self, keep: Sequence[bool]) -> Table:
        """Returns the rows for which `keep` is true."""
        if all(keep):
            return self
        if self.arrow is not None:
            return Table.of_arrow(self.arrow.filter(list(keep)), self.attributes)
        columns = {name: list(itertools.compress(cells, keep)) for name, cells in self.columns.items()}
        return Table(columns, self.attributes)

    def to_csv(self) -> str:
        """Returns the table as CSV, in the form of the files of the service: an empty cell is a missing value."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.names)
        for cells in zip(*self.columns.values()):
            writer.writerow([csv_cell(cell) for cell in cells])
        return text.getvalue()

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a pandas frame: dates without a time zone, numbers as float64, labels as categories."""
        try:
            import pandas
        except ImportError as fault:
            raise missing_package("pandas") from fault
        if self.arrow is not None and len(self) > 0:
            series = {name: pandas_array(name, self.arrow[name]) for name in self.names}
        else:
            series = {name: pandas_series(name, cells) for name, cells in self.columns.items()}
        frame: pandas.DataFrame = pandas.DataFrame(series, copy=False)
        frame.attrs.update(self.attributes)
        return frame

    def to_polars(self) -> polars.DataFrame:
        """Returns a Polars frame: dates as Date, numbers as Float64, labels as Categorical."""
        try:
            import polars
        except ImportError as fault:
            raise missing_package("polars") from fault
        types: dict[str, Any] = {
            "date": polars.Date,
            "number": polars.Float64,
            "integer": polars.Int64,
            "boolean": polars.Boolean,
            "text": polars.String,
            "label": polars.Categorical,
        }
        series = []
        for name, cells in self.columns.items():
            kind = kind_of(name)
            values = [cell and datetime.date.fromisoformat(cell) for cell in cells] if kind == "date" else cells
            series.append(polars.Series(name, values, dtype=types[kind]))
        return polars.DataFrame(series)


def missing_package(name: str) -> MissingPackageError:
    advice = f'Install it ("pip install {name}"), or use the plain rows of crd.tables().'
    return MissingPackageError(f"The package {name} is not installed. {advice}")


def pandas_series(name: str, cells: list[Any]) -> Any:
    import numpy
    import pandas

    kind = kind_of(name)
    if kind == "label":
        labels = all_labels(name, cells)
        codes: dict[str | None, int] = {label: code for code, label in enumerate(labels)}
        codes[None] = -1
        return pandas.Categorical.from_codes(list(map(codes.__getitem__, cells)), pandas.Index(labels))
    if kind == "date":
        return pandas.to_datetime(pandas.Series(cells, dtype="object"), format="%Y-%m-%d")
    if kind == "number":
        return pandas.Series(numpy.array(cells, dtype="float64"))
    types = {"integer": "Int64", "boolean": "bool", "text": "string"}
    return pandas.Series(cells, dtype=types[kind])


def csv_cell(cell: Any) -> Any:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return csv_number(cell)
    return "" if cell is None else cell


def parse_csv(data: bytes, name: str, needed: Iterable[str], wanted: Callable[[str], bool] = lambda _: True) -> Table:
    """Reads a CSV file of the service, or the wanted columns of it. Raises DataError, which calls the file `name`."""
    try:
        if sum(data.count(each) for each in (b"\n", b"\r", b",")) > MAX_CELLS:
            raise ValueError("it has too many cells")
        lines = list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))
        names = lines[0] if lines else []
        if len(set(names)) != len(names) or any(len(line) != len(names) for line in lines):
            raise ValueError("it has lines of different lengths, or a column twice")
        columns = {each: i for i, each in enumerate(names) if wanted(each)}
        table = Table({each: [parse_cell(each, line[i]) for line in lines[1:]] for each, i in columns.items()})
        return checked(table, needed)
    except (ValueError, csv.Error) as fault:
        raise DataError(f"{name} is not a valid CSV file: {fault}. {ADVICE}") from fault


def read_parquet(data: bytes, name: str, wanted: Callable[[str], bool] = lambda _: True) -> Any:
    """
    Reads a Parquet file of the service, or the wanted columns of it, as a pyarrow.Table. Its cells are not judged yet:
    `join_volumes` does that. Equal texts stay one text in memory, as they are one in the file. Raises DataError, which
    calls the file `name`.
    """
    import pyarrow
    import pyarrow.parquet

    try:
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data))
        fields = {each.name: str(each.type) for each in file.schema_arrow}
        other = next((each for each in fields if fields[each] not in PARQUET_TYPES), None)
        if other is not None or len(fields) != file.metadata.num_columns:
            raise ValueError(f"the column {other} is repeated or has another type than volumes have")
        groups = (file.metadata.row_group(i) for i in range(file.metadata.num_row_groups))
        unpacked = sum(each.total_byte_size for each in groups)
        if file.metadata.num_rows * len(fields) > MAX_CELLS or not 0 <= unpacked <= MAX_UNPACKED_BYTES:
            raise ValueError("it has too many cells")
        names = [each for each in fields if wanted(each)]
        texts = [each for each in names if fields[each] == "string"]
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data), metadata=file.metadata, read_dictionary=texts)
        columns = names if len(names) < len(fields) else None
        return file.read(columns=columns, use_threads=False)  # volumes are small, and read in several threads already
    except (pyarrow.ArrowException, ValueError, LookupError, OSError, TypeError) as fault:
        raise DataError(f"{name} is not a valid Parquet file: {fault}. {ADVICE}") from fault


def join_volumes(volumes: Sequence[tuple[str, Any]], needed: Iterable[str]) -> Table:
    """
    Returns the rows of volumes, which have names: tables of `read_parquet`. They are judged together, and one by one
    only if that finds a fault. Raises DataError, which names the first invalid volume.
    """
    names, filled = set(needed), [name for name in needed if name not in NULLABLE]
    if all(names <= set(volume.column_names) for _, volume in volumes):
        usual = usual_table([volume for _, volume in volumes], filled)
        if usual is not None:
            return Table.of_arrow(usual)
    return concatenate([listed_table(name, volume, needed) for name, volume in volumes], {})


def listed_table(name: str, volume: Any, needed: Iterable[str]) -> Table:
    """Returns a table of `read_parquet` with lists of cells. Raises DataError, which names it."""
    import pyarrow

    types = {"number": pyarrow.float64(), "integer": pyarrow.int64(), "boolean": pyarrow.bool_()}

    def cells_of(name: str) -> list[Any]:
        column, wanted_type = volume[name], types.get(kind_of(name), pyarrow.string())
        is_text = pyarrow.types.is_dictionary(column.type)
        return arrow_cells(column if is_text or column.type == wanted_type else column.cast(wanted_type))

    try:
        return checked(Table({each: cells_of(each) for each in volume.column_names}), needed)
    except (pyarrow.ArrowException, ValueError, LookupError, TypeError) as fault:
        raise DataError(f"{name} is not a valid Parquet file: {fault}. {ADVICE}") from fault


def checked(table: Table, needed: Iterable[str]) -> Table:
    """Returns a table whose needed columns have values, and whose values are of their kinds. Raises ValueError."""
    for name in needed:
        if name not in table.columns or (name not in NULLABLE and None in table.columns[name]):
            raise ValueError(f"the column {name} is missing, or has an empty cell")
    for name, cells in table.columns.items():
        if is_name(name) is not None:
            raise ValueError(f"it has a column {name[:100]!r}")
        if kind_of(name) == "number" and are_finite(cells):
            continue
        form, different = FORMS[kind_of(name)], [cell for cell in dict.fromkeys(cells) if cell is not None]
        if all_have(form, different):
            continue
        wrong = next((cell for cell in different if form(cell) is not None), None)
        if wrong is not None:
            raise ValueError(f"the column {name[:100]} has the cell {str(wrong)[:100]!r}")
    return table


def are_finite(cells: list[Any]) -> bool:
    """Returns whether all cells are finite doubles or None."""
    return set(map(type, cells)) <= {float, NoneType} and all(map(math.isfinite, filter(None, cells)))


def concatenate(tables: Sequence[Table], attributes: dict[str, Any]) -> Table:
    """Returns the rows of all tables. A column that a table does not have is None there."""
    if any(table.arrow is not None for table in tables):
        parts = [arrow_table(table.columns) if table.arrow is None else table.arrow for table in tables]
        whole = concatenate_arrow(parts)
        if whole is not None:
            return Table.of_arrow(whole, attributes)
    names = list(dict.fromkeys(name for table in tables for name in table.names))
    columns = {
        name: [cell for table in tables for cell in table.columns.get(name) or [None] * len(table)] for name in names
    }
    return Table(columns, attributes)


def from_rows(rows: Sequence[Row]) -> Table:
    """Returns a table of rows, whose columns can differ."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Table({name: [row.get(name) for row in rows] for name in names})
