package pipeline

import (
	"compress/gzip"
	"fmt"
	"io"
	"reflect"
	"strconv"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/shape"
)

// The output formats.
const (
	FormatText    = "text"   // one row per line, with a TAB between columns
	FormatNDJSON  = "ndjson" // one JSON object per line
	FormatParquet = "parquet"
)

// Formats returns the names of the output formats.
func Formats() []string { return []string{FormatText, FormatNDJSON, FormatParquet} }

const (
	compressNone = "none"
	compressGzip = "gzip"
	compressZstd = "zstd"
)

// Compressions returns the names of the compressions of text and NDJSON.
func Compressions() []string { return []string{compressNone, compressGzip, compressZstd} }

// extension returns the file name extension of an output file.
func extension(format, compression string) string {
	name := map[string]string{FormatText: ".txt", FormatNDJSON: ".ndjson", FormatParquet: ".parquet"}[format]
	return name + map[string]string{compressGzip: ".gz", compressZstd: ".zst"}[compression]
}

// rowWriter writes rows in an output format.
type rowWriter interface {
	write(Row) error
	close() error // completes the output without closing the underlying writer
}

func newRowWriter(w io.Writer, format, compression string, columns []column) (rowWriter, error) {
	if format == FormatParquet {
		return newParquetWriter(w, columns), nil
	}
	l := &lineWriter{w: w, end: func() error { return nil }, columns: columns, append: appendText}
	if format == FormatNDJSON {
		l.append = appendJSON
	}
	switch compression {
	case compressGzip:
		z := gzip.NewWriter(w)
		l.w, l.end = z, z.Close
	case compressZstd:
		z, err := zstd.NewWriter(w)
		if err != nil {
			return nil, err
		}
		l.w, l.end = z, z.Close
	}
	return l, nil
}

// lineWriter writes each row as one line.
type lineWriter struct {
	w       io.Writer
	end     func() error
	columns []column
	append  func([]byte, []column, Row) []byte
	held    []byte
}

// heldLines is the size of the output buffer of a lineWriter, in bytes.
const heldLines = 256 << 10

func (l *lineWriter) write(r Row) error {
	l.held = l.append(l.held, l.columns, r)
	if len(l.held) < heldLines {
		return nil
	}
	return l.flush()
}

func (l *lineWriter) flush() error {
	_, err := l.w.Write(l.held)
	l.held = l.held[:0]
	return err
}

func (l *lineWriter) close() error {
	if err := l.flush(); err != nil {
		return err
	}
	return l.end()
}

// appendJSON appends the row r as a JSON object.
func appendJSON(b []byte, columns []column, r Row) []byte {
	separator := byte('{')
	for i, cell := range r.Cells {
		b = append(b, separator, '"')
		b = append(append(b, columns[i].name...), `":`...)
		switch columns[i].kind {
		case integer:
			b = strconv.AppendInt(b, number(cell), 10)
		case list:
			b = append(b, '[')
			for j, part := range splitList(cell) {
				if j > 0 {
					b = append(b, ',')
				}
				b = append(b, quoted(part)...)
			}
			b = append(b, ']')
		default:
			b = append(b, quoted(cell)...)
		}
		separator = ','
	}
	return append(b, "}\n"...)
}

func quoted(cell string) []byte {
	b, err := shape.Text(cell).MarshalJSON()
	if err != nil {
		panic(err) // a string can always be encoded as JSON
	}
	return b
}

// parquetWriter writes rows as an Apache Parquet file.
type parquetWriter struct {
	w       *parquet.GenericWriter[any]
	row     reflect.Type
	columns []column
}

func newParquetWriter(w io.Writer, columns []column) *parquetWriter {
	types := map[kind]reflect.Type{text: reflect.TypeFor[string](), integer: reflect.TypeFor[int64](), list: reflect.TypeFor[[]string]()}
	options := map[kind]string{text: ",zstd", integer: ",zstd", list: ",list"}
	var fields []reflect.StructField
	for i, c := range columns {
		tag := reflect.StructTag(fmt.Sprintf(`parquet:%q`, c.name+options[c.kind]))
		fields = append(fields, reflect.StructField{Name: "C" + strconv.Itoa(i), Type: types[c.kind], Tag: tag})
	}
	row := reflect.StructOf(fields)
	schema := parquet.SchemaOf(reflect.New(row).Interface())
	return &parquetWriter{parquet.NewGenericWriter[any](w, schema, parquet.MaxRowsPerRowGroup(rowGroup)), row, columns}
}

// rowGroup is the maximum number of rows that a parquetWriter holds in memory.
const rowGroup = 200_000

func (p *parquetWriter) write(r Row) error {
	v := reflect.New(p.row)
	for i, cell := range r.Cells {
		field := v.Elem().Field(i)
		switch p.columns[i].kind {
		case integer:
			field.SetInt(number(cell))
		case list:
			var parts []string
			for _, part := range splitList(cell) {
				parts = append(parts, charset.Text(part))
			}
			field.Set(reflect.ValueOf(parts))
		default:
			field.SetString(charset.Text(cell))
		}
	}
	_, err := p.w.Write([]any{v.Interface()})
	return err
}

func (p *parquetWriter) close() error { return p.w.Close() }
