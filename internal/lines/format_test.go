package lines

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// record writes a record of a web archive.
func record(typ, target, contentType, block string) string {
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", typ, target, contentType, len(block), block)
}

func described(typ string) string {
	return `{"Container":{},"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"` + typ + `"}}}`
}

var archive = []string{
	record("warcinfo", "x.warc", "application/warc-fields", "software: x\r\n"),
	record("request", "http://h.example/", "application/http", "GET / HTTP/1.1\r\n\r\n"),
	record("response", "<http://h.example/>", "application/http", "HTTP/1.1 200 OK\r\n\r\nWARC/1.0"),
	record("revisit", "http://h.example/again", "application/http", ""),
	record("resource", "gopher://g.example/0a", "text/plain", "text\n"),
	record("conversion", "http://h.example/converted", "text/plain", "text"),
	record("metadata", "http://h.example/", "application/warc-fields", "via: http://v.example/\r\n"),
	record("metadata", "http://h.example/wat", "application/json", described("response")),
	record("metadata", "http://h.example/wat", "application/json", described("request")),
	record("metadata", "http://h.example/odd", "application/json", "{"),
}

const archiveLines = `3 http://h.example/
4 http://h.example/again
5 gopher://g.example/0a
6 http://h.example/converted
8 http://h.example/wat
10 http://h.example/odd
`

// targetsOf writes the lines that are not empty, after their numbers.
func targetsOf(t testing.TB, o *Options, name string) string {
	t.Helper()
	var out strings.Builder
	for b := range Blocks(t.Context(), []string{name}, o) {
		if b.Err != nil {
			fmt.Fprintf(&out, "! %v\n", b.Err)
		}
		if b.Finder != nil {
			t.Errorf("the lines of an archive have a Finder")
		}
		number := b.Line
		for line := range strings.Lines(string(b.Text)) {
			if line != "\n" {
				fmt.Fprintf(&out, "%d %s", number, line)
			}
			number++
		}
		b.Release()
	}
	return out.String()
}

func TestTargetsOfArchive(t *testing.T) {
	whole := strings.Join(archive, "")
	for name, file := range map[string]string{"plain": whole, "members": zip(t, archive...), "twice": zip(t, zip(t, whole))} {
		for kind, in := range map[string]io.Reader{"whole": strings.NewReader(file), "octets": iotest.OneByteReader(strings.NewReader(file))} {
			if got := targetsOf(t, &Options{Stdin: in}, "-"); got != archiveLines {
				t.Errorf("%s, %s: %s", name, kind, got)
			}
		}
		if got := targetsOf(t, nil, write(t, "x.warc", file)); got != archiveLines {
			t.Errorf("%s, file: %s", name, got)
		}
	}
	arc := "filedesc://x.arc 0.0.0.0 20260102030405 text/plain 4\n1 0\n\nhttp://h.example/ 1.2.3.4 20260102030405 text/html 3\nabc\n"
	if got, want := targetsOf(t, nil, write(t, "x.arc", arc)), "2 http://h.example/\n"; got != want {
		t.Errorf("ARC: %s", got)
	}
}

// A truncated archive yields its records, and an error that names the truncated record.
func TestArchiveCut(t *testing.T) {
	whole := strings.Join(archive[:3], "")
	file := write(t, "x.warc", whole[:len(whole)-6])
	want := fmt.Sprintf("3 http://h.example/\n! %q: after record 3: the file is cut: unexpected EOF: the record at offset %d is truncated\n", file, len(archive[0])+len(archive[1]))
	if got := targetsOf(t, nil, file); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	packed := zip(t, archive[:3]...)
	file = write(t, "x.warc.gz", packed[:len(packed)-20])
	if got := targetsOf(t, nil, file); !strings.HasPrefix(got, "3 http://h.example/\n! ") || !strings.Contains(got, "after record 3, near byte") {
		t.Error(got)
	}
}

// A chosen format must override the detected format.
func TestChosenFormat(t *testing.T) {
	line := `com,example)/ 20260102030405 http://h.example/ x` + "\n"
	for _, row := range []struct {
		o    Options
		text string
		want string
	}{
		{Options{}, line, "http://h.example/"},
		{Options{Format: Text}, line, strings.TrimSuffix(line, "\n")},
		{Options{Format: CDX}, "k 2026 http://h.example/ x\n", "http://h.example/"},
		{Options{Format: CDXJ}, "k 2026 {\"url\":\"http://h.example/\"}\n", "http://h.example/"},
		{Options{Finder: mustField(t, 4, " ")}, line, "x"},
		{Options{Format: Text}, archive[2], "WARC/1.1"},
		{Options{Format: WARC}, archive[2], "http://h.example/"},
		{Options{}, "\uFEFF CDX a b\nhttp://h.example/ 2026\n", "http://h.example/"},
		{Options{Format: WARC}, "http://h.example/\n", `! standard input: warc: not a record of a WARC or ARC file: offset 0`},
		{Options{}, " CDX b m\n2026 x\n", `! standard input: the header of this CDX file has no field "a" (the URL)`},
		{Options{Format: CDX}, "", ""},
	} {
		o := row.o
		o.Stdin = strings.NewReader(row.text)
		got := ""
		for b := range Blocks(t.Context(), []string{"-"}, &o) {
			if b.Err != nil {
				got = "! " + b.Err.Error()
			}
			for line := range strings.Lines(string(b.Text)) {
				line = strings.TrimRight(line, "\r\n")
				start, end, err := b.Finder.Find([]byte(line))
				if err == nil && got == "" {
					url, err := b.Finder.Decode(new([]byte), []byte(line[start:end]))
					if err != nil {
						t.Error(err)
					}
					got = string(url)
				}
			}
		}
		if got != row.want {
			t.Errorf("%q: %s, want %s", row.text, got, row.want)
		}
	}
}

// FuzzTargets reads any file as an archive. Each record must give one line.
func FuzzTargets(f *testing.F) {
	f.Add([]byte(strings.Join(archive, "")))
	f.Add([]byte(zip(f, archive[7:]...)))
	f.Add([]byte("http://h.example/ 1.2.3.4 20260102030405 text/html 3\nabc\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		number := int64(1)
		for b := range Blocks(t.Context(), []string{"-"}, &Options{Stdin: strings.NewReader(string(file)), Format: WARC}) {
			if b.Line != number {
				t.Fatalf("record %d after %d", b.Line, number)
			}
			number += int64(strings.Count(string(b.Text), "\n"))
			if b.Cut > 0 {
				number++
			}
			if len(b.Text) > 0 && b.Cut == 0 && b.Text[len(b.Text)-1] != '\n' {
				t.Fatalf("%q has no end", b.Text)
			}
			b.Release()
		}
	})
}
