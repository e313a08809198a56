package lines

import (
	"bytes"
	stdcsv "encoding/csv"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// describeFind returns the text that f finds in line, and the line after replacing this text.
func describeFind(f *Finder, line string) string {
	start, end, err := f.Find([]byte(line))
	if errors.Is(err, ErrNoURL) {
		return "skip"
	}
	if err != nil {
		return "! " + err.Error()
	}
	url, err := f.Decode(new([]byte), []byte(line[start:end]))
	if err != nil {
		return "! " + err.Error()
	}
	dst := append([]byte(line[:start]), '<')
	dst = append(f.Append(dst, `a,"b`), '>')
	return string(url) + "  " + string(append(dst, line[end:]...))
}

func mustField(t testing.TB, n int, delimiter string) *Finder {
	t.Helper()
	f, err := Field(n, delimiter)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFindField(t *testing.T) {
	for _, row := range []struct {
		n               int
		delimiter, line string
		want            string
	}{
		{1, "\t", "a\tb\tc", `a  <a,"b>	b	c`},
		{2, "\t", "a\tb\tc", `b  a	<a,"b>	c`},
		{3, "\t", "a\tb\tc", `c  a	b	<a,"b>`},
		{4, "\t", "a\tb\tc", "! the line has no field 4: it has 3 fields"},
		{-1, "\t", "a\tb\tc", `c  a	b	<a,"b>`},
		{-3, "\t", "a\tb\tc", `a  <a,"b>	b	c`},
		{-4, "\t", "a\tb\tc", "! the line has no field -4: it has 3 fields"},
		{1, "\t", "http://h/", `http://h/  <a,"b>`},
		{-1, "\t", "http://h/", `http://h/  <a,"b>`},
		{2, "\t", "http://h/", "! the line has no field 2: it has 1 field"},
		{2, "\t", "a\t\tc", `  a	<a,"b>	c`},
		{2, " | ", "a | b | c", `b  a | <a,"b> | c`},
		{-2, " | ", "a | b | c", `b  a | <a,"b> | c`},
		{1, "\t", "", `  <a,"b>`},
		{2, ",", `1,"http://h/a,b",x`, `http://h/a,b  1,<"a,""b">,x`},
		{2, ",", `"1,2","say ""hi""",x`, `say "hi"  "1,2",<"a,""b">,x`},
		{-1, ",", `"1,2","x"`, `x  "1,2",<"a,""b">`},
		{-2, ",", `"1,2","x"`, `1,2  <"a,""b">,"x"`},
		{3, ",", `a,b,`, `  a,b,<"a,""b">`},
		{-1, ",", `a,b,`, `  a,b,<"a,""b">`},
		{3, ",", `a,b`, "! the line has no field 3: it has 2 fields"},
		{-3, ",", `a,b`, "! the line has no field -3: it has 2 fields"},
		{2, ",", `a,"b`, "! byte 2: the quote is not closed on this line"},
		{2, ",", `a,"b"c,d`, "! byte 5: text after the closing quote: write a quote in a field as two quotes"},
		{1, ",", `a"b,c`, "! byte 1: a quote inside an unquoted field"},
		{1, ",", `a,"b`, `a  <"a,""b">,"b`},
		{2, ";", `a;"b;c"`, `b;c  a;<"a,""b">`},
	} {
		if got := describeFind(mustField(t, row.n, row.delimiter), row.line); got != row.want {
			t.Errorf("field %d of %q: %s; want %s", row.n, row.line, got, row.want)
		}
	}
	for _, row := range []struct {
		n         int
		delimiter string
	}{{0, "\t"}, {1, ""}, {1, "\n"}, {1, "a\r"}} {
		if _, err := Field(row.n, row.delimiter); err == nil {
			t.Errorf("field %d, delimiter %q: no error", row.n, row.delimiter)
		}
	}
}

// slowField is a simple implementation of a Finder for fields without quotes.
func slowField(n int, delimiter, line string) (string, bool) {
	fields := strings.Split(line, delimiter)
	if n < 0 {
		n += len(fields) + 1
	}
	if n < 1 || n > len(fields) {
		return "", false
	}
	return fields[n-1], true
}

func FuzzField(f *testing.F) {
	f.Add(2, "\t", "a\tb\tc")
	f.Add(-1, "ab", "aabab")
	f.Add(2, ",", `a,"b""c",d`)
	f.Add(-2, ";", `a;"b;";`)
	f.Fuzz(func(t *testing.T, n int, delimiter, line string) {
		finder, err := Field(n, delimiter)
		if err != nil || strings.ContainsAny(line, "\r\n") {
			return
		}
		start, end, err := finder.Find([]byte(line))
		if delimiter == "," || delimiter == ";" {
			compareCSV(t, n, rune(delimiter[0]), line)
			return
		}
		want, ok := slowField(n, delimiter, line)
		if n < 0 && strings.Count(delimiter, delimiter[:1]) > 1 {
			return // for a delimiter that overlaps itself, the fields depend on the direction
		}
		if ok != (err == nil) || ok && line[start:end] != want {
			t.Errorf("field %d of %q by %q: %q, %v; want %q, %v", n, line, delimiter, line[start:end], err, want, ok)
		}
	})
}

// compareCSV compares a Finder with encoding/csv. If encoding/csv rejects a line that the
// Finder accepts, the fault must be after the field.
func compareCSV(t *testing.T, n int, delimiter rune, line string) {
	t.Helper()
	finder := mustField(t, n, string(delimiter))
	start, end, err := finder.Find([]byte(line))
	want, wantErr := readCSV(delimiter, line)
	whole := wantErr == nil
	index := n - 1
	if n < 0 {
		index = n + len(want)
	}
	switch {
	case line == "":
		return // encoding/csv skips it
	case wantErr == nil && (index < 0 || index >= len(want)):
		if err == nil {
			t.Fatalf("field %d of %q: %q, which is missing", n, line, line[start:end])
		}
		return
	case wantErr == nil && err != nil:
		t.Fatalf("field %d of %q: %v", n, line, err)
	case err != nil:
		return
	case wantErr != nil:
		want, wantErr = readCSV(delimiter, line[:end])
		if index = n - 1; wantErr != nil && line[:end] != "" || n < 0 {
			t.Fatalf("field %d of %q: %q, but %v", n, line, line[start:end], wantErr)
		}
		if line[:end] == "" {
			return
		}
	}
	got, err := finder.Decode(new([]byte), []byte(line[start:end]))
	if err != nil || string(got) != want[index] {
		t.Fatalf("field %d of %q: %q, want %q", n, line, got, want[index])
	}
	// The replacement must be found again, and the other fields must be unchanged.
	const other = "x;\"y\",\" z"
	changed := line[:start] + string(finder.Append(nil, other)) + line[end:]
	if whole {
		back, err := readCSV(delimiter, changed)
		want[index] = other
		if err != nil || strings.Join(back, "|") != strings.Join(want, "|") {
			t.Fatalf("%q became %q: %q, %v", line, changed, back, err)
		}
	}
}

func readCSV(delimiter rune, line string) ([]string, error) {
	r := stdcsv.NewReader(strings.NewReader(line))
	r.Comma = delimiter
	return r.Read()
}

func TestFindKey(t *testing.T) {
	for _, row := range []struct{ path, line, want string }{
		{"url", `{"id":1,"url":"http://h/","x":2}`, `http://h/  {"id":1,"url":<"a,\"b">,"x":2}`},
		{"url", `{"url":"http:\/\/h\/\u0061"}`, `http://h/a  {"url":<"a,\"b">}`},
		{"a.links[1].url", `{"a":{"links":[{"url":"x"},{"url":"y"}]}}`, `y  {"a":{"links":[{"url":"x"},{"url":<"a,\"b">}]}}`},
		{"url", `{"uri":"x"}`, "! the line has no url"},
		{"url", `{"url":null}`, "! url is null, not a string"},
		{"url", `{"url":5}`, "! url is a number, not a string"},
		{"url", `{"url":["x"]}`, "! url is an array, not a string"},
		{"url", `{"url":{"x":1}}`, "! url is an object, not a string"},
		{"url", `{"url":true}`, "! url is a boolean, not a string"},
		{"url", `{"url":"\ud800"}`, `! incomplete surrogate pair: \ud800`},
		{"url", "{\"url\":\"\xff\"}", "! the string is not valid UTF-8"},
		{"url", `{"url":"x"`, "! invalid JSON at byte 10: unexpected end of the text"},
		{"url", "", "! invalid JSON at byte 0: unexpected end of the text"},
	} {
		f, err := Key(row.path)
		if err != nil {
			t.Fatal(err)
		}
		if got := describeFind(f, row.line); got != row.want {
			t.Errorf("%s in %s: %s; want %s", row.path, row.line, got, row.want)
		}
	}
	if _, err := Key("a["); err == nil {
		t.Error("an invalid path")
	}
}

func TestFindCDX(t *testing.T) {
	const (
		header = " CDX N b a m s k r M S V g"
		line   = "com,example)/ 20260102030405 http://example.com/ text/html 200 ABC - - 10 20 a.warc.gz"
		nine   = "com,example)/ 20260102030405 http://example.com/ text/html 200 ABC - 20 a.warc.gz"
	)
	for _, row := range []struct{ first, line, want string }{
		{header, header, "skip"},
		{header, line, `http://example.com/  com,example)/ 20260102030405 <a,"b> text/html 200 ABC - - 10 20 a.warc.gz`},
		{" CDX A b e a m s c k r V v D d g M n", "x 20260102030405 1.2.3.4 http://h/ text/html", `http://h/  x 20260102030405 1.2.3.4 <a,"b> text/html`},
		{" CDX a b a m", "http://h/ 20260102030405 http://h/ text/html", `http://h/  http://h/ 20260102030405 <a,"b> text/html`},
		{"\tCDX\ta\tb", "http://h/\t20260102030405", `http://h/  <a,"b>	20260102030405`},
		{line, line, `http://example.com/  com,example)/ 20260102030405 <a,"b> text/html 200 ABC - - 10 20 a.warc.gz`},
		{nine, nine, `http://example.com/  com,example)/ 20260102030405 <a,"b> text/html 200 ABC - 20 a.warc.gz`},
		{header, "com,example)/", "! the line has no field 3: it has 1 field"},
		{header, "com,example)/ 20260102030405 - text/html", `! field 3, the URL, is "-"`},
		{header, " CDX a b", "! unexpected CDX header: only the first line may be a header"},
	} {
		if formatOf([]byte(row.first)) != CDX {
			t.Errorf("%q is not detected", row.first)
		}
		f, err := newCDX([]byte(row.first))
		if err != nil {
			t.Fatal(err)
		}
		if got := describeFind(f, row.line); got != row.want {
			t.Errorf("%s: %s; want %s", row.line, got, row.want)
		}
	}
	if _, err := newCDX([]byte(" CDX N b m")); err == nil {
		t.Error("a header without a URL")
	}
}

func TestFindCDXJ(t *testing.T) {
	for _, row := range []struct{ line, want string }{
		{`com,example)/ 20260102030405 {"url": "http://example.com/", "mime": "text/html"}`, `http://example.com/  com,example)/ 20260102030405 {"url": <"a,\"b">, "mime": "text/html"}`},
		{`(com,example,)/ 2026-01-02T03:04:05Z response {"uri":"http://example.com/"}`, `http://example.com/  (com,example,)/ 2026-01-02T03:04:05Z response {"uri":<"a,\"b">}`},
		{"!OpenWayback-CDXJ 1.0", "skip"},
	} {
		if formatOf([]byte(row.line)) != CDXJ {
			t.Errorf("%q is not detected", row.line)
		}
		if got := describeFind(newCDXJ(), row.line); got != row.want {
			t.Errorf("%s: %s; want %s", row.line, got, row.want)
		}
	}
	for line, want := range map[string]string{
		`com,example)/ 20260102030405 {"mime": "text/html"}`: "! the line has no url",
		`com,example)/ 20260102030405 {"url": 1}`:            "! url is a number, not a string",
		`com,example)/ 20260102030405`:                       "! not a CDXJ line: write a sort key, a date and a JSON object",
		`com,example)/ 20260102030405 {"url": `:              "! invalid JSON at byte 8: unexpected end of the text",
	} {
		if got := describeFind(newCDXJ(), line); got != want {
			t.Errorf("%s: %s; want %s", line, got, want)
		}
	}
}

// A file that is not clearly an index is read as text.
func TestFormatOfText(t *testing.T) {
	for _, line := range []string{"", "http://h/", "http://h/ 20260102030405", "http://h/ 2026 http://h/", "!", "# a b {", `{"url":"x"}`, " CDX", " CDXN b a", "WARC", "a b c"} {
		if got := formatOf([]byte(line)); got != Text {
			t.Errorf("%q: %d", line, got)
		}
	}
}

func TestParseFormat(t *testing.T) {
	for i, name := range Formats() {
		if f, err := ParseFormat(name); err != nil || f != Format(i+1) {
			t.Errorf("%s: %d, %v", name, f, err)
		}
	}
	for _, name := range []string{"", "csv"} {
		if _, err := ParseFormat(name); err == nil || !strings.Contains(err.Error(), "choose text, cdx, cdxj, warc") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// FuzzIndex finds URLs in CDX and CDXJ lines for any first line. The result must be a field or
// a string in the line, and a replacement must be found again.
func FuzzIndex(f *testing.F) {
	f.Add(" CDX N b a m", "k 20260102030405 http://h/ x")
	f.Add("k 20260102030405 http://h/ x", "k 20260102030405 http://h/ x")
	f.Add(`k 20260102030405 {"url":"x"}`, `k 20260102030405 {"url":"http:\/\/h/","url":"y"}`)
	f.Add("!x", `k 2026-01-02T03:04:05Z response {"uri":"x"}`)
	f.Fuzz(func(t *testing.T, first, line string) {
		if strings.ContainsAny(first+line, "\r\n") {
			return
		}
		var finder *Finder
		switch formatOf([]byte(first)) {
		case CDX:
			f, err := newCDX([]byte(first))
			if err != nil {
				return
			}
			finder = f
		case CDXJ:
			finder = newCDXJ()
		default:
			return
		}
		start, end, err := finder.Find([]byte(line))
		if err != nil {
			return
		}
		url, err := finder.Decode(new([]byte), []byte(line[start:end]))
		if err != nil {
			return
		}
		if c, ok := finder.form.(cdxFinder); ok {
			want, found := slowField(c.n, string(c.delimiter), line)
			if !found || want != string(url) {
				t.Fatalf("%q in %q, want %q", url, line, want)
			}
		} else {
			var s string
			if err := json.Unmarshal([]byte(line[start:end]), &s); err != nil || s != string(url) && !strings.ContainsRune(s, utf8.RuneError) {
				t.Fatalf("%q in %q, want %q, %v", url, line, s, err)
			}
		}
		const other = "http://other.example/"
		changed := line[:start] + string(finder.Append(nil, other)) + line[end:]
		start, end, err = finder.Find([]byte(changed))
		if err != nil {
			t.Fatalf("%q became %q: %v", line, changed, err)
		}
		if again, err := finder.Decode(new([]byte), []byte(changed[start:end])); err != nil || string(again) != other {
			t.Fatalf("%q became %q: %q, %v", line, changed, again, err)
		}
	})
}

// Find must not allocate memory for any format, and Decode must allocate only the buffer.
func TestFindAllocatesNothing(t *testing.T) {
	key, err := Key("a.url")
	if err != nil {
		t.Fatal(err)
	}
	header, err := newCDX([]byte(" CDX N b a m s k r M S V g"))
	if err != nil {
		t.Fatal(err)
	}
	buf, dst := make([]byte, 0, 100), make([]byte, 0, 100)
	for name, row := range map[string]struct {
		f    *Finder
		line string
	}{
		"line":  {nil, "http://h/"},
		"field": {mustField(t, -1, "\t"), "a\thttp://h/"},
		"csv":   {mustField(t, 2, ","), `a,"http://h/""x"`},
		"key":   {key, `{"a":{"url":"http:\/\/h\/"}}`},
		"cdx":   {header, "com,example)/ 20260102030405 http://example.com/ text/html 200 ABC - - 10 20 a.warc.gz"},
		"cdxj":  {newCDXJ(), `com,example)/ 20260102030405 {"url": "http://example.com/"}`},
	} {
		line := []byte(row.line)
		if n := testing.AllocsPerRun(100, func() {
			start, end, err := row.f.Find(line)
			if err == nil {
				_, err = row.f.Decode(&buf, line[start:end])
			}
			if err != nil {
				t.Fatal(name, err)
			}
			row.f.Append(dst[:0], "http://h/")
		}); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// Decode must write only to its buffer, and never to the lines of earlier calls.
func TestDecodeLeavesLines(t *testing.T) {
	keys, err := Key("u")
	if err != nil {
		t.Fatal(err)
	}
	fields, err := Field(-1, ",")
	if err != nil {
		t.Fatal(err)
	}
	for text, finder := range map[string]*Finder{
		"{\"u\":\"http://a/\"}\n{\"k\":\"before\",\"u\":\"http:\\/\\/b/cccccccccccccccccccccccccccccc\"}": keys,
		"x,\"http://a/\"\nbefore,\"http://b/cccccccccccccccccccccccccccccccccccc\"\"c\"":                  fields,
	} {
		block := []byte(text)
		var buf []byte
		end := bytes.IndexByte(block, '\n')
		for _, line := range [][]byte{block[:end], block[end+1:]} {
			start, end, err := finder.Find(line)
			if err == nil {
				_, err = finder.Decode(&buf, line[start:end])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if string(block) != text {
			t.Errorf("%q became %q", text, block)
		}
	}
}
