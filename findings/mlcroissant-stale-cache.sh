#!/usr/bin/env bash
# mlcroissant 1.1.1 with Python 3.11.
# mlcroissant keeps what it has downloaded in ~/.cache/croissant, in a file named for the address only, and never downloads the
# address again. When a publisher changes the file and states its new SHA-256 in the Croissant file, mlcroissant refuses its own
# old copy, says that the digest is wrong, and goes on to do so until somebody deletes the copy:
#   first: 1 row   changed: ValueError   changed, with the digest as the fragment of the address: 2 rows
# Our Croissant file therefore ends each address with its digest as the fragment, which no server sees.
# Exits with 1 if this changes. Needs Python 3.11.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export HOME="$folder"
python3 -m venv venv
venv/bin/pip install --quiet mlcroissant==1.1.1
venv/bin/python - 2> /dev/null <<'PYTHON'
import hashlib
import http.server
import json
import threading

import mlcroissant
from mlcroissant._src.core.rdf import make_context

content = b""


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}/table"


def read(text, fragment=""):
    global content
    content = text
    digest = hashlib.sha256(text).hexdigest()
    column = {"fileObject": {"@id": "table"}, "extract": {"column": "a"}}
    field = {"@type": "cr:Field", "@id": "rows/a", "dataType": "sc:Integer", "source": column}
    file = {"@type": "cr:FileObject", "@id": "table", "contentUrl": address + fragment, "encodingFormat": "text/csv", "sha256": digest}
    dataset = {
        "@context": make_context(),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "A dataset",
        "description": "A dataset.",
        "distribution": [file],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "rows", "field": [field]}],
    }
    try:
        return f"{len(list(mlcroissant.Dataset(dataset).records('rows')))} rows"
    except Exception as error:
        return type(error.__cause__ or error).__name__


seen = [read(b"a\n1\n"), read(b"a\n1\n2\n"), read(b"a\n1\n2\n", "#2")]
print(json.dumps(seen))
assert seen == ["1 rows", "ValueError", "2 rows"], "changed"
PYTHON
