"""
Verifies a service, or a mirror that crd sync created, by the root key that you trust:

  crd verify https://data.example.com --trust https://data.example.com#NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs
  crd verify mirror --trust ...

The root key has signed a set of keys. A key of the set has signed the current release and a timestamp, which is valid
for 48 hours. The release lists the digests of all public files, of the history of releases, and of the manifests.

- For a service, every public file is checked. With CRD_API_KEY, so are the manifests in your plan, their volumes, and
  the latest year of each. --days also checks the file of every day, which takes one request each.
- A mirror is verified without a network, with each of its files. Its timestamp must be valid now, or at the time of
  --at: that proves what the mirror had then, not that it is current.
- --since FILE records the newest verified state and refuses an older state or a different history in later runs.

Prints one line for everything that was proven, and at the end what was not. If a check fails, all files are read
again without caches, and only the second result counts.

Exit codes: 0 verified; 7 not completed (a release is being published, or a file cannot be read): run again;
8 something is false; 2 wrong usage, access refused, or a signed file of an unknown form.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys

from ..terminal import say

MIXED_CODE, FALSE_CODE = 7, 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="URL|DIR", help="address of a service, or the folder of crd sync --to")
    parser.add_argument("--trust", required=True, metavar="SITE#THUMBPRINT", help="name and root key that you trust")
    parser.add_argument("--since", metavar="FILE", help="file for the last verified state; created if missing")
    parser.add_argument("--days", action="store_true", help="also verify the file of every day")
    parser.add_argument("--at", metavar="INSTANT", help="judge a mirror as of this time, such as 2026-03-01T06:00:00Z")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")


def run(options: argparse.Namespace) -> int:
    from ..verify_source import verify_source
    from .faults import VerificationError
    from .state import ContradictionError

    report = (lambda _: None) if options.json else (lambda line: say(f"proven: {line}"))
    try:
        found = verify_source(options.trust, options.source, options.since, options.days, options.at, report=report)
    except VerificationError as fault:
        say(f"verify: {fault}", sys.stderr)
        if isinstance(fault, ContradictionError):
            say(f"verify: {fault.meaning}", sys.stderr)
        if options.json:
            failed = {"verified": False, "code": fault.code, "subject": fault.subject, "message": str(fault)}
            print(json.dumps(failed, indent=2))
        return FALSE_CODE if fault.is_false else MIXED_CODE
    if options.json:
        print(json.dumps({"verified": True, **dataclasses.asdict(found)}, indent=2))
    for line in [] if options.json else found.not_proven:
        say(f"not proven: {line}")
    return 0
