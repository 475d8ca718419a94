#!/usr/bin/env bash
# polars 2.1.0.
# A column of Float64 divided by a literal is not the quotient of IEEE 754, which is the double nearest to it: Polars multiplies
# by the reciprocal of the literal, which rounds twice. A column divided by a column is right:
#   2299480380.0 / 1e9 is 2.2994803800000003, not 2.29948038
# Exits with 1 if this changes. Needs Python 3.11.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --only-binary :all: polars==2.1.0
venv/bin/python - <<'PYTHON'
import polars
from polars import col

table = polars.DataFrame({"n": [2299480380.0] * 2, "billion": [1e9] * 2})
seen = table.select(literal=col("n") / 1e9, column=col("n") / col("billion"), reciprocal=col("n") * (1 / 1e9)).row(0)
print(seen)
assert seen == (2.2994803800000003, 2.29948038, 2.2994803800000003), "changed"
PYTHON
