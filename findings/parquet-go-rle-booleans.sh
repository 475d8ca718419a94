#!/usr/bin/env bash
# github.com/parquet-go/parquet-go v0.32.0.
# RLE is an encoding of booleans in the Parquet format, in data pages of both versions. parquet-go reads such a column without an
# error, but with other values. Of 20 rows of true:
#   [true false false false false false false false true false ...]
# The same column with the encoding PLAIN is read right. Exits with 1 if this changes. Needs Python 3.11 and Go 1.25.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --only-binary :all: pyarrow==25.0.1
venv/bin/python - <<'PYTHON'
import pyarrow as pa
import pyarrow.parquet as pq

table = pa.table({"flag": [True] * 20}, schema=pa.schema([pa.field("flag", pa.bool_(), nullable=False)]))
for encoding in ("RLE", "PLAIN"):
    for version in ("1.0", "2.0"):
        file = f"{encoding}-{version}.parquet"
        options = {"use_dictionary": False, "column_encoding": {"flag": encoding}, "data_page_version": version}
        pq.write_table(table, file, **options)
        assert pq.read_table(file).equals(table)
PYTHON
cat > main.go <<'GO'
package main

import (
	"fmt"
	"os"

	"github.com/parquet-go/parquet-go"
)

type row struct {
	Flag bool `parquet:"flag"`
}

func main() {
	for _, path := range os.Args[1:] {
		rows, err := parquet.ReadFile[row](path)
		if err != nil {
			panic(err)
		}
		flags := []bool{}
		for _, each := range rows {
			flags = append(flags, each.Flag)
		}
		fmt.Println(path, flags)
	}
}
GO
go mod init read 2> go.log
go mod edit -require=github.com/parquet-go/parquet-go@v0.32.0
go build -mod=mod -o read . 2>> go.log
./read ./*.parquet | tee printed
[ "$(grep -c 'PLAIN.*\[true\( true\)\{19\}\]' printed)" = 2 ]
if [ "$(grep -c 'RLE.*\[true false false' printed)" != 2 ]; then
  echo 'changed: RLE booleans are read in another way'
  exit 1
fi
