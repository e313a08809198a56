package locus_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

// eachLine calls f with each line of a file of testdata, split at tabs. It skips lines that
// are empty or begin with "#".
func eachLine(t *testing.T, name string, f func(t *testing.T, fields []string)) {
	t.Helper()
	file, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	n := 0
	for line := 1; scanner.Scan(); line++ {
		if text := scanner.Text(); text != "" && text[0] != '#' {
			n++
			f(t, strings.Split(text, "\t"))
			if t.Failed() {
				t.Fatalf("at %s:%d", name, line)
			}
		}
	}
	if n == 0 || scanner.Err() != nil {
		t.Errorf("%s: %d lines, %v", name, n, scanner.Err())
	}
}

// The examples of the standards must parse, or be rejected at the given offset.
// Package scheme/all tests the results of the schemes.
func TestExamples(t *testing.T) {
	for _, name := range []string{"rfc1738-2.txt", "rfc1738-3.1.txt", "uri-draft.txt", "field.txt"} {
		eachLine(t, name, func(t *testing.T, fields []string) {
			if len(fields) < 3 {
				t.Fatalf("%q", fields)
			}
			text, verdict := fields[1], strings.Fields(fields[2])
			checkParse(t, text)
			_, err := locus.Parse(text)
			var e *locus.SyntaxError
			if refused := verdict[0] == "refused"; refused != errors.As(err, &e) {
				t.Errorf("Parse(%q): %v; want %s", text, err, verdict)
			} else if refused && (len(verdict) != 3 || e.Part != verdict[1] || json.Number(verdict[2]) != number(e.Offset)) {
				t.Errorf("Parse(%q): %v; want %s", text, err, verdict)
			}
		})
	}
}

func number(n int) json.Number {
	b, _ := json.Marshal(n)
	return json.Number(b)
}

// The examples of RFC 1738's appendix, with its line breaks.
func TestAppendix(t *testing.T) {
	eachLine(t, "rfc1738-appendix.txt", func(t *testing.T, fields []string) {
		text := strings.ReplaceAll(fields[0], `\n`, "\n")
		u, err := locus.ParseWrapped(text)
		if err != nil || u.String() != fields[1] {
			t.Errorf("ParseWrapped(%q) = %q, %v; want %q", text, u, err, fields[1])
		}
	})
}

func TestParseWrapped(t *testing.T) {
	for text, want := range map[string]string{
		"http://h/":                    "http://h/",
		" \t\r\nhttp://h/\n\f ":        "http://h/",
		"URL:http://h/":                "http://h/",
		"url:http://h/":                "http://h/",
		"<http://h/>":                  "http://h/",
		"<uRl:http://h/>":              "http://h/",
		"< URL: http://h/ >":           "http://h/",
		"<URL:h\nt\tt p : / / h / a >": "http://h/a",
		"<URL:ftp://u@h/a-\n b>":       "ftp://u@h/a-b",
		"<URL:http://h/\xff \x80>":     "http://h/\xff\x80",
		"<URL:URL:x>":                  "URL:x",
		"<http://h/>b>":                "http://h/>b",
		"URL:x y:z":                    "",
		"<URL:http://h/":               "",
		"http://h/ a":                  "",
		"<>":                           "",
		"<":                            "",
		"":                             "",
		"URL:":                         "",
		"<URL:>":                       "",
	} {
		u, err := locus.ParseWrapped(text)
		if (err == nil) != (want != "") || u.String() != want {
			t.Errorf("ParseWrapped(%q) = %q, %v; want %q", text, u, err, want)
		}
	}
}

// Offsets must count white space and the wrapper.
func TestParseWrappedOffsets(t *testing.T) {
	for text, at := range map[string]string{
		"<URL:http://h/%zz>":         "%zz",
		" <URL:http://h/ a\n b%zz >": "%zz",
		"<URL: http://h/\n%\nzz>":    "%\nzz",
		"URL:http://h:8o/":           "o/",
		"\n http://h/a b":            " b",
		"<URL:http://h/a\x00>":       "\x00",
		"<URL:http://h:\n6\n6666/>":  "6\n6666",
		"< x_y:z>":                   "_y",
		"<URL:http://h/%>":           "%>",
	} {
		_, err := locus.ParseWrapped(text)
		var e *locus.SyntaxError
		if !errors.As(err, &e) || e.Offset != strings.Index(text, at) || e.Input != locus.Mask(text) || len(e.Input) != len(text) {
			t.Errorf("ParseWrapped(%q): %v; want octet %d", text, err, strings.Index(text, at))
		}
	}
}

func FuzzParseWrapped(f *testing.F) {
	f.Add("<URL:ftp://ds.in\nternic.net/rfc>")
	f.Add(" < url: x : y > ")
	f.Add("<URL:\nhttp://h/%z z>")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := locus.ParseWrapped(text)
		if e, ok := err.(*locus.SyntaxError); ok {
			if e.Offset < 0 || e.Offset > len(text) || len(e.Input) != len(text) {
				t.Fatalf("%q: octet %d in %q", text, e.Offset, e.Input)
			}
			return
		}
		if v, err := locus.Parse(u.String()); v != u || err != nil {
			t.Fatalf("%q: %q, %v", text, v, err)
		}
		if v, err := locus.ParseWrapped("<URL:" + u.String() + ">"); v != u || err != nil {
			t.Fatalf("%q in the wrapper: %q, %v", u, v, err)
		}
	})
}

func TestMarshal(t *testing.T) {
	type document struct {
		Link locus.URL         `json:"link"`
		Map  map[locus.URL]int `json:"map,omitempty"`
	}
	const text = `http://h/a&b=<c>?"é#f`
	in := document{Link: locus.MustParse(text), Map: map[locus.URL]int{locus.MustParse("x:y"): 1}}
	b, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out document
	if err := json.Unmarshal(b, &out); err != nil || out.Link != in.Link || out.Map[locus.MustParse("x:y")] != 1 {
		t.Errorf("%s: %+v, %v", b, out, err)
	}
	if err := json.Unmarshal([]byte(`{"link": "http://h/ x"}`), &out); !errors.Is(err, locus.ErrControl) || out.Link != in.Link {
		t.Errorf("%v, and the value is %q", err, out.Link)
	}
	if err := json.Unmarshal([]byte(`{"link": ""}`), &out); err != nil || !out.Link.IsZero() {
		t.Errorf("an empty text gives %q, %v", out.Link, err)
	}
	if b, err := json.Marshal(document{}); err != nil || string(b) != `{"link":""}` {
		t.Errorf("the zero URL is %s, %v", b, err)
	}
	u := locus.MustParse(text)
	got, err := u.AppendText([]byte("x"))
	if err != nil || string(got) != "x"+text {
		t.Errorf("AppendText: %q, %v", got, err)
	}
	own, _ := u.MarshalText()
	if !bytes.Equal(own, []byte(text)) {
		t.Errorf("MarshalText: %q", own)
	}
	clear(own)
	if u.String() != text {
		t.Error("the text can be changed from outside")
	}
}

func TestProfiles(t *testing.T) {
	for _, p := range []locus.Profile{locus.RFC1738, locus.RFC1630, locus.RFC3986, locus.WHATWG} {
		if q, err := locus.ParseProfile(p.String()); q != p || err != nil {
			t.Errorf("%v: %v, %v", p, q, err)
		}
	}
	if _, err := locus.ParseProfile("rfc2396"); err == nil || !strings.Contains(err.Error(), "rfc3986") {
		t.Errorf("rfc2396: %v", err)
	}
}

func TestViolations(t *testing.T) {
	v := locus.Violation{Rule: "unsafe-character", Section: "RFC 1738 2.2", Offset: 9, Text: "\x1b", Help: "write %1B"}
	if got, want := v.String(), `offset 9: "\x1b" (unsafe-character, RFC 1738 2.2): write %1B`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	note, impossible := locus.Violation{Kind: locus.Note}, locus.Violation{Kind: locus.Impossible}
	if !locus.Conforms(nil) || !locus.Conforms([]locus.Violation{note}) || locus.Conforms([]locus.Violation{note, v}) || locus.Conforms([]locus.Violation{impossible}) {
		t.Error("only notes conform")
	}
	if got := []string{v.Kind.String(), impossible.Kind.String(), note.Kind.String()}; strings.Join(got, " ") != "violation impossible note" {
		t.Errorf("%s", got)
	}
}

func TestChanges(t *testing.T) {
	all := locus.Change(1<<32 - 1).Texts()
	seen := map[string]bool{}
	for _, text := range all {
		seen[text] = true
	}
	if len(all) != 16 || len(seen) != 16 || seen[""] {
		t.Errorf("%d changes, %d texts", len(all), len(seen))
	}
	if got := (locus.SchemeCase | locus.VoidFragment).String(); got != "the scheme's name is written in lower case; an empty fragment means the whole object" {
		t.Errorf("%s", got)
	}
	if locus.Change(0).String() != "" {
		t.Error("no change has a text")
	}
	if locus.HostAddress.String() != all[len(all)-1] {
		t.Error("the last change has not the last text")
	}
}
