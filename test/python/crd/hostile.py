"""
A hostile service: it changes the documents, headers, lengths and redirects of the made-up service by a seed, and lists
and signs what it changed as if it were true.
"""

from __future__ import annotations

import base64
import contextlib
import copy
import functools
import gzip
import json
import random
import socket
import time
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from typing import Any

from service import Answer, Contents, Handler, Service, listed_files, sha256_of
from signed import KEYS, RELEASES, STATEMENT, TIMESTAMP, Signer
from story import CALENDAR, LAST, WITHDRAWN, contents, csv_cell, volume_files

STATUS, METHODOLOGY, RELEASE = "/api/v1/status", "/api/v1/methodology/v1.json", "/api/v1/release"
SECONDS = 2.0  # after which a slow or endless answer ends
TEXTS = [
    *("", " ", "..", "../../outside/owned", "..\\..\\outside\\owned", "/outside/owned", "//outside", "C:\\owned"),
    *("a/b", "a\0b", "con", "base/../../../outside", ".", "~", "%2e%2e%2f", "@127.0.0.1:1/", "?revision=", "#", "1/x"),
    *("\x1b]0;owned\x07", "\x1b[2J", "\x9b31m", "\u202etxt.exe", "a\nsync: done", "\r", "\u2028", "\ufeff", "\u00e9"),
    *("=1+1", "nan", "Infinity", "1e999", "9" * 30, "\u0661\u0662", "true", "2026-02-30", "0000-00-00", "9999-12-31"),
    *("2026-01-01T00:00:60Z", "9999-12-31T23:59:59Z", "2026-13", "2026-01-99.000001", "v0", "v1/../../x", "x" * 5000),
    *(
        "file:///etc/hostname",
        "ftp://127.0.0.1/",
        "http://[::1",
        "http://" + "a" * 70 + ".test/",
        "http://127.0.0.1:99999/",
    ),
]
NUMBERS = [-1, 0, 1, 2**31, 2**53 + 1, 10**24, -(2**63), 0.5, -0.0, 1e-320, 1.7e308, True, False, None]
ENCODINGS = ["br", "deflate", "gzip, gzip", "zstd", "\u00ff", "identity", "x" * 200]
STATUSES = [201, 204, 206, 300, 304, 400, 401, 402, 403, 404, 409, 410, 418, 429, 451, 500, 502, 503, 599, 999]


@functools.cache
def begun() -> Contents:
    """Returns the story of one chain until the withdrawn date: its regimes can be computed again."""
    told, begun = contents(True), Contents()
    begun.revision = told.revision
    begun.public = {path: data for path, data in told.public.items() if "/bitcoin/" not in path}
    begun.files = dict(told.files)
    lines = told.public[CALENDAR].splitlines(keepends=True)
    begun.public[CALENDAR] = b"".join(line for line in lines if not line.startswith(LAST.encode()))
    status = json.loads(told.public[STATUS])
    begun.publish(STATUS, {**status, "chains": {"base": status["chains"]["base"]}})
    for path in (path for path in told.files if path.endswith("/manifest.json")):
        manifest = json.loads(told.files[path])
        dates = [each for each in manifest["dates"] if each["date"] <= WITHDRAWN]
        begun.files[path] = json.dumps({**manifest, "dates": dates}).encode()
    return begun


def any_value(rnd: random.Random) -> Any:
    value: Any = rnd.choice([*TEXTS, *NUMBERS])
    kind = rnd.randrange(8)
    if kind == 0:
        return [value] * rnd.choice([0, 1, 40])
    if kind == 1:
        return {str(rnd.choice(TEXTS)): value}
    if kind == 2:
        for _ in range(rnd.choice([3, 40])):
            value = [value] if rnd.random() < 0.5 else {"a": value}
    return value


def change_value(rnd: random.Random, value: Any) -> Any:
    """Returns a copy of a JSON value with one change in it."""
    if not isinstance(value, (dict, list)) or not value or rnd.random() < 0.1:
        return any_value(rnd)
    changed = copy.copy(value)
    if isinstance(changed, list):
        at = rnd.choice([0, -1, rnd.randrange(len(changed))])
        action = rnd.randrange(8)
        if action == 0:
            del changed[at]
        elif action == 1:
            changed.append(changed[at])
        else:
            changed[at] = change_value(rnd, changed[at])
        return changed
    name = rnd.choice(list(changed))
    action = rnd.randrange(8)
    if action == 0:
        del changed[name]
    elif action == 1:
        changed[rnd.choice(TEXTS)] = changed.pop(name)
    elif action == 2:
        changed[name] = changed[rnd.choice(list(changed))]
    else:
        changed[name] = change_value(rnd, changed[name])
    return changed


def change_json(rnd: random.Random, data: bytes) -> bytes:
    """Returns a JSON text with another value; another text if it is none."""
    try:
        value = json.loads(data)
    except ValueError:
        return change_text(rnd, data)
    return json.dumps(change_value(rnd, value), ensure_ascii=rnd.random() < 0.5).encode("utf-8", "surrogatepass")


def change_text(rnd: random.Random, data: bytes) -> bytes:
    """Returns a text that is cut off, or has other bytes before, in or behind it."""
    at = rnd.randrange(len(data) + 1)
    return rnd.choice(
        [
            data[:at],
            data[:at] + rnd.randbytes(3) + data[at:],
            b"\xef\xbb\xbf" + data,
            data + rnd.choice([b"\xc2\xa0", b" ", b"\0", b"{}", b"\n"]),
            data.decode("utf-8", "replace").encode("utf-16"),
            data.replace(b"{", b'{"schema":1,', 1) if rnd.random() < 0.5 else data.replace(b": 1", b": NaN"),
            data.replace(b"base", rnd.choice(TEXTS).encode(), 1),
            b"<html>Sign in</html>",
            b"[" * 200,
            b"",
        ]
    )


def change_csv(rnd: random.Random, data: bytes) -> bytes:
    lines = [line.split(",") for line in data.decode("utf-8", "replace").splitlines()] or [[""]]
    line = rnd.choice([lines[0], rnd.choice(lines)])
    at = rnd.randrange(len(line))
    line[at] = rnd.choice([*TEXTS, *map(csv_cell, NUMBERS)])
    if rnd.random() < 0.1:
        del line[at]
    return "\n".join([*map(",".join, lines), ""]).encode()


def change_volume(rnd: random.Random, kind: str, data: bytes) -> bytes:
    """Returns a volume with another cell or column: Parquet is written again, so that it stays valid."""
    import io

    import pyarrow
    import pyarrow.parquet

    if kind == "csv":
        return change_csv(rnd, data)
    table = pyarrow.parquet.read_table(io.BytesIO(data))
    rows = table.to_pylist()
    name = rnd.choice(table.column_names)
    action = rnd.randrange(4)
    if action == 0:
        return volume_bytes(table.drop_columns([name]))
    if action == 1:
        names = [rnd.choice(TEXTS) if each == name else each for each in table.column_names]
        return volume_bytes(table.rename_columns(names))
    value = rnd.choice([*TEXTS, *NUMBERS, b"x", ["x"], {"x": 1}])
    cells = [value if action == 2 or rnd.random() < 0.1 else row[name] for row in rows]
    try:
        column = pyarrow.array(cells)
    except (pyarrow.ArrowException, OverflowError, TypeError):
        column = pyarrow.array([str(cell) for cell in cells])
    return volume_bytes(table.set_column(table.column_names.index(name), name, column))


def volume_bytes(table: Any) -> bytes:
    import io

    import pyarrow
    import pyarrow.parquet

    stream = io.BytesIO()
    try:
        pyarrow.parquet.write_table(table, stream)
    except (pyarrow.ArrowException, NotImplementedError):
        return volume_files([{"date": "2026-01-01"}])["parquet"]
    return stream.getvalue()


class HostileSigner(Signer):
    """Signs other contents than an honest publisher."""

    def __init__(self) -> None:
        super().__init__()
        self.changes: dict[str, Callable[[Any], Any]] = {}

    def sign(self, path: str, payload: Any) -> bytes:
        change = self.changes.get(path)
        return super().sign(path, payload if change is None else change(payload))


class HostileServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_: Any) -> None:
        """Says nothing: clients end connections of endless answers."""


class HostileHandler(Handler):
    """Writes what a case says instead of an answer."""

    service: HostileService
    timeout = 5

    def do_GET(self) -> None:  # noqa: N802
        fault = self.service.raw.get(self.path.split("?")[0]) or self.service.raw.get("*")
        if fault is None:
            super().do_GET()
            return
        self.close_connection = True
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.service.answer(self.path, headers)
        with contextlib.suppress(OSError):
            fault(self.connection, answer)

    def log_message(self, *_: Any) -> None:
        return


class HostileService(Service):
    """Serves the changed documents of a case. `raw` has what it writes for a path, or for "*", instead of an answer."""

    handler, server_class = HostileHandler, HostileServer

    def __init__(self, other: Service) -> None:
        super().__init__()
        self.other = other
        self.raw: dict[str, Callable[[socket.socket, Answer], None]] = {}
        self.signer = HostileSigner()
        self.changed = ""
        self.is_forged = False  # a document is not the signed one
        self.on_link: Callable[[Any], Any] | None = None

    def begin(self) -> None:
        """Begins a case with the true documents."""
        told = begun()
        self.public, self.files, self.revision = dict(told.public), dict(told.files), told.revision
        self.raw, self.signer.changes, self.changed, self.is_forged = {}, {}, "", False
        self.on_link, self.fault = None, lambda _: None
        self.requests.clear()
        self.other.requests.clear()

    def attack(self, rnd: random.Random, signs: bool) -> None:
        """Makes one to three changes, some of them before the documents are signed."""
        self.begin()
        early = [self.change_public, self.change_file]
        late = [self.change_release, self.change_answer, self.change_signed]
        weights = [3, 4, 2, 4, 2 if signs else 0]
        chosen = rnd.choices([*early, *late], weights, k=rnd.choice([1, 1, 1, 2, 3]))
        for change in (each for each in chosen if each in early):
            change(rnd)
        if self.change_signed in chosen and rnd.random() < 0.5:
            self.signer.changes[rnd.choice([KEYS, TIMESTAMP, STATEMENT])] = functools.partial(change_value, rnd)
        if signs:
            self.signer.publish(self)
        for change in (each for each in chosen if each in late):
            change(rnd)

    def link(self, target: str, headers: dict[str, str]) -> Answer:
        answer = super().link(target, headers)
        if answer.status != 200 or self.on_link is None:
            return answer
        return answer._replace(data=json.dumps(self.on_link(json.loads(answer.data))).encode())

    def change_public(self, rnd: random.Random) -> None:
        path = rnd.choice([STATUS, STATUS, METHODOLOGY, CALENDAR])
        self.note(path)
        change = change_csv if path == CALENDAR else change_json
        self.public[path] = rnd.choice([change, change, change_text])(rnd, self.public[path])

    def change_file(self, rnd: random.Random) -> None:
        manifests = [path for path in self.files if path.endswith("/manifest.json")]
        path = rnd.choice([rnd.choice(manifests), rnd.choice(list(self.files))])
        self.note(path)
        kind = path.rpartition(".")[2]
        data = self.files[path]
        if kind in ("csv", "parquet"):
            self.files[path] = change_volume(rnd, kind, data) if rnd.random() < 0.8 else data[: len(data) // 2]
        else:
            self.files[path] = rnd.choice([change_json, change_json, change_text])(rnd, data)
        if path not in manifests:
            for each in manifests:
                self.list_again(each)

    def list_again(self, path: str) -> None:
        """Lists the changed files in a manifest, with their digests and sizes."""
        with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError):
            manifest = json.loads(self.files[path])
            for entry in manifest["dates"]:
                for version in (entry, *entry["superseded"]):
                    own = self.files.get(f"{entry['path']}?revision={version['revision']}")
                    if own is not None:
                        version.update(sha256=sha256_of(own), bytes=len(own))
            for volume in manifest["volumes"]:
                for kind in ("csv", "parquet"):
                    own = self.files[volume[kind]["path"]]
                    volume[kind].update(sha256=sha256_of(own), bytes=len(own))
            self.files[path] = json.dumps(manifest).encode()

    def change_release(self, rnd: random.Random) -> None:
        path = rnd.choice([RELEASE, RELEASE, RELEASES])
        release = {"schema": "release/1", "published_revision": self.revision, "files": listed_files(self.public)}
        data = self.public.get(path) or json.dumps(release).encode()
        self.note(path)
        self.public[path] = rnd.choice([change_json, change_text])(rnd, data)
        self.is_forged |= path == RELEASE and self.public[path] != data

    def change_signed(self, rnd: random.Random) -> None:
        """Changes a signed document without its key."""
        if self.signer.changes:
            self.note(f"signed {next(iter(self.signer.changes))}")
            return
        path = rnd.choice([KEYS, TIMESTAMP, STATEMENT])
        self.note(path)
        head, payload, signature = self.public[path].split(b".")
        parts = [head, payload, signature]
        at = rnd.randrange(3)
        if at < 2 and rnd.random() < 0.7:
            value = json.loads(base64.urlsafe_b64decode(parts[at] + b"==="))
            text = json.dumps(change_value(rnd, value)).encode()
            self.is_forged |= at == 1
            parts[at] = base64.urlsafe_b64encode(text).rstrip(b"=")
        else:
            parts[at] = change_text(rnd, parts[at])
        self.public[path] = b".".join(parts)

    def note(self, what: str) -> None:
        self.changed = f"{self.changed}, {what}".removeprefix(", ")

    def change_answer(self, rnd: random.Random) -> None:
        """Changes the status, headers, length or speed of the answers of a path, or of all."""
        paths = ["*", STATUS, RELEASE, CALENDAR, METHODOLOGY, TIMESTAMP, *self.files]
        path = rnd.choice(paths) if rnd.random() < 0.5 else rnd.choice(paths[:6])
        path = path.split("?")[0]
        if rnd.random() < 0.3:
            path = f"/objects/{sha256_of(rnd.choice(list(self.files.values())))}"
        change = rnd.choice(
            [
                self.redirect,
                self.refuse,
                self.retry,
                self.odd_headers,
                self.pack,
                self.odd_length,
                self.document,
                self.endless if rnd.random() < 0.2 else self.document,
            ]
        )
        self.note(f"{change.__name__} of {path}")
        self.raw[path] = change(rnd)

    def redirect(self, rnd: random.Random) -> Callable[[socket.socket, Answer], None]:
        there = [
            self.other.url,
            self.url.replace("127.0.0.1", "localhost"),
            f"//127.0.0.1:{self.other.server.server_port}",
        ]
        where = rnd.choice([*there, *there, self.url, "", "/", f"{self.url}{STATUS}", "\u00ff", *TEXTS])
        where = where.replace("\r", "").replace("\n", "").replace("\0", "")
        status = rnd.choice([301, 302, 303, 307, 308])
        return lambda to, answer: send(to, status, answer.data, {"Location": where})

    def refuse(self, rnd: random.Random) -> Callable[[socket.socket, Answer], None]:
        status = rnd.choice(STATUSES)
        code, detail = rnd.choice(["not-found", "not-entitled", any_value(rnd)]), any_value(rnd)
        problem = json.dumps({"status": status, "code": code, "detail": detail}).encode()
        data = rnd.choice([problem, problem, change_text(rnd, problem), b"x" * 70_000])
        return lambda to, _: send(to, status, data, {})

    def retry(self, rnd: random.Random) -> Callable[[socket.socket, Answer], None]:
        waits = [
            "0",
            "1",
            "9" * 400,
            "-1",
            "1.5",
            "\u0661",
            "Fri, 31 Dec 9999 23:59:59 GMT",
            "Fri, 32 Dec 2026 0:0:0",
            "x",
        ]
        wait, status = rnd.choice(waits), rnd.choice([429, 503])
        return lambda to, _: send(to, status, b"{}", {"Retry-After": wait})

    def odd_headers(self, rnd: random.Random) -> Callable[[socket.socket, Answer], None]:
        values = ["\u00ff", "", "x" * 9_000, '"' + "y" * 3000 + '"', '"\u00e9"', "W/", "\x01", "\t", "9" * 50, "-1"]
        names = ["ETag", "Age", "Set-Cookie", "Content-Type", "Location", "Content-Encoding", "X" * 300, "Connection"]
        headers = {rnd.choice(names): rnd.choice(values) for _ in range(3)}
        if rnd.random() < 0.2:
            headers |= {f"X-{i}": "y" * 500 for i in range(rnd.choice([20, 400]))}
        return lambda to, answer: send(to, answer.status, answer.data, headers)

    def pack(self, rnd: random.Random) -> Callable[[socket.socket, Answer], None]:
        def write(to: socket.socket, answer: Answer) -> None:
            packed = gzip.compress(answer.data)
            if kind == "many":
                packed = gzip.compress(answer.data + b" " * 3_000_000)
            elif kind == "cut":
                packed = packed[: len(packed) // 2]
            elif kind == "behind":
                packed += packed
            elif kind == "twice":
                packed = gzip.compress(packed)
            send(to, answer.status, packed, {"Content-Encoding": encoding})

        kind = rnd.choice(["true", "many", "cut", "behind", "twice"])
        encoding = "gzip" if rnd.random() < 0.6 else rnd.choice(ENCODINGS)
        return write

    def odd_length(self, rnd: random.Random) -> Callable[[socket.socket, Answer], None]:
        kind = rnd.choice(
            ["less", "more", "-1", "9" * 30, "x", "chunks", "odd chunks", "none", "two", "nothing", "early"]
        )

        def write(to: socket.socket, answer: Answer) -> None:
            data = answer.data
            if kind in ("chunks", "odd chunks"):
                size = f"{len(data):x}" if kind == "chunks" else "-1"
                body = f"{size}\r\n".encode() + data + b"\r\n0\r\n\r\n"
                to.sendall(head(answer.status, {"Transfer-Encoding": "chunked"}) + body)
            elif kind == "nothing":
                return
            elif kind == "early":
                to.sendall(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 50 + head(answer.status, {}) + data)
            elif kind == "two":
                to.sendall(head(answer.status, {"Content-Length": "1", "content-length": "2"}) + data)
            elif kind == "none":
                to.sendall(head(answer.status, {}) + data)
            else:
                lengths = {"less": str(len(data) // 2), "more": str(len(data) + 9)}
                to.sendall(head(answer.status, {"Content-Length": lengths.get(kind, kind)}) + data)

        return write

    def endless(self, rnd: random.Random) -> Callable[[socket.socket, Answer], None]:
        """An answer that does not end, or a slow one: its head or its body."""
        kind = rnd.choice(["endless", "slow body", "slow head", "silent"])

        def write(to: socket.socket, answer: Answer) -> None:
            until = time.monotonic() + SECONDS
            begin = b"HTTP/1.1 200 OK\r\nX-Slow: " if kind == "slow head" else head(answer.status, {})
            to.sendall(b"" if kind == "silent" else begin)
            while time.monotonic() < until:
                if kind == "endless":
                    to.sendall(b" " * 65_536)
                else:
                    time.sleep(0.05)
                    to.sendall(b"" if kind == "silent" else b"x")

        return write

    def document(self, rnd: random.Random) -> Callable[[socket.socket, Answer], None]:
        """Changes a link, or any other document while it is on its way."""
        url = rnd.choice([*TEXTS, self.other.url, f"{self.other.url}/x", self.url.replace("http:", "ftp:"), self.url])
        is_url, seed = rnd.random() < 0.6, rnd.randrange(2**32)

        def write(to: socket.socket, answer: Answer) -> None:
            own = random.Random(seed)
            with contextlib.suppress(ValueError, TypeError):
                body = json.loads(answer.data)
                changed = {**body, "url": url} if is_url and "url" in body else change_value(own, body)
                answer = answer._replace(data=json.dumps(changed).encode())
            send(to, answer.status, answer.data, {})

        return write


def head(status: int, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Any", "Connection: close", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "replace")


def send(to: socket.socket, status: int, data: bytes, headers: dict[str, str]) -> None:
    to.sendall(head(status, {"Content-Length": str(len(data)), **headers}) + data)
