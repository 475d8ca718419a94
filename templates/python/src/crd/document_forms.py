"""The forms of the documents of a service, as far as the client reads them. Its JSON Schemas say more."""

from __future__ import annotations

import functools
from typing import Any

from .columns import SUMMARIES, kind_of
from .values import (
    Form,
    by_name,
    chain,
    date,
    each_of,
    exactly,
    having,
    instant,
    methodology_version,
    name,
    number,
    optional,
    optional_cell_text,
    optional_number,
    optional_sentence,
    period,
    positive,
    revision,
    sentence,
    sha256,
    size,
    some,
    text,
    url_path,
    when,
    whole,
)

MAX_DATES = 40_000  # a century
MAX_FILES = 100_000
MAX_NAMES = 200  # of metrics, signals, dimensions and sources
GENRE = "meta|gold|derived|briefs|lineage"
HOST = r"([A-Za-z0-9_-]{1,63}\.)*[A-Za-z0-9_-]{1,63}\.?|\[[0-9a-fA-F:.]+\]"

optional_date = optional(date)
optional_instant = optional(instant)
word = text("[A-Za-z0-9_.:-]{1,100}")
optional_word = optional(word)
counted = whole(0, 2**53)

url = text(rf"https?://({HOST})(:\d{{1,5}})?([/?][!-~]*)?", 8_000)
LINK = having(
    {
        "expires_in": counted,
        "volumes": each_of(having({}, path=url_path, url=url, sha256=sha256, bytes=size), most=1_000, least=0),
    },
    url=url,
    sha256=sha256,
    bytes=size,
)
PROBLEM = having({}, detail=sentence, code=text("[a-z0-9-]{1,60}"))
RELEASE = having(
    {},
    published_revision=revision,
    files=each_of(having({}, path=url_path, sha256=sha256, bytes=size), MAX_FILES),
)
STATUS = having(
    {"holds": by_name(chain, sentence)},
    published_revision=revision,
    published_at=instant,
    hold=optional_sentence,
    chains=by_name(
        chain,
        having(
            {},
            last_available=optional_date,
            late_after=optional_instant,
            stale_after=optional_instant,
            expected_next_by=instant,
            sources=each_of(
                having({"attribution": sentence}, name=sentence, licence=sentence), most=MAX_NAMES, least=0
            ),
        ),
        most=MAX_NAMES,
    ),
)

version_of_date = {"revision": revision, "in_force_from": revision, "sha256": sha256, "bytes": size}
volume_file = having({}, path=url_path, sha256=sha256, bytes=size)
MANIFEST = having(
    {
        "volumes": each_of(
            having({}, period=period, first_date=date, last_date=date, parquet=volume_file, csv=volume_file),
            most=1_000,
            least=0,
        )
    },
    schema=exactly("manifest/1", "manifest/2"),
    genre=text(GENRE),
    chain=chain,
    published_revision=revision,
    sequence=positive,
    methodology_version=methodology_version,
    revisions=some(by_name(revision, having({}, published_at=instant))),
    dates=each_of(
        having(
            {},
            date=date,
            path=url_path,
            methodology_version=methodology_version,
            status=exactly("available", "degraded", "missing", "withdrawn"),
            superseded=each_of(
                having({"status": exactly("withdrawn")}, reason=sentence, **version_of_date), MAX_DATES, least=0
            ),
            **version_of_date,
        ),
        MAX_DATES,
    ),
)


def metric(value: Any) -> str | None:
    """The form of the name of a metric, whose column holds numbers."""
    return when(name(value) is None and value not in RESERVED and kind_of(value) == "number")


RESERVED = ("date", "chain", "source", "status", "extremes")
about_day = {"date": date, "methodology_version": methodology_version}
level = optional_word
DAYS: dict[str, Form] = {
    "gold": having({}, metrics=by_name(metric, optional_number, MAX_NAMES), source=optional_cell_text, **about_day),
    "derived": having(
        dict.fromkeys(("fee_mean", "utilization", "block_interval_mean", "tx_per_active_address"), optional_number),
        metrics=by_name(metric, having({}, **dict.fromkeys(SUMMARIES, optional_number)), MAX_NAMES),
        extremes=each_of(having({}, quantity=word, kind=word, window=word, rank=positive), most=MAX_NAMES, least=0),
        **about_day,
    ),
    "meta": having(
        {},
        status=word,
        regime=having(
            {},
            label=word,
            since=date,
            run_days=counted,
            previous_label=optional_word,
            determinism_hash=word,
            axes=by_name(name, having({}, z=optional_number, level=level), MAX_NAMES),
        ),
        confidence=having(
            {},
            score=number,
            level=word,
            missing_signals=each_of(name, most=MAX_NAMES, least=0),
            **dict.fromkeys(("data_quality", "completeness", "depth", "density", "margin", "speed"), optional_number),
        ),
        scorecard=by_name(
            name, having({}, score=optional_number, z=optional_number, level=level, trend=optional_word), MAX_NAMES
        ),
        drivers=each_of(
            having(
                {},
                signal=name,
                **dict.fromkeys(("z", "contribution", "value", "smoothed", "baseline"), optional_number),
            ),
            most=MAX_NAMES,
            least=0,
        ),
        inputs_sha256=word,
        **about_day,
    ),
    "briefs": having({}),
}


@functools.cache
def bundle(genre: str) -> Form:
    """Returns the form of a bundle of a genre."""
    days = each_of(DAYS[genre], most=1_000)
    return having({}, published_revision=revision, methodology_version=methodology_version, days=days)


SIGNAL = having({}, signal=name, dimension=name, chains=each_of(chain, MAX_NAMES))
SIGNALS = having({}, signals=each_of(SIGNAL, MAX_NAMES))
# The methodology has more members. These bound what its computation takes; the rest shows while it runs.
decimals = whole(0, 15)
window = having({}, from_day=whole(-500, 0), to_day=whole(-500, 0))
days_back = whole(1, 1_000)
THRESHOLDS = having(
    {},
    schema=exactly("methodology/1"),
    version=methodology_version,
    rounding=by_name(name, decimals),
    smoothing=having({}, window=window),
    baseline=having({}, window=window),
    determinism=having({}, input_days=days_back),
    data_quality=having({}, completeness=having({}, days=days_back), density=having({}, days=days_back)),
    signals=each_of(SIGNAL, most=20),
)
