"""Which times of a frame or of an argument are accepted, and what each of them means."""

from __future__ import annotations

import datetime
import functools
import io
import random
from collections.abc import Callable
from typing import Any

import numpy
import pandas
import polars
import pyarrow
import pytest

from crd import Client, UsageError
from crd.cli import main
from crd.manifest import Manifest
from crd.row_times import row_times
from crd.times import parse_date, parse_instant
from service import KEY, Service
from story import CALENDAR, DATES, LAST, METHODOLOGY

UTC = datetime.timezone.utc
EAST = datetime.timezone(datetime.timedelta(hours=3))
NIGHT = datetime.datetime(2026, 1, 22, 1, 30, tzinfo=EAST)  # the evening before in UTC
DATE = datetime.date(2026, 1, 22)


def times_of(values: Any) -> list[str | None]:
    found = row_times(pandas.DataFrame({"t": values}), "t")
    return [None if pandas.isna(each) else each.isoformat() for each in found]


@pytest.mark.parametrize(
    ("value", "meaning"),
    [
        ("2026-01-22", "2026-01-22T00:00:00+00:00"),
        ("2026-01-22 06:00", "2026-01-22T06:00:00+00:00"),
        ("2026-01-22T06:00:00Z", "2026-01-22T06:00:00+00:00"),
        ("2026-01-22T01:30:00+03:00", "2026-01-21T22:30:00+00:00"),
        ("2026-01-22T01:30:00.5-0330", "2026-01-22T05:00:00.500000+00:00"),
        ("2026-01-22 00:00:00+05", "2026-01-21T19:00:00+00:00"),
        (DATE, "2026-01-22T00:00:00+00:00"),
        (datetime.datetime(2026, 1, 22, 6), "2026-01-22T06:00:00+00:00"),
        (NIGHT, "2026-01-21T22:30:00+00:00"),
        (pandas.Timestamp("2026-01-22", tz="Asia/Tokyo"), "2026-01-21T15:00:00+00:00"),
    ],
)
def test_a_value_means_the_same_in_a_column_and_as_an_argument(value: Any, meaning: str) -> None:
    others = [None, "2026-01-01", DATE, value]
    assert times_of(pandas.Series([value])) == [meaning]
    assert times_of(pandas.Series(others, dtype="object"))[-1] == meaning
    assert times_of(pandas.Series([value, value]).astype("category")) == [meaning, meaning]
    assert parse_date(value) == meaning[:10]
    if isinstance(value, str):
        assert parse_instant(value).isoformat() == meaning


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Asia/Tokyo"])
def test_columns_of_times_of_pandas_and_of_arrow_are_read(unit: Any, zone: str | None) -> None:
    column = pandas.to_datetime(pandas.Series([LAST, None])).dt.as_unit(unit).dt.tz_localize(zone)
    expected = [f"{LAST}T00:00:00+00:00" if zone is None else "2026-01-20T15:00:00+00:00", None]
    assert times_of(column) == expected
    assert times_of(column.astype(pandas.ArrowDtype(pyarrow.timestamp(unit, zone)))) == expected
    assert times_of(column.astype("object")) == expected
    assert times_of(column.astype("category")) == expected
    if zone is None:
        assert times_of(column.astype(pandas.ArrowDtype(pyarrow.date32()))) == expected


def test_columns_of_polars_and_of_arrow_keep_their_meaning() -> None:
    instants = polars.Series("t", [NIGHT, None]).dt.convert_time_zone("America/New_York")
    assert times_of(instants.to_pandas()) == ["2026-01-21T22:30:00+00:00", None]
    assert times_of(polars.Series("t", [DATE, None]).to_pandas()) == ["2026-01-22T00:00:00+00:00", None]
    table = pyarrow.table({"t": pyarrow.array([DATE, None], pyarrow.date32())})
    assert times_of(table.to_pandas()["t"]) == ["2026-01-22T00:00:00+00:00", None]
    assert times_of(pandas.Series([LAST, None], dtype="string[pyarrow]"))[0] == f"{LAST}T00:00:00+00:00"
    assert times_of(pandas.Series([float("nan")])) == [None]
    assert times_of([]) == []


@pytest.mark.parametrize(
    ("values", "fix"),
    [
        (["01/03/2022"], r'pd.to_datetime(frame["t"], format="%d/%m/%Y")'),
        (["2022-3-1"], r'format="%Y-%m-%d")'),
        (["2022/03/01"], r'format="%Y/%m/%d")'),
        (["01.03.2022"], r'format="%d.%m.%Y")'),
        (["March 1 2022"], r'format="%B %d %Y")'),
        (["20220301"], r'format="%Y%m%d")'),
        (["2022-W09"], r'format="...")'),
        (["2022-W09-2"], r'format="...")'),
        (["2022-03"], r'format="...")'),
        (["2022-060"], r'format="...")'),
        (["2022-03-01T06"], r'format="...")'),
        (["2022-03-01T06:00:00+0"], r'format="...")'),
        (["2022-03-01 "], r'format="...")'),
        (["\u0662022-03-01"], r'format="...")'),  # a digit of another script
        (["now"], r'format="...")'),
        ([""], r'frame["t"].replace("", None)'),
        ([20220301], r'format="%Y%m%d")'),
        ([1646092800], r'unit="s")'),
        ([1.5], r'unit="s")'),
        ([True], r'pd.to_datetime(frame["t"]'),
        ([datetime.time(6)], r'pd.to_datetime(frame["t"]'),
        (pandas.period_range("2022-03-01", periods=1), r'frame["t"].dt.to_timestamp()'),
        (pandas.to_timedelta([1], unit="D"), r'pd.to_datetime(frame["t"]'),
        ([["2022-03-01"]], r'pd.to_datetime(frame["t"]'),
        (pandas.Series(["01/03/2022"], dtype="category"), r'format="%d/%m/%Y")'),
        (pandas.Series([1], dtype="Int64"), r'unit="s")'),
    ],
)
def test_a_value_that_must_be_guessed_is_refused_with_the_fix(values: Any, fix: str) -> None:
    with pytest.raises(UsageError) as caught:
        times_of(values)
    assert "'t'" in str(caught.value) and fix in str(caught.value)


def test_the_first_wrong_value_is_named_with_its_row() -> None:
    with pytest.raises(
        UsageError, match=r"^The column 't' has '01/03/2022' in row 3, which is not a datetime or an ISO"
    ):
        times_of([LAST, None, "01/03/2022", 5])
    with pytest.raises(UsageError, match=r"has '5' in row 2, .* unit=\"s\""):
        times_of([DATE, 5, "01/03/2022"])
    for date in ("2026-02-30", "2026-01-22T24:00:00", "1500-01-01", "9999-12-31", datetime.date(9999, 12, 31)):
        with pytest.raises(UsageError, match=f"'{date}' in row 2, which is not a time of the years 1678 to 2261"):
            times_of([LAST, date])
    with pytest.raises(UsageError, match="'1500-01-01 00:00:00' in row 1"):
        times_of(numpy.array(["1500-01-01"], dtype="datetime64[s]"))


@pytest.mark.parametrize("name", ["start", "end", "as_of"])
def test_arguments_follow_the_same_rule(client: Client, name: str) -> None:
    history: Any = functools.partial(client.tables.history, "gold", "base")
    first = {"start": "2026-01-02", "end": DATES[0], "as_of": DATES[0]}[name]
    wrongs: list[Any] = ["01/03/2022", "2022-3-1", "20220301", "2022-W09-2", "soon", 20220301, 1646092800.0, True]
    for wrong in (*wrongs, pandas.NaT):
        with pytest.raises(UsageError, match=f"{name}=.*is not (a date|valid).*Use a"):
            history(**{name: wrong})
    for other in (numpy.datetime64("2026-01-02"), pandas.Period("2026-01-02")):
        with pytest.raises(UsageError, match=f"{name}="):
            history(**{name: other})
    if name != "as_of":
        east = datetime.datetime(2026, 1, 3 if name == "start" else 2, 1, tzinfo=EAST)  # the day before in UTC
        for right in (first, east, east.isoformat(), pandas.Timestamp(east), f"{first}T23:59:59Z"):
            dates = history(**{name: right}).columns["date"]
            assert dates[0 if name == "start" else -1] == first


README = METHODOLOGY.parents[2] / "templates" / "python" / "README.md"
GUIDE = README.parents[1] / "guides" / "join.md"
PARSED = 'frame["date"] = pd.to_datetime(frame["date"])'


def test_dates_of_files_merge_as_the_guide_says(service: Service, client: Client) -> None:
    read = {
        "`pd.read_parquet(volume)`": pandas.read_parquet(
            io.BytesIO(service.files["/api/v1/files/gold/base/volumes/2026-01.parquet"])
        ),
        "`pd.read_csv(calendar)`": pandas.read_csv(io.BytesIO(service.public[CALENDAR])),
        "frames of the client": client.calendar("base"),
    }

    def merged(left: pandas.DataFrame, right: pandas.DataFrame) -> str:
        try:
            return "rows" if len(left.merge(right, on="date")) > 0 else "no rows"
        except ValueError:
            return "`ValueError`"

    kinds = ["`datetime.date`", "text", "datetimes"]
    for (name, frame), kind in zip(read.items(), kinds):
        row = f"| {' | '.join([name, kind, *(merged(frame, other) for other in read.values())])} |"
        assert row in GUIDE.read_text("utf-8")
        assert row in README.read_text("utf-8")
    for page in (GUIDE, README):
        assert PARSED in page.read_text("utf-8")
    parsed = [frame.assign(date=pandas.to_datetime(frame["date"])) for frame in read.values()]
    assert {merged(left, right) for left in parsed for right in parsed} == {"rows"}


def frames() -> list[tuple[Any, str]]:
    series = pandas.Series([1], index=pandas.DatetimeIndex([LAST]))
    polars_frame = polars.DataFrame({"date": [LAST]})
    return [
        (polars_frame, r"not polars\.DataFrame\. Use frame\.to_pandas\(\)"),
        (polars_frame.lazy(), r"not polars\.LazyFrame\. Use frame\.collect\(\)\.to_pandas\(\)"),
        (polars_frame["date"], r"not polars\.Series\. Use frame\.to_pandas\(\)"),
        (pyarrow.table({"date": [LAST]}), r"not pyarrow\.Table\. Use frame\.to_pandas\(\)"),
        (series, r"not pandas\.Series\. Use frame\.to_frame\(\)"),
        ({"date": [LAST]}, r"not builtins\.dict\. Use pandas\.DataFrame\(frame\)"),
        (None, r"not builtins\.NoneType"),
        (series.to_frame("x"), r'no column \'date\'\. Its index has dates but no name: .*rename_axis\("date"\)'),
        (pandas.DataFrame([[LAST, LAST]], columns=["date", "date"]), "more than one column 'date'"),
        (pandas.DataFrame([[LAST, "x"]], columns=["date", "regime"]), "'regime' already"),
    ]


@pytest.mark.parametrize(("frame", "message"), frames())
def test_other_frames_are_refused_by_name(client: Client, frame: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        client.regimes_on(frame, chain="base")


def test_named_indexes_and_their_levels_are_joined(client: Client) -> None:
    index = pandas.MultiIndex.from_product([pandas.to_datetime(["2026-01-16", LAST]), ["a", "b"]], names=["date", "x"])
    joined = client.regimes_on(pandas.DataFrame({"y": range(4)}, index=index), chain="base")
    assert joined.index.equals(index)
    assert (
        joined["regime"].astype("object").where(joined["regime"].notna(), None).tolist() == [None] * 2 + ["steady"] * 2
    )
    with pytest.raises(UsageError, match=r'pd\.to_datetime\(frame\.index, format="%d/%m/%Y"\)'):
        client.regimes_on(pandas.DataFrame({"y": 1}, index=pandas.Index(["01/03/2022"], name="date")), chain="base")


def test_a_row_without_a_chain_is_refused(client: Client) -> None:
    with pytest.raises(UsageError, match="'chain' is empty in row 2"):
        client.regimes_on(pandas.DataFrame({"date": [LAST, LAST], "chain": ["base", None]}))


def test_the_command_refuses_what_must_be_guessed(
    service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in (("BASE_URL", service.url), ("API_KEY", KEY), ("CACHE_DIR", str(tmp_path / "cache"))):
        monkeypatch.setenv(f"CRD_{name}", value)
    file = tmp_path / "mine.csv"
    for cell in ("01/03/2022", "20220301", "1646092800"):
        file.write_text(f"date\n{cell}\n")
        assert main(["regimes-on", str(file), "--chain", "base"]) == 2
        assert f"has '{cell}' in row 1" in capsys.readouterr().err
    file.write_text("date\n2026-01-22\n")
    assert main(["regimes-on", str(file), "--chain", "base"]) == 0
    assert capsys.readouterr().out == "date,regime,regime_backfilled\n2026-01-22,steady,False\n"
    for option in ("--start", "--end", "--as-of"):
        assert main(["history", "gold", "base", option, "01/03/2022"]) == 2
        assert "01/03/2022" in capsys.readouterr().err


Label = tuple[str | None, bool]


def plain_label(client: Client, day: datetime.date, until: datetime.datetime) -> Label:
    """Returns the label of a row, read from the day files one by one: what `regimes_on` is compared with."""
    manifest = Manifest(client.files.subscriber("/api/v1/files/meta/base/manifest.json"), "meta", "base")
    if day.isoformat() not in manifest.entries:
        return None, False
    versions = list(manifest.versions(day.isoformat()))

    def regime_of(index: int) -> str | None:
        if versions[index].status == "withdrawn":
            return None
        record = client.day("meta", "base", day, versions[index].since)
        label: str = record["regime"]["label"]
        return label

    known = [i for i, each in enumerate(versions) if manifest.published_at(each.since) < until]
    if known:
        return regime_of(known[-1]), False
    return (regime_of(0), True) if versions[0].backfilled else (None, False)


FORMS: dict[str, Callable[[datetime.datetime], Any]] = {
    "datetime": lambda time: time,
    "east": lambda time: time.astimezone(EAST),
    "naive": lambda time: time.replace(tzinfo=None),
    "text": lambda time: time.astimezone(EAST).isoformat(),
    "Z": lambda time: f"{time:%Y-%m-%dT%H:%M:%SZ}",
    "space": lambda time: f"{time:%Y-%m-%d %H:%M:%S}",
}


def test_drawn_frames_have_the_labels_of_a_plain_loop(client: Client) -> None:
    known: dict[tuple[datetime.date, datetime.datetime], Label] = {}
    for seed in range(30):
        draw = random.Random(seed)
        daily = draw.choice([True, False, None])
        only_midnights = daily is True or draw.random() < 0.3
        times: list[datetime.datetime | None] = []
        for _ in range(draw.randrange(25)):
            start = datetime.datetime(2025, 12, 28, tzinfo=UTC) + datetime.timedelta(days=draw.randrange(35))
            hour = datetime.timedelta() if only_midnights else datetime.timedelta(hours=draw.choice([0, 5, 6, 23]))
            times.append(None if draw.random() < 0.1 else start + hour + draw.choice([0, 1]) * bool(hour) * SECOND)
        form = draw.choice([*FORMS, "mixed"])
        cells = [
            None if each is None else FORMS[draw.choice(list(FORMS)) if form == "mixed" else form](each)
            for each in times
        ]
        index = [draw.randrange(5) for _ in cells]
        joined = client.regimes_on(pandas.DataFrame({"date": cells}, index=index), chain="base", daily=daily)
        present = [each for each in times if each is not None]
        is_daily = all(each.time() == datetime.time() for each in present) if daily is None else daily
        expected: list[Label] = []
        for each in times:
            if each is None:
                expected.append((None, False))
                continue
            moment = ((each - DAY).date(), each + DAY if is_daily else each)
            if moment not in known:
                known[moment] = plain_label(client, *moment)
            expected.append(known[moment])
        regimes = [None if pandas.isna(each) else each for each in joined["regime"]]
        assert list(zip(regimes, joined["regime_backfilled"])) == expected, f"seed {seed}"
        assert joined.index.tolist() == index
        assert joined["regime_backfilled"].dtype == "bool" and joined["regime"].dtype == "category"


DAY = datetime.timedelta(days=1)
SECOND = datetime.timedelta(seconds=1)
