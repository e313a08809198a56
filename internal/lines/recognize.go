package lines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/locus-url/locus/internal/jsonpath"
)

// FormatError means that, according to its first bytes, a source is not a list with one URL
// per line. The fields describe where the URLs are.
type FormatError struct {
	Format    string // "CSV", "TSV", "JSON lines" or "Parquet"
	Delimiter string // delimiter of CSV or TSV
	Field     int    // number of the URL field in CSV or TSV, from 1
	Column    string // name of the URL field; empty if the number is clearer
	Key       string // path of the URL in JSON lines; empty if unknown
}

func (e *FormatError) Error() string {
	switch {
	case e.Field > 0:
		return fmt.Sprintf("it looks like %s, with URLs in field %d", e.Format, e.Field)
	case e.Key != "":
		return fmt.Sprintf("it looks like %s, with URLs at %s", e.Format, e.Key)
	}
	return "it looks like " + e.Format
}

// These are the formats in a FormatError.
const (
	FormatCSV     = "CSV"
	FormatTSV     = "TSV"
	FormatJSON    = "JSON lines"
	FormatParquet = "Parquet"
)

// recognize returns a [*FormatError] if the lines of the source are not URLs. For a pipe,
// whose lines may arrive slowly, recognize checks only the buffered bytes, and detects only
// Parquet.
func (r *reader) recognize(in *bufio.Reader) error {
	if r.piped {
		return recognizeParquet(in)
	}
	head, err := in.Peek(in.Size())
	return Recognize(head, errors.Is(err, io.EOF))
}

// recognizeParquet returns a [*FormatError] if the buffered bytes begin a Parquet file.
func recognizeParquet(in *bufio.Reader) error {
	if head, _ := in.Peek(in.Buffered()); IsParquet(head) {
		return &FormatError{Format: FormatParquet}
	}
	return nil
}

// Recognize returns a [*FormatError] if the lines of a source are not URLs. The source begins
// with the bytes in head. If isWhole is true, head is the whole source.
func Recognize(head []byte, isWhole bool) error {
	var e *FormatError
	switch first, _, whole := bytes.Cut(head, newline); {
	case IsParquet(head):
		e = &FormatError{Format: FormatParquet}
	case isJSON(first, whole || isWhole):
		e = &FormatError{Format: FormatJSON, Key: keyOf(head)}
	default:
		e = tableError(head)
	}
	if e == nil {
		return nil
	}
	return e
}

// IsParquet reports whether the bytes in head are the beginning of an Apache Parquet file.
// After the mark "PAR1", such a file contains a page or the footer, which begins with a
// control character.
func IsParquet(head []byte) bool {
	const mark = "PAR1"
	return len(head) > len(mark) && string(head[:len(mark)]) == mark && (head[len(mark)] < ' ' || head[len(mark)] >= 0x7F) &&
		!bytes.ContainsAny(head[len(mark):len(mark)+1], "\t\r\n")
}

// isJSON reports whether the first line is a JSON object. If the line is incomplete, isJSON
// checks only the beginning of the line.
func isJSON(line []byte, whole bool) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 || line[0] != '{' {
		return false
	}
	if whole {
		return json.Valid(line)
	}
	rest := bytes.TrimSpace(line[1:])
	return len(rest) > 0 && rest[0] == '"'
}

// keyOf returns the JSON path of the first URL in head, which holds JSON lines. If head contains no
// URL, keyOf returns "".
func keyOf(head []byte) string {
	d := json.NewDecoder(bytes.NewReader(head))
	for {
		if path, err := urlIn(d, "", 0); err != nil || path != "" {
			if strings.HasPrefix(path, ".$") {
				return path // the path "$" means the whole line
			}
			return strings.TrimPrefix(path, ".")
		}
	}
}

// maxDepthJSON is the maximum depth of the search for a URL in a JSON line.
const maxDepthJSON = 20

// urlIn decodes the next value, whose path is prefix, and returns the path of the first URL in
// the value.
func urlIn(d *json.Decoder, prefix string, depth int) (path string, err error) {
	token, err := d.Token()
	if err != nil {
		return "", err
	}
	if text, ok := token.(string); ok && isURL([]byte(text)) {
		return prefix, nil
	}
	opened, ok := token.(json.Delim)
	if !ok {
		return "", nil
	}
	if depth == maxDepthJSON {
		return "", errors.New("too deep")
	}
	for i := 0; d.More(); i++ {
		inner := prefix + "[" + strconv.Itoa(i) + "]"
		if opened == '{' {
			name, err := d.Token()
			if err != nil {
				return "", err
			}
			inner = prefix + memberStep(name.(string))
		}
		if path, err = urlIn(d, inner, depth+1); err != nil || path != "" {
			return path, err
		}
	}
	_, err = d.Token()
	return "", err
}

// memberStep returns the path step that selects the object member with the given name.
func memberStep(name string) string {
	if path, err := jsonpath.Parse("." + name); err == nil && name != "" && !strings.ContainsAny(name, ".[]\"'") {
		return path.String()
	}
	return "[" + string(jsonpath.AppendQuoted(nil, name)) + "]"
}

// isURL reports whether text begins like most URLs, with a scheme and "://".
func isURL(text []byte) bool {
	name, _, found := bytes.Cut(text, []byte("://"))
	if !found || len(name) == 0 || name[0]|0x20 < 'a' || name[0]|0x20 > 'z' {
		return false
	}
	for _, c := range name {
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return true
}

// tableError returns the error for a CSV or TSV file with a header. If head is not the start of
// such a file, tableError returns nil.
func tableError(head []byte) *FormatError {
	rows := bytes.Split(bytes.TrimSuffix(head, newline), newline)
	if len(rows) > 2 && !bytes.HasSuffix(head, newline) {
		rows = rows[:len(rows)-1] // the last row may be incomplete
	}
	if len(rows) < 2 {
		return nil
	}
	for _, delimiter := range []string{",", ";", "\t"} {
		names, err := splitFields(withoutEnd(rows[0]), delimiter)
		if err != nil || !areNames(names) {
			continue
		}
		if n := urlField(rows[1:], delimiter, len(names)); n > 0 {
			return newTable(names, delimiter, n)
		}
	}
	return nil
}

func newTable(names []string, delimiter string, n int) *FormatError {
	e := &FormatError{Format: FormatCSV, Delimiter: delimiter, Field: n}
	if delimiter == "\t" {
		e.Format = FormatTSV
	}
	name := names[n-1]
	if _, err := strconv.Atoi(name); err != nil && slices.Index(names, name) == n-1 && !slices.Contains(names[n:], name) {
		e.Column = name
	}
	return e
}

// areNames reports whether the fields of the first line can be column names.
func areNames(names []string) bool {
	for _, name := range names {
		if strings.TrimSpace(name) == "" || strings.ContainsAny(name, ":/") {
			return false
		}
	}
	return len(names) > 1
}

// urlField returns the number of the field with the most URLs. If fewer than half of the rows
// contain a URL in that field, urlField returns 0. At least nine of ten rows must have as many
// fields as the first line.
func urlField(rows [][]byte, delimiter string, columns int) int {
	urls := make([]int, columns)
	equal, all := 0, 0
	for _, row := range rows {
		row = withoutEnd(row)
		if len(row) == 0 {
			continue
		}
		all++
		list, err := splitFields(row, delimiter)
		if err != nil || len(list) != columns {
			continue
		}
		equal++
		for i, text := range list {
			if isURL([]byte(text)) {
				urls[i]++
			}
		}
	}
	most := slices.Max(urls)
	if all == 0 || 10*equal < 9*all || 2*most < all {
		return 0
	}
	return slices.Index(urls, most) + 1
}
