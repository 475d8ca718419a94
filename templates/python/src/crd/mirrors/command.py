"""
Mirrors archives into a folder and keeps them up to date: crd sync --chain bitcoin --genre gold --to mirror

The key is read from CRD_API_KEY and sent only to the service that it belongs to: the one of CRD_BASE_URL, or the one
that the client was installed from.

mirror/gold/bitcoin/ contains manifest.json, a volume of each closed year and month in volumes/ (Parquet only, not CSV),
and an exact copy of the file of each later date (JSON). With --days, it contains the file of each date and no volumes:
crd recompute needs such a mirror. A mirror contains exactly what the manifest lists for its mode.

- Only missing or different files are fetched, as the manifest lists them. If a new release is published during the
  run, the mirror still matches the manifest, and the next run fetches the new release.
- A file gets its name only after its size and digest are verified. manifest.json is written last: while it exists, the
  files it lists exist. Before a run changes any of them, it renames the manifest to manifest.previous.json.
- The file of a restated date is replaced; the service keeps the old one under ?revision=. A file whose date was
  withdrawn, or that the manifest does not list, is moved to withdrawn/. Both are reported on stderr.
- Days that a volume contains, volumes that a longer one replaces, and with --days all volumes, are removed. Files that
  this program did not write are never deleted.
- If the releases are signed, mirror/trust/ has what crd verify needs. It is of the release of the archives of this run:
  mirror all archives of a folder with one command.
- After a failure or a kill, run it again: it continues where it stopped. Never run two at once in one folder.

Exit codes: 0 the mirror is complete; 1 it is incomplete, run again; 2 wrong usage, access refused, or a document of the
service is not valid.
"""

from __future__ import annotations

import argparse
import functools
import re
import sys
from pathlib import Path

from ..archive import unchanged
from ..client import TRIES, Client, print_progress
from ..errors import ChangedError, CrdError, IncompleteError, NotFoundError, TemporaryError, UsageError
from ..settings import advice_on_missing_key, find_api_key, find_base_url
from ..tables import GENRES, TABLE_GENRES
from ..terminal import say
from ..values import chain as chain_form
from .run import Run
from .trust_files import Archive, TrustFiles


def add_arguments(parser: argparse.ArgumentParser) -> None:
    def word(text: str) -> str:
        if chain_form(text) is not None:
            raise argparse.ArgumentTypeError(f"{text!r} is not a chain")
        return text

    def number(text: str) -> int:
        if re.fullmatch("[1-9]|[1-2][0-9]|3[0-2]", text) is None:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 32")
        return int(text)

    genres = f"may be repeated (default: {', '.join(TABLE_GENRES)})"
    parser.add_argument("--chain", action="append", type=word, help="may be repeated (default: all chains)")
    parser.add_argument("--genre", action="append", choices=GENRES, help=genres)
    parser.add_argument("--to", required=True, metavar="DIR", help="folder for GENRE/CHAIN/")
    parser.add_argument(
        "--days", action="store_true", help="mirror the file of every date (JSON) instead of volumes (Parquet)"
    )
    parser.add_argument("--gateway", metavar="URL", help="default: CRD_BASE_URL, whose origin it must have")
    parser.add_argument("--jobs", default=4, type=number, metavar="N", help="files at a time, 1 to 32 (default 4)")
    parser.add_argument("--tries", default=TRIES, type=number, metavar="N", help=f"attempts per file (default {TRIES})")


def run(options: argparse.Namespace) -> int:
    base_url = find_base_url(options.gateway)
    if find_api_key(None, base_url) is None:
        raise UsageError(advice_on_missing_key(base_url))
    client = Client(base_url=base_url, tries=options.tries)
    try:
        archives = [(genre, chain) for chain in chains_of(client, options) for genre in options.genre or TABLE_GENRES]
        if not archives:
            raise NotFoundError("The service has no chains yet. Run it again later.")
        code = max(sync(client, options, *each) for each in archives)
        if code == 0:
            again = functools.partial(sync_again, client, options)
            TrustFiles(client.files, Path(options.to), print_progress).keep(archives, again)
        return code
    except (TemporaryError, ChangedError, OSError) as fault:
        say(f"sync: {fault}", sys.stderr)
        return 1


def sync_again(client: Client, options: argparse.Namespace, archive: Archive) -> None:
    if sync(client, options, *archive) != 0:
        raise IncompleteError(f"{' '.join(archive)} could not be updated to the signed release; run again")


def chains_of(client: Client, options: argparse.Namespace) -> list[str]:
    return options.chain or client.tables.chains()


def sync(client: Client, options: argparse.Namespace, genre: str, chain: str) -> int:
    """Updates one mirror and prints the result. Raises an error that the other mirrors would have too."""
    run = Run(client.files, Path(options.to), genre, chain, options.days, options.jobs, print_progress)
    try:
        say(unchanged(run.do))
        return 0
    except NotFoundError:
        client.tables.check_chain(chain)
        raise
    except (TemporaryError, ChangedError, OSError, KeyboardInterrupt) as fault:
        say(f"sync: {'interrupted' if isinstance(fault, KeyboardInterrupt) else fault}", sys.stderr)
        say(f"{run.name}: incomplete, {run.fetched} of {run.wanted} fetched; run again to continue")
        return 1
    except CrdError as fault:
        say(f"sync: {fault}", sys.stderr)
        return 2
