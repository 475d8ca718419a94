#!/usr/bin/env bash
# @dsnp/parquetjs 1.8.9, the newest version of this fork of parquetjs whose package has code: that of 1.9.3 has no folder dist.
# RLE is an encoding of booleans in the Parquet format. parquetjs reads such a column without an error, and every value as false:
#   RLE [false,false,false,false]
#   PLAIN [true,false,true,true]
# The same column with the encoding PLAIN is read right. Exits with 1 if this changes. Needs Python 3.11 and Node.js 20.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix . @dsnp/parquetjs@1.8.9
python3 -m venv venv
venv/bin/pip install --quiet --only-binary :all: pyarrow==25.0.1
venv/bin/python - <<'PYTHON'
import pyarrow as pa
import pyarrow.parquet as pq

schema = pa.schema([pa.field("flag", pa.bool_(), nullable=False)])
table = pa.table({"flag": [True, False, True, True]}, schema=schema)
for encoding in ("RLE", "PLAIN"):
    pq.write_table(table, encoding, use_dictionary=False, column_encoding={"flag": encoding})
    assert pq.read_table(encoding).equals(table)
PYTHON
cat > read.mjs <<'JS'
import parquet from '@dsnp/parquetjs';

for (const file of ['RLE', 'PLAIN']) {
  const reader = await parquet.ParquetReader.openFile(file);
  const cursor = reader.getCursor();
  const flags = [];
  for (let row = await cursor.next(); row; row = await cursor.next()) flags.push(row.flag);
  await reader.close();
  console.log(file, JSON.stringify(flags));
}
JS
node read.mjs | tee printed
grep -qx 'PLAIN \[true,false,true,true\]' printed
if ! grep -qx 'RLE \[false,false,false,false\]' printed; then
  echo 'changed: RLE booleans are read in another way'
  exit 1
fi
