"""A small service on this machine with made-up files, and the versions of a few dates."""

from __future__ import annotations

import hashlib
import json
import sys
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

KEY = "crd_test_key"


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def listed_files(files: Mapping[str, bytes]) -> list[dict[str, Any]]:
    return [{"path": path, "sha256": sha256_of(data), "bytes": len(data)} for path, data in files.items()]


class Answer(NamedTuple):
    status: int
    data: bytes
    headers: dict[str, str]


def problem(status: int, code: str, headers: dict[str, str] | None = None) -> Answer:
    body = {"status": status, "code": code, "detail": "A sentence."}
    return Answer(status, json.dumps(body).encode(), headers or {})


class Contents:
    """Files by path, older versions of day files by path and revision, and the revision of the release."""

    def __init__(self) -> None:
        self.public: dict[str, bytes] = {}
        self.files: dict[str, bytes] = {}
        self.revision = ""

    def publish(self, path: str, value: Any) -> None:
        self.public[path] = value if isinstance(value, bytes) else json.dumps(value).encode()


class QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Prints errors, but not that a client ended its connection: clients do so whenever they are collected."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Service(Contents):
    """Serves its contents."""

    handler: type[BaseHTTPRequestHandler] | None = None
    server_class: type[ThreadingHTTPServer] = QuietServer

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.expires_in = 300
        # Returns another answer for a path, or None.
        self.fault: Callable[[str], Answer | None] = lambda _: None
        handler = type("Handler", (self.handler or Handler,), {"service": self})
        self.server = self.server_class(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def paths(self) -> list[str]:
        """Returns the paths that were requested, and forgets them."""
        found = [path for path, _ in self.requests]
        self.requests.clear()
        return found

    def answer(self, target: str, headers: dict[str, str]) -> Answer:
        self.requests.append((target, headers))
        fault = self.fault(target)
        if fault is not None:
            return fault
        path = urlsplit(target).path
        if path == "/api/v1/release" and path not in self.public and self.revision:
            listed = listed_files(self.public)
            release = {"published_revision": self.revision, "files": listed}
            return with_etag(json.dumps(release).encode(), headers)
        if path in self.public:
            return with_etag(self.public[path], headers)
        if path.startswith("/objects/"):
            found = [data for data in self.files.values() if sha256_of(data) == path[9:]]
            return Answer(200, found[0], {}) if found else Answer(403, b"", {})
        return self.link(target, headers) if path.startswith("/api/v1/files/") else problem(404, "not-found")

    def link(self, target: str, headers: dict[str, str]) -> Answer:
        if headers.get("x-api-key") != KEY:
            return problem(401, "api-key-invalid" if "x-api-key" in headers else "api-key-missing")
        split = urlsplit(target)
        query = parse_qs(split.query)
        revision = query.get("revision", [""])[0]
        data = self.files.get(f"{split.path}?revision={revision}", self.files.get(split.path))
        if data is None:
            return problem(404, "not-found")
        if headers.get("if-none-match") == f'"sha256:{sha256_of(data)}"':
            return Answer(304, b"", {})
        body = {"expires_in": self.expires_in, **self.link_to(data)}
        if "volumes" in query:
            folder, end = split.path.removesuffix("manifest.json") + "volumes/", "." + query["volumes"][0]
            volumes = {
                path: data for path, data in self.files.items() if path.startswith(folder) and path.endswith(end)
            }
            body["volumes"] = [{"path": path, **self.link_to(data)} for path, data in volumes.items()]
        return Answer(200, json.dumps(body).encode(), {})

    def link_to(self, data: bytes) -> dict[str, Any]:
        return {"url": f"{self.url}/objects/{sha256_of(data)}", "sha256": sha256_of(data), "bytes": len(data)}


def with_etag(data: bytes, headers: dict[str, str]) -> Answer:
    etag = f'"sha256:{sha256_of(data)}"'
    if headers.get("if-none-match") == etag:
        return Answer(304, b"", {"ETag": etag})
    return Answer(200, data, {"ETag": etag})


class Handler(BaseHTTPRequestHandler):
    service: Service
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # otherwise each body waits 40 ms for the acknowledgement of its headers

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.service.answer(self.path, headers)
        self.send_response(answer.status)
        for name, value in {"Content-Length": str(len(answer.data)), **answer.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.data)

    def log_message(self, *_: Any) -> None:
        return
