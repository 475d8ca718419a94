"""Tables of Arrow arrays are those of lists: the same cells, frames and errors."""

from __future__ import annotations

import datetime
import io
import random
from collections.abc import Sequence
from typing import Any

import pandas
import pyarrow
import pyarrow.parquet
import pytest

from crd import DataError, table
from crd.table import Table, concatenate, from_rows, join_volumes, read_parquet

NEEDED = ("date", "chain", "in_force_until")
DAY = datetime.date(2024, 2, 29)
STRINGS = ["base", "low", "a b", "Größe", "0a" * 32, "2026-01-20.000001", "available"]
# Cells that a column can have, and at the end one that it cannot.
CELLS: dict[str, list[Any]] = {
    "date": [DAY, datetime.date(1970, 1, 1), datetime.date(2199, 12, 31), datetime.date(1969, 12, 31)],
    "regime_since": [DAY, None, datetime.date(2200, 1, 1)],
    "chain": ["base", "bitcoin", "=1+1"],
    "status": [*STRINGS, None, "x" * 1_001],
    "in_force_until": [*STRINGS, None, "a\tb"],
    "extremes": [*STRINGS, None, "a;=1"],
    "inputs_sha256": ["0a" * 32, "1b" * 32, None, ""],
    "run_days": [0, 7, 2**53, None, -1],
    "backfilled": [True, False],
    "tx_count": [0.0, -0.0, 1.5, -1e308, 1e308, None, float("nan")],
    "fees_total": [1.0, None, float("inf")],
    "days_z": [1, 2, None, 2**60],
    "empty_z": [None],
}


def drawn_volume(draw: random.Random, is_valid: bool) -> bytes:
    """Returns a Parquet file with some columns, in one or several groups of rows."""
    names = [*NEEDED, *draw.sample(sorted(set(CELLS) - set(NEEDED)), draw.randrange(len(CELLS) - len(NEEDED)))]
    draw.shuffle(names)
    count = draw.choice([0, 1, 5, 30])
    columns = {}
    for name in names:
        known = CELLS[name] if not is_valid and draw.random() < 0.15 else CELLS[name][:-1] or [None]
        columns[name] = pyarrow.array(draw.choices(known, k=count))
        if count == 0 and draw.random() < 0.5:
            columns[name] = pyarrow.array(known, from_pandas=False).slice(0, 0)
        if name == "regime_since" and draw.random() < 0.2:
            columns[name] = columns[name].cast(pyarrow.string())
    if not is_valid and draw.random() < 0.2:
        columns[draw.choice(["Wrong", "=x", "run_days_z"])] = columns.pop(draw.choice(names))
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), stream, row_group_size=draw.choice([7, 100]))
    return stream.getvalue()


def parse_parquet(data: bytes) -> Table:
    return join_volumes([("A file", read_parquet(data, "A file"))], NEEDED)


def read(data: bytes, monkeypatch: pytest.MonkeyPatch, has_lists: bool) -> Table | str:
    """Returns a volume as a table of arrays or of lists, or the error."""
    with monkeypatch.context() as patch:
        if has_lists:
            patch.setattr(table, "usual_table", lambda *_: None)
        try:
            return parse_parquet(data)
        except DataError as fault:
            return str(fault)


def test_a_file_has_the_cells_or_the_error_of_a_reader_with_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = {"arrays": 0, "lists": 0, "errors": 0}
    for seed in range(600):
        draw = random.Random(seed)
        is_valid = draw.random() < 0.5
        data = drawn_volume(draw, is_valid)
        found, expected = (read(data, monkeypatch, has_lists) for has_lists in (False, True))
        if isinstance(found, Table):
            kinds["lists" if found.arrow is None else "arrays"] += 1
            assert isinstance(expected, Table) and expected.arrow is None, (seed, expected)
            assert_same(found, expected)
        else:
            kinds["errors"] += 1
            assert found == expected and not is_valid, seed
    assert min(kinds.values()) > 20, kinds


def assert_same(found: Table, expected: Table) -> None:
    pandas.testing.assert_frame_equal(found.to_pandas(), expected.to_pandas())
    assert repr(found.columns) == repr(expected.columns)  # also the sign of zero
    assert found == expected and len(found) == len(expected) and found.names == expected.names


def test_volumes_that_are_judged_together_have_the_cells_or_the_error_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = {"table": 0, "error": 0}
    for seed in range(300):
        draw = random.Random(seed)
        is_valid = draw.random() < 0.6
        volumes = [drawn_volume(draw, is_valid or draw.random() < 0.7) for _ in range(draw.randrange(2, 5))]
        parts = [(f"File {i}", read_parquet(each, f"File {i}")) for i, each in enumerate(volumes)]
        found: list[Table | str] = []
        for has_lists in (False, True):
            with monkeypatch.context() as patch:
                if has_lists:
                    patch.setattr(table, "usual_table", lambda *_: None)
                try:
                    found.append(join_volumes(parts, NEEDED))
                except DataError as fault:
                    found.append(str(fault))
        first, second = found
        outcomes["table" if isinstance(first, Table) else "error"] += 1
        if isinstance(first, Table):
            assert isinstance(second, Table), (seed, second)
            assert_same(first, second)
        else:
            assert first == second, seed
    assert min(outcomes.values()) > 20, outcomes


def test_tables_of_arrays_and_of_lists_are_joined_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(150):
        draw = random.Random(seed)
        volumes = [drawn_volume(draw, is_valid=True) for _ in range(draw.randrange(1, 5))]
        rows = [{"date": str(DAY), "chain": "base", "status": "new", "tx_count": 2.0}] * draw.randrange(3)
        keep: Sequence[bool] = []
        results = []
        for has_lists in (False, True):
            tables = [read(each, monkeypatch, has_lists) for each in volumes]
            joined = concatenate([*(each for each in tables if isinstance(each, Table)), from_rows(rows)], {"a": 1})
            keep = keep or [draw.random() < 0.7 for _ in range(len(joined))]
            kept = joined.where(keep)
            assert kept.attributes == {"a": 1}
            results.append((joined, kept, kept.select(["chain", "date"])))
        for found, expected in zip(*results):
            assert_same(found, expected)


def test_frames_can_be_written_to() -> None:
    stream = io.BytesIO()
    columns = {"date": [DAY] * 2, "chain": ["base"] * 2, "in_force_until": [None, "x"], "tx_count": [1.0, 2.0]}
    pyarrow.parquet.write_table(pyarrow.table({**columns, "backfilled": [True, False], "run_days": [1, 2]}), stream)
    frame = parse_parquet(stream.getvalue()).to_pandas()
    for at in range(len(frame.columns)):
        values: Any = frame.iloc[:, at].array
        values[0] = values[1]


def test_text_that_is_repeated_is_not_repeated_in_memory() -> None:
    texts = {"chain": "base", "in_force_until": "x" * 1_000}
    columns = {name: pyarrow.array([text] * 10_000) for name, text in texts.items()}
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"date": [DAY] * 10_000, **columns}), stream)
    volume = parse_parquet(stream.getvalue())
    assert volume.arrow is not None and volume.arrow.nbytes < 200_000
    assert concatenate([volume, volume], {}).arrow.nbytes < 400_000
    assert len(set(map(id, volume.cells("in_force_until")))) == 1
