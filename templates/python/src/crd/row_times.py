"""The times of the rows of a frame: datetimes, dates and ISO 8601 texts, and nothing that has to be guessed."""

from __future__ import annotations

import datetime
import numbers
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .errors import UsageError
from .times import has_offset, is_iso_text

if TYPE_CHECKING:
    import pandas

YEARS = (1678, 2261)  # whole years of instants in nanoseconds
# How texts of other forms can be meant. Only the reader knows whether the day or the month is first.
FORMATS = (
    (r"\d{8}", "%Y%m%d"),
    (r"\d{4}-\d+-\d+", "%Y-%m-%d"),
    (r"\d{4}/\d+/\d+", "%Y/%m/%d"),
    (r"\d+\.\d+\.\d{4}", "%d.%m.%Y"),
    (r"[A-Za-z]+ \d+,? \d{4}", "%B %d %Y"),
    (r"\d+ [A-Za-z]+ \d{4}", "%d %B %Y"),
    (r"\d+/\d+/\d{4}", "%d/%m/%Y"),
    ("(?s).*", "..."),
)


def row_times(frame: pandas.DataFrame, on: str) -> pandas.Series:
    """
    Returns the instants of a column or of a named level of the index, in UTC with nanoseconds: one for each row, in
    their order; NaT for a missing value. A date is its midnight, and a time without a time zone is in UTC. Raises
    UsageError for the first value that is anything else.
    """
    import numpy
    import pandas

    values, source = column_of(frame, on)
    if getattr(values.dtype, "kind", "O") == "M":  # of NumPy, pandas or Arrow
        parsed = in_range(pandas.to_datetime(values, utc=True))
    else:  # each value once: there are often fewer dates than rows
        try:
            codes, uniques = pandas.factorize(values)
        except TypeError as fault:  # such as a list
            row = next(i for i, each in enumerate(values) if each.__hash__ is None)
            raise refusal(values.iloc[row], row, on, source) from fault
        parsed = parse_each(numpy.asarray(uniques, dtype="object").tolist()).take(codes).reset_index(drop=True)
        parsed = parsed.where(pandas.Series(codes) >= 0)
    wrong = (parsed.isna() & values.notna()).to_numpy()
    if wrong.any():
        row = int(wrong.argmax())
        raise refusal(values.iloc[row], row, on, source)
    return parsed


def column_of(frame: pandas.DataFrame, on: str) -> tuple[pandas.Series, str]:
    """Returns the values of a column or of a level of the index, and the expression for them."""
    import pandas

    if on in frame.columns:
        values = frame[on]
        if not isinstance(values, pandas.Series):
            raise UsageError(f"The frame has more than one column {on!r}. Rename the others.")
        return values.reset_index(drop=True), f'frame["{on}"]'
    if on in frame.index.names:
        return pandas.Series(frame.index.get_level_values(on).array), "frame.index"
    if isinstance(frame.index, (pandas.DatetimeIndex, pandas.PeriodIndex)) and frame.index.name is None:
        advice = f'Its index has dates but no name: use frame.rename_axis("{on}").'
    else:
        advice = "Name its column of dates with on=..."
    raise UsageError(f"The frame has no column {on!r}. {advice}")


def parse_each(values: Sequence[Any]) -> pandas.Series:
    """Returns the instant of each value, and at the end one NaT more; NaT also for a value that is not a time."""
    import pandas

    parsed: pandas.Series = pandas.Series(pandas.NaT, index=range(len(values) + 1), dtype="datetime64[ns, UTC]")
    is_text = [isinstance(each, str) and is_iso_text(each) for each in values]
    # Apart, because pandas 2 reads a text without an offset with the offset of the text before it.
    offset = [i for i, each in enumerate(values) if is_text[i] and has_offset(each)]
    plain = [i for i, each in enumerate(values) if is_text[i] and not has_offset(each)]
    dates = [i for i, each in enumerate(values) if isinstance(each, datetime.date)]  # datetimes too
    for places, form in ((offset, "ISO8601"), (plain, "ISO8601"), (dates, None)):
        if places:
            chosen = pandas.Series([values[i] for i in places], dtype="object")
            found = pandas.to_datetime(chosen, utc=True, errors="coerce", format=form)
            parsed.iloc[places] = in_range(found).array
    return parsed


def in_range(instants: pandas.Series) -> pandas.Series:
    """Returns instants in nanoseconds; NaT for those of other years than YEARS."""
    kept = instants.where(instants.dt.year.between(*YEARS))
    fine: pandas.Series = kept.dt.as_unit("ns")
    return fine


def refusal(value: Any, row: int, on: str, source: str) -> UsageError:
    where = f"The column {on!r} has {str(value)[:100]!r} in row {row + 1}"
    if not (is_iso_text(value) if isinstance(value, str) else isinstance(value, datetime.date)):
        what = "which is not a datetime or an ISO 8601 text such as 2022-03-01 or 2022-03-01T06:00:00Z"
        return UsageError(f"{where}, {what}. Use these, or parse the column before: {fix_for(value, source)}.")
    first, last = YEARS
    return UsageError(f"{where}, which is not a time of the years {first} to {last}. Fix or remove the row.")


def fix_for(value: Any, source: str) -> str:
    """Returns the expression that makes datetimes of values like this one, as far as it shows what they mean."""
    if isinstance(value, str) and not value.strip():
        return f'{source}.replace("", None)'
    if isinstance(value, (str, numbers.Integral)) and not isinstance(value, bool):
        text = str(value)
        form = next(form for pattern, form in FORMATS if re.fullmatch(pattern, text, re.ASCII))
        if isinstance(value, str) or form == "%Y%m%d":
            return f'pd.to_datetime({source}, format="{form}")'
    if hasattr(value, "to_timestamp"):  # a period
        return f"{source}.to_timestamp()" if source == "frame.index" else f"{source}.dt.to_timestamp()"
    return f'pd.to_datetime({source}, unit="s")' if isinstance(value, numbers.Real) else f"pd.to_datetime({source})"
