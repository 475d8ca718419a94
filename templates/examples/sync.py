# Mirrors an archive into a folder and keeps it up to date: python3 sync.py --chain bitcoin --genre gold --to mirror
"""Reads the key only from the variable API_KEY. Python 3.9, no packages.
The gateway is --gateway, GATEWAY or http://127.0.0.1:8080 (this machine).

mirror/gold/bitcoin/ contains manifest.json and an exact copy of the file of each date that the manifest lists.
- Only missing or different files are fetched, each at the manifest's revision. If a new release is published during
  the run, the mirror still matches the manifest, and the next run fetches the new release.
- A file gets its name only after its size and digest are verified. manifest.json is written last: while it exists, all
  files it lists exist. Before a run changes any of them, it renames the manifest to manifest.previous.json.
- The file of a restated date is replaced; the service keeps the old one under ?revision=. A file whose date was
  withdrawn, or that the manifest does not list, is moved to withdrawn/. Both are reported on stderr.
- After a failure or a kill, run it again: it continues where it stopped. Never run two at once in one folder.

Exit codes: 0 the mirror is complete; 1 it is incomplete, run again; 2 wrong usage, or access refused.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import json
import os
import re
import sys
import threading
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

TIMEOUT_SECONDS = 60
LONGEST_WAIT_SECONDS = 120
MANY_FAULTS = 20  # the run stops after this many failed dates
PROGRESS_FILES = 100

stopped = threading.Event()


class Refused(Exception):
    """An error that no retry can fix."""


class Incomplete(Exception):
    """The run cannot continue now; a later run may succeed."""


class TransientError(Exception):
    """A temporary error; `seconds` is the wait that the service asked for, if any."""

    def __init__(self, text: str, seconds: float | None = None) -> None:
        super().__init__(text)
        self.seconds = seconds


class FileError(TransientError):
    """A temporary error of one file: if it persists, the other files can still be fetched."""


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Does not follow redirects, because that would send the key to another host."""

    def redirect_request(self, *_: object) -> None:
        return None


class Service:
    """The gateway and the key, which is sent to no other host."""

    def __init__(self, gateway: str, key: str, tries: int) -> None:
        self.gateway, self.key, self.tries = gateway.rstrip("/"), key, tries
        self.keyed = urllib.request.build_opener(NoRedirects)
        self.keyless = urllib.request.build_opener()

    def fetch(self, path: str, listed: dict | None = None, held: bytes | None = None) -> bytes:
        """Returns the bytes of a file, verified against `listed` or else the link; `held` if the file is unchanged."""
        for attempt in range(1, self.tries + 1):
            try:
                link = self.request_link(path, None if held is None else hashlib.sha256(held).hexdigest())
                return held if link is None else self.download(link["url"], listed or link)
            except TransientError as fault:
                if attempt == self.tries:
                    raise
                wait = 0.25 * 2**attempt if fault.seconds is None else fault.seconds
                if stopped.wait(min(wait, LONGEST_WAIT_SECONDS)):
                    raise Incomplete("stopped") from fault
        raise AssertionError("there is at least one try")

    def request_link(self, path: str, digest: str | None) -> dict | None:
        """Returns a link to a file that needs no key, or None when the file still has the digest."""
        headers = {"X-API-Key": self.key, "Accept": 'application/json; profile="signed-url"'}
        if digest is not None:
            headers["If-None-Match"] = f'"sha256:{digest}"'
        try:
            link = json.loads(get(self.keyed, self.gateway + path, headers, 65_536))
            if not isinstance(link["bytes"], int) or not re.match("https?://", link["url"]) or not link["sha256"]:
                raise ValueError(link)
            return link
        except urllib.error.HTTPError as error:
            if error.code == 304 and digest is not None:
                return None
            raise explain(error) from error
        except (ValueError, TypeError, KeyError) as error:
            raise TransientError(f"{self.gateway} does not answer like the gateway: check the address") from error

    def download(self, url: str, wanted: dict) -> bytes:
        """Downloads a link without sending the key."""
        try:
            data = get(self.keyless, url, {}, wanted["bytes"] + 1)
        except urllib.error.HTTPError as error:
            with error:
                raise FileError(f"its download link returned {error.code}") from error
        if len(data) != wanted["bytes"] or hashlib.sha256(data).hexdigest() != wanted["sha256"]:
            raise FileError("its size or digest differs from the listed one")
        return data


def get(opener: urllib.request.OpenerDirector, url: str, headers: dict, most: int) -> bytes:
    """Reads up to `most` bytes. Raises HTTPError for an error status, otherwise TransientError or FileError."""
    try:
        answer = opener.open(urllib.request.Request(url, headers=headers), timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError:
        raise
    except (OSError, http.client.HTTPException) as error:
        raise TransientError(f"no connection ({getattr(error, 'reason', error)})") from error
    try:
        with answer:
            return answer.read(most)
    except (OSError, http.client.HTTPException) as error:
        raise FileError(f"its download was cut off ({error})") from error


def explain(error: urllib.error.HTTPError) -> Exception:
    """Returns the exception for an error status of the gateway."""
    if 300 <= error.code < 400:
        where = error.headers.get("Location", "nowhere")
        return Refused(f"the gateway redirects to {where} unexpectedly; the key was not sent there")
    try:
        with error:
            problem = json.loads(error.read(65_536))
        text = f"{problem['detail']} ({problem['code']})"
    except (OSError, http.client.HTTPException, ValueError, TypeError, KeyError):
        text = f"the gateway answered {error.code}"
    if error.code == 429 or error.code >= 500:
        after = error.headers.get("Retry-After", "")
        return TransientError(text, float(after) if after.isdecimal() else None)
    return FileError(text) if error.code in (404, 410) else Refused(text)


class Mirror:
    """The folder of one archive."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = folder / "manifest.json"
        self.previous = folder / "manifest.previous.json"

    def prepare(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for left in self.folder.glob("*.part"):  # left by a run that was killed
            left.unlink()

    def held(self) -> bytes | None:
        """Returns the manifest of the last complete run."""
        known = (each for each in (self.manifest, self.previous) if each.exists())
        return next((each.read_bytes() for each in known), None)

    def day(self, date: str) -> Path:
        return self.folder / f"{date}.json"

    def unlisted(self, listed: dict) -> list[Path]:
        days = self.folder.glob("[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9].json")
        return sorted(each for each in days if each.stem not in listed)

    def write(self, path: Path, data: bytes) -> None:
        """Writes a file that gets its name only after its bytes are on the disk."""
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)

    def move_aside(self, path: Path) -> None:
        aside = self.folder / "withdrawn" / f"{path.stem}-{(digest_of(path) or '')[:16]}.json"
        aside.parent.mkdir(exist_ok=True)
        os.replace(path, aside)
        log(f"{path.stem} is withdrawn or not listed: moved to withdrawn/{aside.name}")

    def finish(self, manifest: bytes) -> None:
        """Writes the manifest after the names of all other files are on the disk."""
        self.settle()
        if digest_of(self.manifest) != hashlib.sha256(manifest).hexdigest():
            self.write(self.manifest, manifest)
        self.previous.unlink(missing_ok=True)
        self.settle()

    def settle(self) -> None:
        if os.name == "posix":  # other systems cannot open a folder
            folder = os.open(self.folder, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)


def sequence_of(manifest: bytes | None) -> int:
    """Returns the sequence number of a manifest's release, or 0 if it is not a valid manifest and will be replaced."""
    try:
        return json.loads(manifest or b"{}").get("sequence", 0)
    except ValueError:
        return 0


def digest_of(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def log(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Run:
    """Updates a mirror to the release of the gateway's manifest."""

    def __init__(self, args: argparse.Namespace, key: str) -> None:
        self.name, self.jobs = f"{args.chain} {args.genre}", args.jobs
        self.expected = (args.chain, args.genre)
        self.path = f"/api/v1/files/{args.genre}/{'chains/' if args.genre == 'briefs' else ''}{args.chain}"
        self.service = Service(args.gateway, key, args.tries)
        self.mirror = Mirror(Path(args.to, args.genre, args.chain))
        self.revision, self.fetched, self.wanted, self.failed = "", 0, 0, 0

    def read_manifest(self) -> tuple[bytes, dict]:
        held = self.mirror.held()
        try:
            data = self.service.fetch(f"{self.path}/manifest.json", held=held)
        except FileError as fault:
            raise Incomplete(f"the manifest could not be fetched: {fault}") from fault
        manifest = json.loads(data)  # its digest is verified
        if manifest["schema"] != "manifest/1":
            raise Refused(f"the manifest is {manifest['schema']}: get a newer version of this program")
        if (manifest["chain"], manifest["genre"]) != self.expected:
            raise Refused("the manifest belongs to another archive")
        if sequence_of(held) > manifest["sequence"]:
            raise Incomplete("the gateway serves an older release than the mirror; nothing was changed")
        return data, manifest

    def sort(self, entries: list[dict]) -> tuple[list[dict], list[dict], list[dict]]:
        """Returns the entries that are missing, restated, and those whose local file was never published."""
        missing, restated, altered = [], [], []
        for entry in entries:
            digest = digest_of(self.mirror.day(entry["date"]))
            known = {old["sha256"]: old["reason"] for old in entry["superseded"]}
            if digest is None:
                missing.append(entry)
            elif digest == entry["sha256"]:
                continue
            elif digest in known:
                restated.append(entry)
                log(f"{entry['date']} is restated: {known[digest]}")
            else:
                altered.append(entry)
                log(f"{entry['date']} was changed locally: fetching it again")
        return missing, restated, altered

    def fetch_day(self, entry: dict) -> None:
        path = f"{self.path}/{entry['date']}.json?revision={self.revision}"
        self.mirror.write(self.mirror.day(entry["date"]), self.service.fetch(path, listed=entry))

    def fetch_all(self, entries: list[dict]) -> None:
        with ThreadPoolExecutor(self.jobs) as pool:
            work = {pool.submit(self.fetch_day, entry): entry["date"] for entry in entries}
            try:
                for done in as_completed(work):
                    self.count(work[done], done.exception())
            except BaseException:
                stopped.set()
                for each in work:
                    each.cancel()
                raise
        if self.failed > 0:
            raise Incomplete(f"{self.failed} dates could not be fetched")

    def count(self, date: str, fault: BaseException | None) -> None:
        if fault is None:
            self.fetched += 1
            if self.fetched % PROGRESS_FILES == 0:
                log(f"{self.name}: {self.fetched} of {self.wanted} fetched")
            return
        if not isinstance(fault, FileError):
            raise fault
        self.failed += 1
        log(f"{date}: {fault}")
        if self.failed == MANY_FAULTS:
            raise Incomplete(f"{self.failed} dates could not be fetched")

    def do(self) -> str:
        self.mirror.prepare()
        data, manifest = self.read_manifest()
        self.revision = manifest["published_revision"]
        listed = {entry["date"]: entry for entry in manifest["dates"] if entry["status"] != "withdrawn"}
        if not all(re.fullmatch(r"\d{4}-\d\d-\d\d", date) for date in listed):
            raise Refused("the manifest lists an invalid date")
        missing, restated, altered = self.sort(list(listed.values()))
        unlisted = self.mirror.unlisted(listed)
        self.wanted = len(missing) + len(restated) + len(altered)
        self.fetch_all(missing)
        if restated or altered or unlisted:
            if self.mirror.manifest.exists():
                os.replace(self.mirror.manifest, self.mirror.previous)
                self.mirror.settle()
            self.fetch_all(restated + altered)
            for path in unlisted:
                self.mirror.move_aside(path)
        self.mirror.finish(data)
        return (
            f"{self.name} at {self.revision}: {len(listed)} dates, {self.fetched} fetched, {len(restated)} restated, "
            f"{len(altered)} repaired, {len(unlisted)} moved aside"
        )


def read_arguments() -> argparse.Namespace:
    def word(text: str) -> str:
        return matched("[a-z]+", text)

    def address(text: str) -> str:
        if re.match(r"http://(?!(localhost|127\.0\.0\.1|\[::1\])([:/]|$))", text):
            raise argparse.ArgumentTypeError("a key is only sent over https, except on this machine")
        return matched(r"https?://[^\s/?#@]+(/[^\s?#]*)?", text)

    def number(text: str) -> int:
        return int(matched("[1-9]|[1-2][0-9]|3[0-2]", text))

    def matched(pattern: str, text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            raise argparse.ArgumentTypeError(f"{text!r} is not a valid value")
        return text

    gateway = os.environ.get("GATEWAY") or "http://127.0.0.1:8080"
    parser = argparse.ArgumentParser(description="Mirrors an archive. The key is read from the variable API_KEY.")
    parser.add_argument("--chain", required=True, type=word)
    parser.add_argument("--genre", required=True, choices=["meta", "gold", "derived", "briefs"])
    parser.add_argument("--to", required=True, metavar="DIR", help="folder for GENRE/CHAIN/")
    parser.add_argument("--gateway", default=gateway, type=address, metavar="URL", help="default: GATEWAY")
    parser.add_argument("--jobs", default=4, type=number, metavar="N", help="files at a time, 1 to 32 (default 4)")
    parser.add_argument("--tries", default=6, type=number, metavar="N", help="attempts per file, 1 to 32 (default 6)")
    return parser.parse_args()


def main() -> int:
    args = read_arguments()
    key = os.environ.get("API_KEY", "")
    if re.fullmatch("[!-~]+", key) is None:
        log("sync: the variable API_KEY contains no key")
        return 2
    run = Run(args, key)
    try:
        print(run.do())
        return 0
    except Refused as fault:
        log(f"sync: {fault}")
        return 2
    except (Incomplete, TransientError, OSError, KeyboardInterrupt) as fault:
        log(f"sync: {'interrupted' if isinstance(fault, KeyboardInterrupt) else fault}")
        print(f"{run.name}: incomplete, {run.fetched} of {run.wanted} fetched; run again to continue")
        return 1


if __name__ == "__main__":
    sys.exit(main())
