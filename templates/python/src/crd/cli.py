"""The command `crd`: the functions of the client for the shell. Tables are printed as CSV, records as JSON."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from .client import Client
from .errors import CrdError, UsageError
from .manifest import freshness, utc_now
from .methodology import command as recompute_command
from .mirrors import command as sync_command
from .settings import package_version
from .table import Table, missing_package
from .tables import GENRES, TABLE_GENRES, Tables
from .terminal import cleaned, say, shown_json
from .verification import command as verify_command


def main(arguments: Sequence[str] | None = None) -> int:
    parser = make_parser()
    options = parser.parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # the encoding of a terminal can lack characters
    try:
        code = int(options.run(options))
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the program that reads the output, such as head, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except CrdError as fault:
        say(f"{options.command}: {fault}", sys.stderr)
        return 2


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="crd", description="Reads chain reference data. Configured by CRD_BASE_URL and CRD_API_KEY."
    )
    parser.add_argument("--version", action="version", version=package_version())
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, about: str, run: Any, *names: str) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name, help=about.splitlines()[0], description=about, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        for each in names:
            choices = {"genre": GENRES, "table_genre": TABLE_GENRES}.get(each)
            command.add_argument(each, choices=choices, metavar=each.removeprefix("table_").upper())
        command.set_defaults(run=run)
        return command

    status = add("status", "Print how fresh each chain is now.", print_status)
    status.add_argument(
        "--json", action="store_true", help="print the published record, which is the same for a whole day"
    )
    add("calendar", "Print the regime of every day of a chain.", lambda o: show(tables().calendar(o.chain)), "chain")
    add("calendars", "Print the regimes of all chains.", lambda _: show(tables().calendars()))
    add("latest", "Print the latest record.", lambda o: show(tables().latest(o.genre, o.chain)), "genre", "chain")
    day = add("day", "Print the record of a date.", print_day, "genre", "chain", "date")
    day.add_argument("--revision", help="print what the date said in a revision")
    bundle = add("bundle", "Print the latest dates.", print_bundle, "table_genre", "chain")
    bundle.add_argument("--window", default="90d", help="7d, 30d, 90d or 365d (default 90d)")
    history = add(
        "history", "Print all dates, as they are or as they were known.", print_history, "table_genre", "chain"
    )
    history.add_argument("--start", metavar="DATE", help="first date")
    history.add_argument("--end", metavar="DATE", help="last date")
    history.add_argument(
        "--as-of", metavar="TIME", help="what was known at the end of a date, at an instant or a revision"
    )
    history.add_argument("--provenance", action="store_true", help="add the columns that say when a row was in force")
    regimes = add("regimes-on", "Add the regime of the day before to each row of a CSV file.", print_regimes, "file")
    regimes.add_argument("--on", default="date", help="column of ISO 8601 dates or times (default: date)")
    regimes.add_argument("--chain", help="chain of all rows (default: column chain)")
    about = "rows are days, or instants even at midnight (default: days if all values are at midnight)"
    regimes.add_argument("--daily", action=argparse.BooleanOptionalAction, help=about)
    sync_command.add_arguments(add("sync", description_of(sync_command), sync_command.run))
    recompute = add("recompute", description_of(recompute_command), recompute_command.run)
    recompute_command.add_arguments(recompute)
    verify_command.add_arguments(add("verify", description_of(verify_command), verify_command.run))
    return parser


def description_of(module: Any) -> str:
    return str(module.__doc__).strip()


def tables() -> Tables:
    return Client().tables


def show(value: Table | dict[str, Any]) -> int:
    """Prints a table as CSV, or a record as JSON."""
    sys.stdout.write(cleaned(value.to_csv()) if isinstance(value, Table) else shown_json(value) + "\n")
    return 0


def print_status(options: argparse.Namespace) -> int:
    """Prints a line for each chain, judged by this computer's clock, because the site changes only with a release."""
    status = tables().status()
    if options.json:
        return show(status)
    lines = [f"release {status['published_revision']}, published at {status['published_at']}"]
    if status["hold"] is not None:
        lines.append(f"publication is on hold: {status['hold']}")
    for chain, each in status["chains"].items():
        last, due = each["last_available"], each["expected_next_by"]
        when = "next by" if f"{utc_now():%Y-%m-%dT%H:%M:%SZ}" <= due else "next was due by"
        what = "no day is available" if last is None else f"last day {last}, {when} {due}"
        hold = status.get("holds", {}).get(chain)
        lines.append(f"{chain:<10}{freshness(each, utc_now()):<7}{what}{'' if hold is None else f', on hold: {hold}'}")
    for line in lines:
        say(line)
    return 0


def print_day(options: argparse.Namespace) -> int:
    return show(tables().day(options.genre, options.chain, options.date, options.revision))


def print_bundle(options: argparse.Namespace) -> int:
    return show(tables().bundle(options.table_genre, options.chain, options.window))


def print_history(options: argparse.Namespace) -> int:
    chosen = (options.table_genre, options.chain, options.start, options.end, options.as_of)
    return show(tables().history(*chosen, provenance=options.provenance))


def print_regimes(options: argparse.Namespace) -> int:
    try:
        import pandas

        frame = pandas.read_csv(options.file)
    except ImportError as fault:
        raise missing_package("pandas") from fault
    except (OSError, ValueError) as fault:
        raise UsageError(f"{options.file} cannot be read as CSV: {fault}. Check the file.") from fault
    Client().regimes_on(frame, options.on, options.chain, options.daily).to_csv(sys.stdout, index=False)
    return 0
