"""
Recomputes the regimes of a chain from its gold days, and compares them with the published ones.

Every threshold comes from the data of the methodology, /api/v1/methodology/v1.json. With --chain, the program reads
everything from the service, which needs CRD_API_KEY. With files as downloaded, it needs no network and no key.

  crd recompute --chain base
  crd recompute --methodology v1.json mirror/gold/base > base.csv
  crd recompute --methodology v1.json mirror/gold/base --compare regime-calendar

The second command prints date,chain,regime,confidence,determinism_hash of every date as CSV. The others print
"N dates compared, M differ", and list the first dates that differ on stderr.

Exit codes: 0 done, and nothing differs; 1 a date differs; 2 a file or an argument is wrong.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ..client import Client
from ..errors import UsageError
from ..terminal import cleaned, say
from .chain import Chain
from .days import applying, check_gold, read_days, read_methodology
from .published import Published, compare, read_published, read_start
from .records import COLUMNS, Result, recompute

MAX_LISTED = 10  # number of differing dates that are listed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    gold = "gold days of one chain from its first date on: a folder with YYYY-MM-DD.json, or bundles"
    compared = "published results: the regime calendar (CSV), or meta days (a folder or a .json file)"
    start = "published meta day: start on the day after it; needs the gold days of only 385 dates"
    parser.add_argument("gold", nargs="*", metavar="GOLD", help=gold)
    parser.add_argument("--chain", metavar="CHAIN", help="read this chain from the service instead of files")
    parser.add_argument("--methodology", metavar="FILE", help="/api/v1/methodology/v1.json")
    parser.add_argument("--compare", metavar="FILE", help=compared)
    parser.add_argument("--start", metavar="FILE", help=start)


def run(options: argparse.Namespace) -> int:
    if options.chain is not None:
        if options.gold or options.methodology or options.compare or options.start:
            raise UsageError("--chain reads all files from the service. Leave the others out.")
        result = Client().recompute(options.chain)
        return print_result(result.compared, result.differing)
    if not options.gold or options.methodology is None:
        raise UsageError("the following arguments are required: --methodology and GOLD, or --chain")
    with applying(options.methodology):
        return run_files(options)


def run_files(options: argparse.Namespace) -> int:
    methodology = read_methodology(options.methodology)
    gold = read_days(options.gold, "gold")
    dates = list(gold)
    name = gold[dates[0]]["chain"]
    check_gold(gold, methodology, name)
    start = None
    if options.start is not None:
        start = read_start(options.start, dates, methodology["determinism"]["input_days"])
    if options.compare is None:
        rows = recompute(Chain(methodology, name, gold), start)
        print(cleaned("\n".join(",".join(row) for row in [COLUMNS, *rows])))
        return 0
    published = read_published(options.compare, name)
    if start is None and min(published) < dates[0]:
        raise UsageError(
            f"the gold days begin on {dates[0]}, but {options.compare} begins on {min(published)}. Every day depends"
            " on all days before it. Download all gold days, or use --start."
        )
    return report(recompute(Chain(methodology, name, gold), start), published, options.compare)


def report(rows: Sequence[Result], published: Published, file: str) -> int:
    """Prints the result of the comparison and returns the exit code."""
    count, differing = compare(rows, published)
    if count == 0:
        raise UsageError(f"{file} contains no recomputed date. Use a file with the same dates.")
    unmatched = sum(row[0] not in published for row in rows)
    if unmatched > 0:
        say(f"{unmatched} gold days were not compared: {file} has no such dates", sys.stderr)
    return print_result(count, differing)


def print_result(count: int, differing: Sequence[str]) -> int:
    for line in differing[:MAX_LISTED]:
        say(line, sys.stderr)
    if len(differing) > MAX_LISTED:
        say(f"and {len(differing) - MAX_LISTED} more", sys.stderr)
    say(f"{count} dates compared, {len(differing)} differ")
    return 1 if differing else 0
