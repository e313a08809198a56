package lines

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/jsonpath"
)

const parquetHead = "PAR1\x15\x04\x15\x20"

// recognized contains beginnings of files that Recognize must reject.
var recognized = []struct {
	text string
	want FormatError
}{
	{"id,url\n1,http://h/\n", FormatError{Format: FormatCSV, Delimiter: ",", Field: 2, Column: "url"}},
	{"url,count\nhttp://h/a,1\nhttp://h/b,2\n", FormatError{Format: FormatCSV, Delimiter: ",", Field: 1, Column: "url"}},
	{"\"url\",\"a, b\"\r\n\"http://h/a,b\",\"x\"\r\n", FormatError{Format: FormatCSV, Delimiter: ",", Field: 1, Column: "url"}},
	{"id;url\n1;http://h/", FormatError{Format: FormatCSV, Delimiter: ";", Field: 2, Column: "url"}},
	{"id\turl\n1\thttp://h/\n2\thttp://h/\n3", FormatError{Format: FormatTSV, Delimiter: "\t", Field: 2, Column: "url"}},
	{"url,url\nx,http://h/\n", FormatError{Format: FormatCSV, Delimiter: ",", Field: 2}},
	{"url,404\nx,http://h/\n", FormatError{Format: FormatCSV, Delimiter: ",", Field: 2}},
	{"id,url\n1,bad\n\n2,http://h/\n", FormatError{Format: FormatCSV, Delimiter: ",", Field: 2, Column: "url"}},
	{`{"url":"http://h/"}`, FormatError{Format: FormatJSON, Key: "url"}},
	{`{"id":1,"page":{"to":["x","http:\/\/h/"]}}` + "\n", FormatError{Format: FormatJSON, Key: "page.to[1]"}},
	{`{"a b":{"c.d":"http://h/"}}` + "\n", FormatError{Format: FormatJSON, Key: `["a b"]["c.d"]`}},
	{`{"$":"http://h/"}`, FormatError{Format: FormatJSON, Key: ".$"}},
	{`{"id":1}` + "\n" + `{"u":"http://h/"}`, FormatError{Format: FormatJSON, Key: "u"}},
	{"{}\n{}\n", FormatError{Format: FormatJSON}},
	{`{"text":"` + strings.Repeat("x", 2*headSize), FormatError{Format: FormatJSON}},
	{parquetHead, FormatError{Format: FormatParquet}},
}

// lists contains beginnings of files with one URL per line, and of other files that Recognize
// does not reject.
var lists = []string{
	"", "\n", "http://h/\n", "foo\n", "foo,bar\n", "foo,bar\nhttp://h/\nhttp://h/a,b\n", "http://h/a,b\nhttp://h/c,d\n", "# urls, all\nhttp://h/\n",
	"id,url\n1,none\n2,none\n", "id,\nhttp://h/,\n", "{\n", "{\n  \"url\": \"http://h/\"\n}\n", "{url}\n", "[\"http://h/\"]\n", "PAR1\n", "PAR1:x\n", "PAR1", "PAR1\thttp://h/\n",
	"http://h/?{}\n", "id,\"url\n1,http://h/\n",
}

func TestRecognize(t *testing.T) {
	for _, row := range recognized {
		var e *FormatError
		if err := Recognize([]byte(row.text[:min(len(row.text), headSize)]), len(row.text) < headSize); !errors.As(err, &e) || *e != row.want {
			t.Errorf("%.100q: %+v, want %+v", row.text, e, row.want)
		}
	}
	for _, text := range lists {
		if err := Recognize([]byte(text), true); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A recognized file must give one error, even if it is compressed, and Blocks must continue
// with the next file.
func TestRecognizedFiles(t *testing.T) {
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	z.Write([]byte("id,url\n" + strings.Repeat("1,http://h/\n", 10_000)))
	z.Close()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	zst := string(encoder.EncodeAll([]byte(parquetHead), nil))
	encoder.Close()
	list := write(t, "list", "http://h/\n")
	for _, row := range []struct{ text, want string }{
		{"id,url\n1,http://h/\n", "it looks like CSV, with URLs in field 2"},
		{"\uFEFFid,url\n1,http://h/\n", "it looks like CSV, with URLs in field 2"},
		{"{}\n", "it looks like JSON lines"},
		{gz.String(), "it looks like CSV, with URLs in field 2"},
		{zst, "it looks like Parquet"},
	} {
		name := write(t, "file", row.text)
		got := readBlocks(t, []string{name, list}, nil, false)
		if strings.Count(got, "\n") != 2 || !strings.HasPrefix(got, "! "+locus.Quote(name)+": "+row.want+"\n") || !strings.HasSuffix(got, ":1 \"http://h/\\n\"\n") {
			t.Errorf("%.20q: %s", row.text, got)
		}
		if got := readBlocks(t, []string{name}, &Options{Format: Text}, false); strings.Contains(got, "looks like") {
			t.Errorf("%.20q as text: %s", row.text, got)
		}
	}
}

// Each source has its own header. Blocks must report the header only once for consecutive
// sources with the same header.
func TestColumns(t *testing.T) {
	a, b := write(t, "a", "id,url\n1,x\n"), write(t, "b", "url,id\r\ny,2\r\n")
	again, other, empty, only := write(t, "again", "id,url\n3,z"), write(t, "other", "id,link\n4,v\n"), write(t, "empty", ""), write(t, "only", "url\n")
	var got strings.Builder
	for block := range Blocks(t.Context(), []string{a, again, b, other, empty, only, a}, &Options{Column: "url", Delimiter: ","}) {
		if block.Err != nil {
			got.WriteString("! " + strings.TrimPrefix(block.Err.Error(), `"`+other+`": `) + "\n")
		}
		if block.Header != nil {
			got.WriteString("# " + string(block.Header) + "\n")
		}
		number := block.Line
		for line := range bytes.Lines(block.Text) {
			line = withoutEnd(line)
			start, end, err := block.Finder.Find(line)
			if err != nil || number != 2 {
				t.Errorf("line %d %q: %v", number, line, err)
			}
			got.WriteString(string(line[start:end]) + "\n")
			number++
		}
		block.Release()
	}
	const want = "# id,url\nx\nz\n# url,id\ny\n! no column \"url\" in the first line: choose id, link\n# url\n# id,url\nx\n"
	if got.String() != want {
		t.Errorf("%s\nwant\n%s", got.String(), want)
	}
	long := write(t, "long", strings.Repeat("x", headSize+1))
	if got := readBlocks(t, []string{long}, &Options{Column: "url", Delimiter: ","}, false); !strings.Contains(got, "longer than 65536") {
		t.Errorf("%.200s", got)
	}
	many := write(t, "many", strings.Repeat("x,", 50))
	if got := readBlocks(t, []string{many}, &Options{Column: "url", Delimiter: ","}, false); !strings.HasSuffix(got, "x, ...\n") || strings.Count(got, "x, ") != maxNames {
		t.Error(got)
	}
}

// The first line of a pipe must be delivered before the second line arrives.
func TestRecognizeDoesNotWait(t *testing.T) {
	for _, first := range []string{"id,url\n", "foo\n"} {
		in, to := io.Pipe()
		go io.WriteString(to, first)
		got := ""
		for b := range Blocks(t.Context(), []string{"-"}, &Options{Stdin: in}) {
			if b.Err != nil {
				t.Error(b.Err)
			}
			if got += string(b.Text); got == first {
				go func() {
					io.WriteString(to, "1,http://h/\n")
					to.Close()
				}()
			}
			b.Release()
		}
		if got != first+"1,http://h/\n" {
			t.Errorf("%q", got)
		}
	}
}

func FuzzRecognize(f *testing.F) {
	for _, row := range recognized {
		f.Add([]byte(row.text))
	}
	for _, text := range lists {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, head []byte) {
		err := Recognize(head, true)
		if err == nil {
			return
		}
		first, _, _ := bytes.Cut(head, newline)
		var e *FormatError
		if !errors.As(err, &e) || isURL(first) {
			t.Fatalf("%q: %v", head, err)
		}
		if _, err := jsonpath.Parse(e.Key); e.Key != "" && err != nil {
			t.Errorf("%q: key %q: %v", head, e.Key, err)
		}
		if e.Field == 0 {
			return
		}
		finder, err := Field(e.Field, e.Delimiter)
		if err != nil {
			t.Fatal(err)
		}
		start, end, err := finder.Find(withoutEnd(first))
		var buf []byte
		if name, _ := finder.Decode(&buf, withoutEnd(first)[start:end]); err != nil || e.Column != "" && string(name) != e.Column {
			t.Errorf("%q: column %q, %v", head, e.Column, err)
		}
	})
}
