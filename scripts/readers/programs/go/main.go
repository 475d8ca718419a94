// Prints every cell of Parquet files as one module of Go reads them, in the form of read.py: read MODULE FILE...
package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/parquet-go/parquet-go"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func double(value float64) string { return fmt.Sprintf("0x%016x", math.Float64bits(value)) }
func date(days int32) string      { return time.Unix(int64(days)*86400, 0).UTC().Format(time.DateOnly) }

func readArrow(path string) [][]string {
	reader := must(file.OpenParquetFile(path, false))
	defer reader.Close()
	files := must(pqarrow.NewFileReader(reader, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator))
	table := must(files.ReadTable(context.Background()))
	rows := make([][]string, table.NumRows()+1)
	for c := range int(table.NumCols()) {
		rows[0] = append(rows[0], table.Column(c).Name())
		r := 1
		for _, chunk := range table.Column(c).Data().Chunks() {
			for i := range chunk.Len() {
				rows[r] = append(rows[r], arrowCell(chunk, i))
				r++
			}
		}
	}
	return rows
}

func arrowCell(values arrow.Array, i int) string {
	if values.IsNull(i) {
		return "null"
	}
	switch typed := values.(type) {
	case *array.Float64:
		return double(typed.Value(i))
	case *array.Date32:
		return date(int32(typed.Value(i)))
	case *array.String:
		return `"` + typed.Value(i)
	default:
		return values.ValueStr(i) // of booleans and integers
	}
}

func readParquetGo(path string) [][]string {
	opened := must(os.Open(path))
	defer opened.Close()
	reader := parquet.NewReader(opened)
	fields := reader.Schema().Fields()
	rows := make([][]string, reader.NumRows()+1)
	for _, field := range fields {
		rows[0] = append(rows[0], field.Name())
	}
	buffer := make([]parquet.Row, 1)
	for r := 1; r < len(rows); r++ {
		if n, err := reader.ReadRows(buffer); n != 1 {
			panic(err)
		}
		for c, value := range buffer[0] {
			rows[r] = append(rows[r], parquetGoCell(value, fields[c]))
		}
	}
	return rows
}

func parquetGoCell(value parquet.Value, field parquet.Field) string {
	logical := field.Type().LogicalType()
	switch {
	case value.IsNull():
		return "null"
	case logical != nil && logical.String() == "DATE":
		return date(value.Int32())
	case value.Kind() == parquet.Double:
		return double(value.Double())
	case value.Kind() == parquet.ByteArray:
		return `"` + string(value.ByteArray())
	default:
		return value.String() // of booleans and integers
	}
}

func main() {
	read := map[string]func(string) [][]string{
		"github.com/apache/arrow-go/v18":   readArrow,
		"github.com/parquet-go/parquet-go": readParquetGo,
	}[os.Args[1]]
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, path := range os.Args[2:] {
		for _, row := range read(path) {
			fmt.Fprintln(out, strings.Join(row, "\t"))
		}
		fmt.Fprintln(out)
	}
}
