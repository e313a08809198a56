package jsonpath

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// slowFind is a reference implementation of Find with encoding/json. It returns the value at the
// path, or nil if the value is missing.
func slowFind(path Path, text []byte) (any, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if !json.Valid(text) {
		return nil, errors.New("invalid")
	}
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	for _, s := range path.steps {
		switch inner := v.(type) {
		case map[string]any:
			member, ok := inner[s.name]
			if v = member; !ok || s.index >= 0 {
				return nil, ErrMissing
			}
		case []any:
			if s.index < 0 || s.index >= len(inner) {
				return nil, ErrMissing
			}
			v = inner[s.index]
		default:
			return nil, ErrMissing
		}
	}
	return v, nil
}

// compare fails the test if Find and the reference implementation disagree.
func compare(t *testing.T, path Path, text []byte) {
	t.Helper()
	start, end, err := path.Find(text)
	want, wantErr := slowFind(path, text)
	if errors.Is(err, ErrMissing) != errors.Is(wantErr, ErrMissing) || (err != nil) != (wantErr != nil) {
		t.Fatalf("%s in %q: %v, want %v", path, text, err, wantErr)
	}
	if err != nil {
		return
	}
	got, err := slowFind(Path{}, text[start:end])
	if err != nil {
		t.Fatalf("%s in %q: %q: %v", path, text, text[start:end], err)
	}
	x, _ := json.Marshal(got)
	y, _ := json.Marshal(want)
	if !bytes.Equal(x, y) {
		t.Fatalf("%s in %q: %s, want %s", path, text, x, y)
	}
	s, ok := want.(string)
	if !ok || !utf8.Valid(text[start:end]) {
		return
	}
	unquoted, err := Unquote(nil, text[start:end])
	if err != nil && strings.ContainsRune(s, utf8.RuneError) {
		return // half a surrogate pair
	}
	if err != nil || string(unquoted) != s {
		t.Fatalf("%q: %q, %v; want %q", text[start:end], unquoted, err, s)
	}
	var back string
	if err := json.Unmarshal(AppendQuoted(nil, s), &back); err != nil || back != s {
		t.Fatalf("%q became %q, %v", s, back, err)
	}
}

func mustParse(t testing.TB, text string) Path {
	t.Helper()
	p, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var texts = []string{
	`{"url":"http://h/"}`, `{"a":1,"url":"x","b":[{"url":"y"}]}`, ` { "a" : { "b" : [ 1 , { "c" : "v" } ] } } `,
	`{"url":"first","url":"last"}`, `{"a":{"b":[0,{"c":"v"}]},"a":{}}`, `{"\u0075rl":"h\u00e9\ud83d\ude00\/\"\\\b\f\n\r\t"}`,
	`["a","b",["c"]]`, `"whole"`, `{"url":null}`, `{"url":12.5e-3}`, `{"a.b":{"é":"x"}}`, `{}`, `[]`, `{"":""}`, `{"url":"\ud800"}`,
	`{"url":"x"} x`, `{"url":"x"`, `{"url" "x"}`, `{"url":"x",}`, `[1,]`, `[1 2]`, `{"url":"a` + "\x01" + `b"}`, `{"url":"\x"}`, `{"url":"\u12g4"}`,
	`{"url":tru}`, `{"url":01}`, `{"url":-}`, `{"url":1.}`, `{"url":1e}`, `{"url":.5}`, `{url:1}`, ``, ` `, `{`, `[`, `"`, `"\`, `"\u`, "{\"url\":\"\xff\"}", "\xef\xbb\xbf{}",
	`{"long name of a member":"a long value of a member with \n in it and more","url":"http://example.com/a/b/c/d/e/f?q=1"}`, `{"url":"/\\u0041"}`, `{"a\\b":1}`,
	strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth), strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1),
}

var paths = []string{"url", "a.b[1].c", "[0]", "[2][0]", "$", `"a.b".é`, `a['b']`, `''`, `"a\\b"`}

func TestFind(t *testing.T) {
	for _, text := range texts {
		for _, path := range paths {
			compare(t, mustParse(t, path), []byte(text))
		}
	}
}

func FuzzFind(f *testing.F) {
	for i, text := range texts {
		if len(text) < 200 {
			f.Add(paths[i%len(paths)], []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, path string, text []byte) {
		p, err := Parse(path)
		if err != nil || !utf8.Valid(text) || bytes.Contains(bytes.ToLower(text), []byte(`\ud`)) && strings.ContainsRune(path, utf8.RuneError) {
			return // the results may differ: RFC 8259 section 8.1
		}
		compare(t, p, text)
	})
}

func TestOffsets(t *testing.T) {
	for _, row := range []struct {
		text   string
		offset int
		want   string
	}{
		{`{"url":"x",}`, 11, "missing name in quotes"},
		{`{"url"}`, 6, `missing ":"`},
		{`{"url":"a` + "\n" + `"}`, 9, "control character"},
		{`{"url":`, 7, "unexpected end of the text"},
		{`{"url":1}}`, 9, "text after the value"},
		{`{"url":"\q"}`, 9, "unknown escape"},
	} {
		_, _, err := mustParse(t, "url").Find([]byte(row.text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != row.offset || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want %q at %d", row.text, err, row.want, row.offset)
		}
	}
}

func TestParsePath(t *testing.T) {
	for text, want := range map[string][]step{
		"url":         {{"url", -1}},
		"$":           nil,
		"$.a":         {{"a", -1}},
		".a.b":        {{"a", -1}, {"b", -1}},
		"a[0][12].b":  {{"a", -1}, {"", 0}, {"", 12}, {"b", -1}},
		"[3]":         {{"", 3}},
		"$[3]":        {{"", 3}},
		`"a.b".c`:     {{"a.b", -1}, {"c", -1}},
		`a."\u0062]"`: {{"a", -1}, {"b]", -1}},
		`a["x y"].b`:  {{"a", -1}, {"x y", -1}, {"b", -1}},
		`['it"s']`:    {{`it"s`, -1}},
		"$schema":     {{"$schema", -1}},
		"WARC-Type":   {{"WARC-Type", -1}},
	} {
		if p, err := Parse(text); err != nil || !slices.Equal(p.steps, want) || p.String() != text {
			t.Errorf("%s: %v, %v", text, p.steps, err)
		}
	}
	for text, want := range map[string]string{
		"":       "the path is empty",
		"a..b":   "byte 2 of the path: a name is missing",
		"a.":     "byte 2 of the path: a name is missing",
		"a[*]":   "byte 1 of the path: invalid index: write one index",
		"a[-1]":  "byte 1 of the path: invalid index",
		"a[1":    "byte 1 of the path: invalid index",
		"*":      "byte 0 of the path: a name is missing",
		`"a`:     "byte 0 of the path: unexpected end of the text",
		`a"b"`:   `byte 1 of the path: missing "." or "["`,
		"['a'":   `byte 4 of the path: missing "]"`,
		"'a":     "byte 0 of the path: the quoted name is not closed",
		"a[0]b":  `byte 4 of the path: missing "." or "["`,
		"a\xff":  "byte 0 of the path: invalid UTF-8",
		"a b":    `byte 1 of the path: missing "." or "["`,
		`"\q".a`: "byte 0 of the path: unknown escape",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestElements(t *testing.T) {
	for text, want := range map[string]string{
		` [ 1 , "a,]" , [2] ] `: `1|"a,]"|[2]`,
		`[]`:                    "",
		`{"a":1}`:               "",
		`[1,`:                   "1",
		`[1 2]`:                 "1",
	} {
		var got []string
		for start, end := range Elements([]byte(text)) {
			got = append(got, text[start:end])
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// BenchmarkFind measures finding the last of 20 members.
func BenchmarkFind(b *testing.B) {
	text := []byte(`{"timestamp":"2026-01-02T03:04:05Z","status":"200","mime":"text/html","mime-detected":"text/html","digest":"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567","length":"12345","offset":"123456789","filename":"crawl-data/CC-MAIN-2026-01/segments/1700000000000.00/warc/CC-MAIN-20260102030405-20260102060405-00000.warc.gz","languages":"eng","encoding":"UTF-8","title":"A page with a title of some length","ok":true,"count":12,"tags":["a","b","c"],"inner":{"x":1,"y":[1,2,3]},"url":"https://www.example.com/some/path/to/a/page.html?query=value"}`)
	path := mustParse(b, "url")
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := path.Find(text); err != nil {
			b.Fatal(err)
		}
	}
}
