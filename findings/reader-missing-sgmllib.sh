#!/usr/bin/env bash
# reader 3.26 with feedparser 6.0.14 and Python 3.11.
# reader contains a copy of feedparser that imports sgmllib, and gets this module only through the package feedparser, which
# required sgmllib3k before. feedparser 6.0.14 requires another package, so after "pip install reader" no feed can be read:
#   pip install reader==3.26: ModuleNotFoundError   with sgmllib3k too: 1 entry
# Exits with 1 if this changes. Needs Python 3.11.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill "$server" 2> /dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --only-binary :all: reader==3.26 feedparser==6.0.14
mkdir served
cat > served/feed.xml <<'XML'
<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><id>tag:example.com,2024:feed</id><title>A feed</title><updated>2024-01-01T00:00:00Z</updated>
<entry><id>tag:example.com,2024:one</id><title>One</title><updated>2024-01-01T00:00:00Z</updated><content type="text">One.</content></entry>
</feed>
XML
python3 -u -m http.server 0 --bind 127.0.0.1 --directory served > log 2>&1 &
server=$!
for _ in $(seq 100); do grep -q port log && break; sleep 0.1; done
port=$(sed -n 's/.* port \([0-9]*\).*/\1/p' log)
cat > read.py <<PYTHON
try:
    from reader import make_reader

    reader = make_reader(":memory:")
    reader.add_feed("http://127.0.0.1:$port/feed.xml")
    reader.update_feeds()
    print(len(list(reader.get_entries())), "entry")
except Exception as error:
    while error.__cause__ is not None:
        error = error.__cause__
    print(type(error).__name__)
PYTHON
alone=$(venv/bin/python read.py 2> /dev/null)
venv/bin/pip install --quiet sgmllib3k==1.0.0
both=$(venv/bin/python read.py 2> /dev/null)
echo "$alone, $both"
[ "$alone, $both" = "ModuleNotFoundError, 1 entry" ] || { echo changed; exit 1; }
