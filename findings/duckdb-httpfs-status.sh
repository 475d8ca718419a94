#!/usr/bin/env bash
# DuckDB 1.5.5 with its extension httpfs 1.5.5.
# A server that answers a file with 401 or 403 has said what is wrong. Reading by ranges, DuckDB requests it four times and
# reports a status that no server sent:
#   HTTP Error: HTTP GET error on '...' (HTTP 0 Internal Server Error)
# 404 is reported as it is, and so is 401 with `SET force_download = true`, or with version 1.4.4:
#   HTTP Error: HTTP GET error on '...' (HTTP 401 Unauthorized)
# Exits with 1 if this changes. Needs Python 3.11.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --only-binary :all: duckdb==1.5.5 duckdb-extension-httpfs==1.5.5
cat > read.py <<'PYTHON'
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from threading import Thread

import duckdb

gets = 0


class Refusal(BaseHTTPRequestHandler):
    """Answers /401 with 401, and so on."""

    def do_GET(self):
        global gets
        gets += self.command == "GET"
        self.send_response(int(self.path[1:]))
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_GET
    log_message = lambda *_: None


server = ThreadingHTTPServer(("127.0.0.1", 0), Refusal)
Thread(target=server.serve_forever, daemon=True).start()
extension = resources.files("duckdb_extension_httpfs") / "extensions" / "v1.5.5" / "httpfs.duckdb_extension"


def reported(status, *settings):
    with duckdb.connect() as connection:
        connection.load_extension(str(extension))
        for setting in settings:
            connection.execute(setting)
        try:
            connection.execute(f"FROM read_parquet('http://127.0.0.1:{server.server_port}/{status}')")
        except duckdb.HTTPException as error:
            return re.search(r"\((HTTP .*)\)", str(error))[1]


seen = {status: reported(status) for status in (401, 403, 404)}
assert gets == 8, gets
seen["401, whole"] = reported(401, "SET force_download = true")
print(seen)
assert seen == {
    401: "HTTP 0 Internal Server Error",
    403: "HTTP 0 Internal Server Error",
    404: "HTTP 404 Not Found",
    "401, whole": "HTTP 401 Unauthorized",
}, "changed"
PYTHON
venv/bin/python read.py
