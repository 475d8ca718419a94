"""Verifies a service or a mirror: root key, key set, timestamp, statement, public files, subscriber files."""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..archive import Progress
from ..trust_paths import KEYS, RELEASES, STATEMENT, TIMESTAMP
from . import public_files, subscriber_files
from .anchor import Anchor
from .documents import Content, Judge
from .faults import VerificationError
from .result import Notes, Report, Verification, count_of, match_of
from .signatures import MAX_SIGNED_BYTES
from .sources import Folder, Site, Source
from .state import Seen, read_state, write_state

CLOCK = "%Y-%m-%dT%H:%M:%SZ"
Finish = Callable[[Content, list[Content], Notes, bool], None]


@dataclass(frozen=True)
class Options:
    """Options for `Verifier`."""

    anchor: Anchor
    now: Callable[[], datetime.datetime]  # asked for each document: a verification can take long
    since: Path | None
    report: Report
    progress: Progress


class Verifier:
    """Verifies one source for one reader."""

    def __init__(self, source: Source, options: Options) -> None:
        self.source, self.options = source, options
        self.judge = Judge(options.anchor, options.now)
        self.seen = None if options.since is None else read_state(options.since, options.anchor)

    def run(self, finish: Finish) -> Verification:
        """
        Verifies the signed documents and both lists, then what `finish` verifies by the statement and the list of
        public files. If a check fails, all files are read again without caches, and only the second result counts. If
        a release was published meanwhile, its mixture with the one before proves nothing false.
        """
        try:
            return self.remember(self.once(finish, fresh=False))
        except VerificationError as fault:
            if isinstance(self.source, Folder):
                raise
            self.options.progress(f"verifying again without caches: {fault}")
        return self.remember(self.again(finish))

    def again(self, finish: Finish) -> Verification:
        read: list[Content] = []
        try:
            return self.once(finish, fresh=True, note=read.append)
        except VerificationError as fault:
            if fault.is_false and read and self.is_replaced(read[0]):
                raise VerificationError("mixed", fault.subject, "a release was published meanwhile") from fault
            raise

    def is_replaced(self, statement: Content) -> bool:
        """Returns whether the site has a verified timestamp of a later release than that of a statement."""
        with contextlib.suppress(VerificationError):
            stamp = self.timestamp(self.keys(True), True)
            return bool(stamp["sequence"] > statement["sequence"])
        return False

    def once(self, finish: Finish, fresh: bool, note: Callable[[Content], None] = lambda _: None) -> Verification:
        """Verifies the source. `note` gets the statement as soon as it is verified."""
        notes = Notes(self.options.report)
        anchor = self.options.anchor
        keys = self.keys(fresh)
        notes.prove(f"key set {keys['version']} of {anchor.site}: signed by the root key {anchor.root}")
        stamp = self.timestamp(keys, fresh)
        until = f"signed at {stamp['as_of']}, valid until {stamp['expires']}"
        notes.prove(f"timestamp: release {stamp['sequence']} was the current one, {until}")
        statement = self.judge.statement(self.signed(STATEMENT, fresh), self.name(STATEMENT), keys, stamp)
        note(statement)
        build = statement["generator"]
        commit = "" if build["commit"] is None else f" of commit {build['commit']}"
        maker = f"generator {build['version']}{commit}"
        notes.prove(f"release {statement['revision']}: signed, published at {statement['published_at']} by {maker}")
        files = public_files.check_release(self.source, statement, fresh)
        notes.prove(f"the list of {count_of(len(files), 'public file')} matches the signed statement")
        self.check_history(statement, notes, fresh)
        finish(statement, files, notes, fresh)
        return Verification(
            **anchor._asdict(),
            key_set_version=keys["version"],
            **{name: statement[name] for name in ("revision", "sequence", "sha256", "published_at", "generator")},
            as_of=stamp["as_of"],
            expires=stamp["expires"],
            counts=notes.counts,
            proven=tuple(notes.proven),
            not_proven=tuple(notes.not_proven),
        )

    def check_history(self, statement: Content, notes: Notes, fresh: bool) -> None:
        past = public_files.check_history(self.source, statement, fresh)
        notes.prove(f"the history of {count_of(len(past), 'release')} matches the signed digest", releases=len(past))
        if self.seen is not None:
            self.seen.check_history(past, self.name(RELEASES))
            notes.prove(f"the same history as when you saw release {self.seen.sequence}")
            return
        other = "that the history is the same as in earlier runs or for other readers"
        since = self.options.since
        notes.leave(f"{other} ({'use --since' if since is None else f'{since} did not exist: later runs compare'})")

    def keys(self, fresh: bool) -> Content:
        keys = self.judge.key_set(self.signed(KEYS, fresh), self.name(KEYS))
        if self.seen is not None:
            self.seen.check_keys(keys, self.name(KEYS))
        return keys

    def timestamp(self, keys: Content, fresh: bool) -> Content:
        stamp = self.judge.timestamp(self.signed(TIMESTAMP, fresh), self.name(TIMESTAMP), keys)
        if self.seen is not None:
            self.seen.check_release(stamp, self.name(TIMESTAMP))
        return stamp

    def signed(self, path: str, fresh: bool) -> bytes:
        received = self.source.read(path, fresh, MAX_SIGNED_BYTES)
        if received is None:
            raise VerificationError("release-unsigned", self.name(path))
        return received.data

    def name(self, path: str) -> str:
        return self.source.name(path)

    def remember(self, found: Verification) -> Verification:
        if self.options.since is not None:
            seen = Seen(found.key_set_version, found.sequence, found.sha256)
            write_state(self.options.since, self.options.anchor, seen)
        return found


def verify_site(site: Site, options: Options, days: bool, no_key: str) -> Verification:
    """Verifies a service. `no_key` says why subscriber files are not verified; it is empty if they are."""

    def finish(statement: Content, files: list[Content], notes: Notes, fresh: bool) -> None:
        public_files.check_public_files(site, files, statement, fresh)
        notes.prove(f"{match_of(len(files), 'public file')} the list", public_files=len(files) + 1)
        if no_key:
            notes.leave(f"subscriber files: {no_key}")
        else:
            subscriber_files.check_site(site, statement, days, notes, options.progress)

    return Verifier(site, options).run(finish)


def verify_folder(folder: Folder, options: Options, at: str | None) -> Verification:
    """Verifies a mirror, as of the time of the options. `at` is that time if it is not now."""

    def finish(statement: Content, _: list[Content], notes: Notes, __: bool) -> None:
        subscriber_files.check_folder(folder, statement, notes)
        notes.leave("public files: a mirror does not contain them")
        if at is not None:
            notes.leave(f"that the mirror is current now: everything is judged as of {options.now():{CLOCK}}")

    return Verifier(folder, options).run(finish)
