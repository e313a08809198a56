package warc_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/locus-url/locus/warc"
)

// record returns a record in the format of ISO 28500 section 4.
func record(typ, target, contentType, block string) string {
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", typ, target, contentType, len(block), block)
}

// zip compresses each text as a gzip member.
func zip(t testing.TB, texts ...string) string {
	t.Helper()
	var b bytes.Buffer
	for _, text := range texts {
		w := gzip.NewWriter(&b)
		_, err := io.WriteString(w, text)
		if err = errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// describeRecords writes a line for each record: version, type, target, block. The last line
// is the error, unless it is io.EOF.
func describeRecords(r io.Reader) string {
	var lines []string
	for in := warc.NewReader(r); ; {
		rec, err := in.Next()
		if err != nil {
			if err != io.EOF {
				lines = append(lines, "! "+err.Error())
			}
			return strings.Join(lines, "\n")
		}
		text, err := io.ReadAll(rec)
		line := fmt.Sprintf("%s %s %s %q", rec.Version, rec.Type, rec.Target(), text)
		if err != nil {
			line += " ! " + err.Error()
		}
		lines = append(lines, line)
	}
}

var (
	info = record("warcinfo", "", "application/warc-fields", "software: x\r\n")
	page = record("response", "http://h.example/", "application/http;msgtype=response", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=b>")
	text = record("resource", "gopher://h.example/0a", "text/plain", "one\ntwo")
)

const pageLine = `WARC/1.1 response http://h.example/ "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=b>"`

func TestRecords(t *testing.T) {
	all := "WARC/1.1 warcinfo  \"software: x\\r\\n\"\n" + pageLine + "\nWARC/1.1 resource gopher://h.example/0a \"one\\ntwo\""
	for name, file := range map[string]string{
		"plain":          info + page + text,
		"members":        zip(t, info, page, text),
		"one member":     zip(t, info+page+text),
		"plain LF":       info + page + strings.ReplaceAll(text, "\r\n", "\n"),
		"no blank lines": strings.TrimSuffix(info, "\r\n\r\n") + strings.TrimSuffix(page, "\r\n\r\n") + strings.TrimSuffix(text, "\r\n\r\n"),
		"more blanks":    "\r\n\n" + info + "\n\n\r\n" + page + "\r\n\r\n\r\n" + text + "\r\n",
		"length too low": info + strings.Replace(page, "href=b>", "href=b>\nrubbish\nand more", 1) + text,
		"empty members":  zip(t, "", info, "", page, text, ""),
	} {
		if got := describeRecords(strings.NewReader(file)); got != all {
			t.Errorf("%s: %s", name, got)
		}
		if got := describeRecords(iotest.OneByteReader(strings.NewReader(file))); got != all {
			t.Errorf("%s, octet by octet: %s", name, got)
		}
	}
}

// A record's offset is the offset of its gzip member, from which the record can be read again.
func TestOffset(t *testing.T) {
	for _, file := range []string{zip(t, info, page, text), info + page + text} {
		var offsets []int64
		in := warc.NewReader(strings.NewReader(file))
		for {
			rec, err := in.Next()
			if err != nil {
				break
			}
			offsets = append(offsets, rec.Offset)
		}
		if len(offsets) != 3 {
			t.Fatal(offsets)
		}
		got := describeRecords(strings.NewReader(file[offsets[1]:offsets[2]]))
		if got != pageLine {
			t.Errorf("%v: %s", offsets, got)
		}
	}
}

func TestFields(t *testing.T) {
	const file = "WARC/1.0\r\nwarc-type: Response\r\nWARC-Target-URI: <http://h/>\r\nX-Long: a\r\n  b\r\n\tc\r\nnonsense\r\nWARC-Date: 2026-01-02T03:04:05.25Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
	rec, err := warc.NewReader(strings.NewReader(file)).Next()
	if err != nil {
		t.Fatal(err)
	}
	if rec.Type != "response" || rec.Target() != "http://h/" || rec.Get("x-long") != "a b c" || rec.Date().Nanosecond() != 250_000_000 || rec.Get("none") != "" || rec.Length != 0 {
		t.Errorf("%+v", rec)
	}
}

// The test uses ARC files of versions 1 and 2, as the Internet Archive wrote them.
func TestARC(t *testing.T) {
	const file = "filedesc://x.arc 0.0.0.0 19960923142103 text/plain 76\n1 0 Alexa Internet\nURL IP-address Archive-date Content-type Archive-length\n\n" +
		"http://www.dryswamp.edu:80/index.html 127.10.100.2 19961104142103 text/html 27\nHTTP/1.0 200 OK\n\n<a href=b>\n" +
		"gopher://h:70/0a 127.0.0.1 19961104142104 text/plain 200 abc - 0 x.arc 3\nabc\n"
	want := `ARC/1 warcinfo filedesc://x.arc "1 0 Alexa Internet\nURL IP-address Archive-date Content-type Archive-length\n\n"` +
		"\n" + `ARC/1 response http://www.dryswamp.edu:80/index.html "HTTP/1.0 200 OK\n\n<a href=b>"` +
		"\n" + `ARC/1 resource gopher://h:70/0a "abc"`
	if got := describeRecords(strings.NewReader(file)); got != want {
		t.Error(got)
	}
	parts := strings.SplitAfter(file, "\n\n")
	if got := describeRecords(strings.NewReader(zip(t, parts[0], strings.Join(parts[1:], "")))); got != want {
		t.Error(got)
	}
	in := warc.NewReader(strings.NewReader(file))
	for range 2 {
		if rec, err := in.Next(); err != nil || rec.Date().Year() != 1996 {
			t.Errorf("%+v, %v", rec, err)
		}
	}
}

// A damaged record causes an error. The records before the damaged record are read.
func TestDamaged(t *testing.T) {
	for name, test := range map[string][2]string{
		"nothing":       {"", ""},
		"text":          {"Hello", "! EOF"},
		"text line":     {"Hello\n", "! warc: not a record of a WARC or ARC file: offset 0"},
		"zeros":         {strings.Repeat("\x00", 100_000), "! warc: not a record of a WARC or ARC file: offset 0"},
		"header cut":    {page[:60], "! unexpected EOF: the header at offset 0 is truncated"},
		"block cut":     {strings.TrimSuffix(text, "two\r\n\r\n"), `WARC/1.1 resource gopher://h.example/0a "one\n" ! unexpected EOF` + "\n! unexpected EOF: the record at offset 0 is truncated"},
		"gzip cut":      {zip(t, text)[:150], "! warc: offset 0: unexpected EOF"},
		"rubbish after": {zip(t, text) + "rubbish", `WARC/1.1 resource gopher://h.example/0a "one\ntwo"` + "\n! warc: not a record of a WARC or ARC file: offset"},
		"no length":     {"WARC/1.0\r\nWARC-Type: resource\r\n\r\nall of it", `WARC/1.0 resource  "all of it"`},
		"long line":     {"WARC/1.0\r\nX: " + strings.Repeat("a", 100_000) + "\r\n\r\n", "! warc: not a record"},
		"long header":   {"WARC/1.0\r\n" + strings.Repeat("X: "+strings.Repeat("a", 1000)+"\r\n", 2000) + "\r\n", "! warc: header too long: offset 0"},
		"huge length":   {"WARC/1.0\r\nContent-Length: 9999999999999999999999\r\n\r\nabc", `WARC/1.0   "abc"`},
		"endless gap":   {text + strings.Repeat("\r\n", 1<<20), `WARC/1.1 resource gopher://h.example/0a "one\ntwo"` + "\n! warc: not a record of a WARC or ARC file"},
	} {
		got := describeRecords(strings.NewReader(test[0]))
		if got != test[1] && (test[1] == "" || !strings.HasPrefix(got, strings.TrimSuffix(test[1], "! EOF"))) {
			t.Errorf("%s: %s, want %s", name, got, test[1])
		}
	}
	// Later calls return the same error.
	in := warc.NewReader(strings.NewReader("Hello\n"))
	for range 2 {
		if _, err := in.Next(); !errors.Is(err, warc.ErrFormat) {
			t.Error(err)
		}
	}
}

func payload(t *testing.T, file string) string {
	t.Helper()
	rec, err := warc.NewReader(strings.NewReader(file)).Next()
	if err != nil {
		t.Fatal(err)
	}
	p, ok := rec.Payload()
	if !ok {
		return "none"
	}
	text, err := io.ReadAll(p)
	return fmt.Sprintf("%d %s %s %q %v", p.Status, p.Type, p.Encoding, text, err)
}

func TestPayload(t *testing.T) {
	response := func(head, body string) string {
		return record("response", "http://h/", "application/http", "HTTP/1.1 200 OK\r\n"+head+"\r\n"+body)
	}
	for file, want := range map[string]string{
		page: `200 text/html  "<a href=b>" <nil>`,
		text: `0 text/plain  "one\ntwo" <nil>`,
		info: "none",
		response("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"):        `200   "abcde" <nil>`,
		response("Transfer-Encoding: chunked\r\n", "no chunks"):                                   `200   "no chunks" <nil>`,
		response("Transfer-Encoding: chunked\r\n", ""):                                            `200   "" <nil>`,
		response("Content-Length: 99\r\n", "shorter"):                                             `200   "shorter" <nil>`,
		response("Content-Encoding: GZIP\r\nContent-Encoding: br\r\n", "x"):                       `200  gzip, br "x" <nil>`,
		record("response", "http://h/", "application/http", "no HTTP"):                            "none",
		record("response", "http://h/", "x", "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("a", 2<<20)): "none",
	} {
		if got := payload(t, file); got != want {
			t.Errorf("%.200q: %.200s, want %s", file, got, want)
		}
	}
}

// The reader reads compressed and uncompressed archives that wget wrote.
func TestWget(t *testing.T) {
	wget, err := exec.LookPath("wget")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path != "/" {
			_, _ = io.WriteString(w, strings.Repeat("page ", 10_000))
			return
		}
		w.(http.Flusher).Flush() // makes the response chunked
		_, _ = io.WriteString(w, `<a href="/a">a</a><a href="/b">b</a>`)
	}))
	defer server.Close()
	for _, flag := range []string{"--warc-compression", "--no-warc-compression"} {
		dir := t.TempDir()
		cmd := exec.CommandContext(t.Context(), wget, "-q", "-r", "--no-proxy", "--warc-file=x", flag, server.URL+"/")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		names, err := filepath.Glob(filepath.Join(dir, "x.warc*"))
		if err != nil || len(names) != 1 {
			t.Fatal(names, err)
		}
		f, err := os.Open(names[0])
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		types := map[string]int{}
		pages := map[string]int{}
		in := warc.NewReader(f)
		for {
			rec, err := in.Next()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			types[rec.Type]++
			if p, ok := rec.Payload(); ok && rec.Type == "response" {
				text, err := io.ReadAll(p)
				if err != nil {
					t.Error(err)
				}
				pages[strings.TrimPrefix(rec.Target(), server.URL)] = len(text)
			}
		}
		// The archive also contains a page for robots.txt.
		if types["warcinfo"] != 1 || types["request"] != 4 || types["response"] != 4 || pages["/"] != 36 || pages["/a"] != 50_000 || pages["/b"] != 50_000 {
			t.Errorf("%s: %v %v", flag, types, pages)
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{info + page + text, zip(f, info, page), "http://h/ 1.2.3.4 20260102030405 text/html 3\nabc\n", "WARC/1.0\r\nContent-Length: 5\r\n\r\nab"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		in := warc.NewReader(bytes.NewReader(file))
		last := int64(-1)
		for {
			rec, err := in.Next()
			if err != nil {
				return
			}
			if rec.Offset < last || rec.Offset > int64(len(file)) || rec.Version == "" {
				t.Fatalf("%+v after %d", rec, last)
			}
			last = rec.Offset
			if p, ok := rec.Payload(); ok {
				_, _ = io.CopyN(io.Discard, p, 1<<20)
			}
		}
	})
}

func ExampleReader() {
	file := strings.NewReader("WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: gopher://h.example/0a\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n")
	in := warc.NewReader(file)
	for {
		record, err := in.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			panic(err)
		}
		if p, ok := record.Payload(); ok {
			text, _ := io.ReadAll(p)
			fmt.Printf("%s %s %s\n", record.Target(), p.Type, text)
		}
	}
	// Output: gopher://h.example/0a text/plain abc
}
