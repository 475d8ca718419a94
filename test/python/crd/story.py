"""
A short history of base, told by four releases:

1. 2026-01-20 loads 2026-01-01 to 2026-01-19. The dates up to 2026-01-12 are backfilled.
2. 2026-01-21 adds 2026-01-20 and restates 2026-01-19.
3. 2026-01-22 adds 2026-01-21, and withdraws 2026-01-20.
4. 2026-01-23 restates 2026-01-02.
"""

from __future__ import annotations

import datetime
import functools
import io
import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.csv
import pyarrow.parquet

from crd.canonical import canonical
from crd.columns import to_row
from service import Contents, Service, sha256_of

R1, R2, R3, R4 = (f"2026-01-{day}.000001" for day in (20, 21, 22, 23))
FIRST, LAST, RESTATED, OLD, WITHDRAWN = "2026-01-01", "2026-01-21", "2026-01-19", "2026-01-02", "2026-01-20"
METHODOLOGY = Path(__file__).resolve().parents[3] / "schemas" / "methodology" / "v1.json"
CALENDAR = "/api/v1/analyst-kit/base/regime-calendar"
SIGNAL = {"signal": "tx_count", "dimension": "demand", "chains": ["base"]}
DATES = [(datetime.date(2026, 1, 1) + datetime.timedelta(n)).isoformat() for n in range(21)]
Version = tuple[str, dict[str, Any] | None]


def gold(date: str, revision: str, count: float | None) -> dict[str, Any]:
    return {
        "schema": "gold-day/1",
        "chain": "base",
        "date": date,
        "published_revision": revision,
        "methodology_version": "v1",
        "metrics": {"tx_count": count, "fees_total": None},
        "source": "made up",
    }


def meta(date: str, revision: str, label: str) -> dict[str, Any]:
    score = {"score": 50.5, "z": 0.1, "level": "normal", "trend": "flat"}
    axis = {"z": 0.1, "level": "normal"}
    driver = {"signal": "tx_count", "z": 1.5, "contribution": 0.5, "value": 1, "smoothed": 2, "baseline": 3}
    names = ("data_quality", "completeness", "depth", "density", "margin", "speed")
    return {
        "schema": "meta-day/1",
        "chain": "base",
        "date": date,
        "published_revision": revision,
        "methodology_version": "v1",
        "status": "available",
        "regime": {
            "label": label,
            "since": date,
            "run_days": 1,
            "previous_label": None,
            "determinism_hash": "ab",
            "axes": {"demand": axis, "pressure": axis},
        },
        "confidence": {"score": 0.5, "level": "moderate", "missing_signals": [], **dict.fromkeys(names, 1)},
        "scorecard": {"demand": score},
        "drivers": [driver],
        "inputs_sha256": "cd",
    }


def versions_of(genre: str, date: str) -> list[Version]:
    """Returns the versions of a date: from which revision on, and the record. No record means withdrawn."""

    def record(revision: str, count: int, label: str) -> dict[str, Any]:
        return gold(date, revision, count) if genre == "gold" else meta(date, revision, label)

    first = {LAST: R3, WITHDRAWN: R2}.get(date, R1)
    versions: list[Version] = [(first, record(first, 1000 + int(date[-2:]), "steady"))]
    if date == RESTATED:
        versions.append((R2, record(R2, 2000, "quiet")))
    if date == OLD:
        versions.append((R4, record(R4, 3000, "slack")))
    if date == WITHDRAWN:
        versions.append((R3, None))
    return versions


def listed(versions: list[Version]) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = []
    for since, record in versions:
        data = b"" if record is None else canonical(record).encode()
        digest = entries[-1] if record is None else {"sha256": sha256_of(data), "bytes": len(data)}
        state = {"status": "withdrawn"} if record is None else {}
        entries.append(
            {"sha256": digest["sha256"], "bytes": digest["bytes"], "revision": since, "in_force_from": since, **state}
        )
    return entries


def versions_at(genre: str, date: str, revision: str) -> list[Version]:
    """Returns the versions of a date that were published at a revision."""
    return [(since, record) for since, record in versions_of(genre, date) if since <= revision]


def manifest_of(genre: str, schema: str, revision: str = R4) -> dict[str, Any]:
    """Returns the manifest of a genre at a revision."""
    names = [name for name in (R1, R2, R3, R4) if name <= revision]
    published = {name: {"published_at": f"{name[:10]}T06:00:00Z"} for name in names}
    dates = []
    for date in DATES:
        if not versions_at(genre, date, revision):
            continue
        *superseded, entry = listed(versions_at(genre, date, revision))
        superseded = [{**each, "reason": "A correction."} for each in superseded]
        about = {"date": date, "path": f"/api/v1/files/{genre}/base/{date}.json", "methodology_version": "v1"}
        dates.append({**about, "status": "available", **entry, "superseded": superseded})
    head = {"schema": schema, "genre": genre, "chain": "base", "published_revision": revision, "sequence": len(names)}
    return {**head, "methodology_version": "v1", "revisions": published, "dates": dates}


def volume_rows(genre: str, dates: list[str]) -> list[dict[str, Any]]:
    """Returns the rows of a volume, as the generator writes them."""
    rows = []
    for date in dates:
        versions = versions_of(genre, date)
        for i, (since, record) in enumerate(versions):
            values = {} if record is None else to_row(genre, record, [SIGNAL])
            ended = versions[i + 1][0] if i + 1 < len(versions) else None
            rows.append(
                {
                    "date": date,
                    "chain": "base",
                    **values,
                    "status": "withdrawn" if record is None else "available",
                    "backfilled": date <= "2026-01-12",
                    "methodology_version": "v1",
                    "published_revision": since,
                    "in_force_from": since,
                    "in_force_until": ended,
                }
            )
    return rows


def volume_files(rows: list[dict[str, Any]]) -> dict[str, bytes]:
    rows = [{name: row.get(name) for name in rows[0]} for row in rows]  # a withdrawn version has no values
    names = {"date", "regime_since"} & set(rows[0])
    dates = [{**row, **{name: row[name] and datetime.date.fromisoformat(row[name]) for name in names}} for row in rows]
    table = pyarrow.Table.from_pylist(dates)
    parquet = io.BytesIO()
    pyarrow.parquet.write_table(table, parquet)
    lines = [",".join(rows[0]), *(",".join(map(csv_cell, row.values())) for row in rows), ""]
    return {"parquet": parquet.getvalue(), "csv": "\n".join(lines).encode()}


def csv_cell(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def tell(service: Service, volumes: bool) -> None:
    """Publishes the history. With volumes, the dates up to 2026-01-15 are in one."""
    told = contents(volumes)
    service.public.update(told.public)
    service.files.update(told.files)
    service.revision = told.revision


@functools.cache
def contents(volumes: bool) -> Contents:
    service = Contents()
    service.revision = R4
    limits = {"late_after": "2026-01-24T00:00:00Z", "stale_after": "2026-01-26T00:00:00Z"}
    times = {"updated_through": LAST, "last_available": LAST, "expected_next_by": "2026-01-24T00:00:00Z", **limits}
    chain = {**times, "sources": [{"name": "made up", "licence": "CC0", "attribution": "Made Up"}]}
    about = {"schema": "status/1", "published_revision": R4, "published_at": "2026-01-23T06:00:00Z", "hold": None}
    service.publish("/api/v1/status", {**about, "chains": {"base": chain, "bitcoin": chain}})
    service.publish("/api/v1/methodology/v1.json", methodology())
    service.publish(CALENDAR, calendar_of("base", R4))
    service.publish(CALENDAR.replace("base", "bitcoin"), calendar_of("bitcoin", R4))
    for genre in ("gold", "meta"):
        tell_genre(service, genre, volumes)
    return service


def methodology() -> dict[str, Any]:
    """Returns the published methodology with one signal."""
    published: dict[str, Any] = json.loads(METHODOLOGY.read_bytes())
    own = [each for each in published["signals"] if each["signal"] == SIGNAL["signal"]]
    return {**published, "signals": own}


def calendar_of(chain: str, revision: str) -> bytes:
    """Returns the calendar at a revision. The made-up hash of a date is the count of its gold day."""
    lines = ["date,chain,regime,confidence,run_days,top_driver,published_revision,determinism_hash"]
    for date in DATES:
        days = [versions_at(genre, date, revision)[-1:] for genre in ("meta", "gold")]
        for (since, label), (_, day) in zip(*days):
            if label is not None and day is not None:
                count = day["metrics"]["tx_count"]
                lines.append(f"{date},{chain},{label['regime']['label']},0.5,3,,{since},{count}")
    return "\n".join([*lines, ""]).encode()


def tell_genre(service: Contents, genre: str, volumes: bool) -> None:
    root = f"/api/v1/files/{genre}/base"
    service.files[f"{root}/manifest.json"] = json.dumps(manifest_of(genre, "manifest/1")).encode()
    records = [versions_of(genre, date)[-1][1] for date in DATES]
    days = [record for record in records if record is not None]
    about = {"published_revision": R4, "methodology_version": "v1"}
    for window in ("30d", "90d", "365d"):
        service.files[f"{root}/{window}/latest.json"] = json.dumps({**about, "days": days}).encode()
    service.files[f"{root}/latest.json"] = json.dumps({**about, "days": days[-1:]}).encode()
    for date in DATES:
        for since, record in versions_of(genre, date):
            if record is not None:
                service.files[f"{root}/{date}.json?revision={since}"] = canonical(record).encode()
                service.files[f"{root}/{date}.json"] = canonical(record).encode()
    if volumes:
        publish_volume(service, genre, "2026-01", "2026-01-15")


def publish_volume(service: Contents, genre: str, period: str, through: str) -> None:
    """Publishes a manifest with one volume, which has the dates up to `through`."""
    root = f"/api/v1/files/{genre}/base"
    files = volume_files(volume_rows(genre, [date for date in DATES if date <= through]))
    volume: dict[str, Any] = {"period": period, "first_date": FIRST, "last_date": through}
    for kind, data in files.items():
        path = f"{root}/volumes/{period}.{kind}"
        service.files[path] = data
        volume[kind] = {"path": path, "sha256": sha256_of(data), "bytes": len(data)}
    manifest = {**manifest_of(genre, "manifest/2"), "volumes": [volume]}
    service.files[f"{root}/manifest.json"] = json.dumps(manifest).encode()
