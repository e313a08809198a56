package document_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/locus-url/locus/document"
)

// text contains URLs in all three forms. On its third line, a column is not the same as a byte.
const text = "The first is http://h.example/a, then <URL:ftp://h.exa\n  mple/b>;\r\n\tn\u00F6 more: gopher://h.example/1/c.\n"

// inText lists the links in text.
const inText = "1:14 http://h.example/a, 1:44 ftp://h.example/b, 3:11 gopher://h.example/1/c"

func gz(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zst(t testing.TB, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return string(w.EncodeAll([]byte(text), nil))
}

// tarred returns a tar archive. The items are names and texts alternately.
func tarred(t testing.TB, items ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(items); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: items[i], Mode: 0o644, Size: int64(len(items[i+1])), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, items[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zipped(t testing.TB, items ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(items); i += 2 {
		f, err := w.Create(items[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, items[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func file(t testing.TB, name string) string {
	t.Helper()
	octets, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(octets)
}

// utf16 returns s in UTF-16 with a byte order mark.
func utf16(s string, little bool) string {
	b := []byte{0xFE, 0xFF}
	for _, r := range s {
		b = append(b, byte(r>>8), byte(r))
	}
	if little {
		for i := 0; i < len(b); i += 2 {
			b[i], b[i+1] = b[i+1], b[i]
		}
	}
	return string(b)
}

// octetOf matches an offset in an error, which depends on the reader.
var octetOf = regexp.MustCompile(`byte \d+`)

// format formats a link or an error as one line.
func format(l document.Link, err error) string {
	if err != nil {
		return "(" + octetOf.ReplaceAllString(err.Error(), "byte N") + ")"
	}
	s := fmt.Sprintf("%d:%d %s", l.Line, l.Column, l.URL.String()+l.Ref)
	if l.Member != "" {
		s = l.Member + " " + s
	}
	return s
}

// links returns the links of a document.
func links(r io.Reader, name string, o *document.Options) string {
	var list []string
	for l, err := range document.Links(r, name, o) {
		list = append(list, format(l, err))
	}
	return strings.Join(list, ", ")
}

const message = "From: a@h.example\r\nDate: Sat, 3 Jan 1996 01:05:34 +0000\r\nList-Archive: <http://h.example/list>\r\n" +
	"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" +
	"--b\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" +
	"n=C3=B6 http://h.example/=\r\none\r\n" +
	"--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
	"PGEgaHJlZj0idHdvLmh0bWwiPnR3bzwvYT4KPHA+aHR0cDovL2guZXhhbXBsZS90aHJlZTwvcD4K\r\n" +
	"--b\r\nContent-Type: application/octet-stream; name=x.png\r\n\r\n\x89PNG\x00http://h.example/no\r\n" +
	"--b\r\nContent-Type: message/rfc822\r\n\r\nFrom: b\r\nSubject: http://h.example/s\r\n\r\nhttp://h.example/four\r\n--b--\r\n"

const inMessage = "header 3:16 http://h.example/list, 1 1:4 http://h.example/one, 2 1:10 two.html, 2 2:4 http://h.example/three, " +
	"(d: 3: binary file), 4/header 2:10 http://h.example/s, 4.1 1:1 http://h.example/four"

func TestLinks(t *testing.T) {
	for _, row := range []struct {
		name, text, want string
	}{
		{"links.txt", text, inText},
		{"links", text, inText},
		{"", text, inText},
		{"a.go", "// See http://h.example/a.\n", "1:8 http://h.example/a"},
		{"rfc.txt", "<URL:http://h.example/a\n\n\nMasinter    [Page 9]\n\f\nRFC 1738   URL   December 1994\n\n   /b>", "1:6 http://h.example/a/b"},
		{"empty", "", ""},

		{"links.txt.gz", gz(t, text), inText},
		{"links", gz(t, text), inText},
		{"two.gz", gz(t, "http://h.example/a ") + gz(t, "http://h.example/b\n"), "1:1 http://h.example/a, 1:20 http://h.example/b"},
		{"links.txt.bz2", file(t, "links.txt.bz2"), inText},
		{"links.txt.xz", file(t, "links.txt.xz"), inText},
		{"links.txt.zst", file(t, "links.txt.zst"), inText},
		{"links.txt.Z", file(t, "links.txt.Z"), inText},
		{"links.gz.zst", zst(t, gz(t, text)), inText},
		{"page.html.gz", gz(t, "<a href=b>"), "1:9 b"},
		{"page", gz(t, "<!DOCTYPE html>\n<a href=b>"), "2:9 b"},

		{"page.html", "<base href='http://h.example/'>\n<a href='b'>c</a> http://h.example/d", "1:13 http://h.example/, 2:10 b, 2:19 http://h.example/d"},
		{"page", "\uFEFF\n<HTML lang=en><img src=a.png>", "2:24 a.png"},
		{"page.xhtml", "<?xml version='1.0'?><html><a href='b'/></html>", "1:37 b"},
		{"drawing.svg", "<svg><a xlink:href='http://h.example/'/></svg>", "1:21 http://h.example/"},
		{"a.css", "/* http://h.example/a */\np { background: url(b.png) }", "1:4 http://h.example/a, 2:21 b.png"},
		{"page.txt", "<!DOCTYPE html><a href=b>", ""}, // the content overrides every name except a name that selects plain text
		{"README.md", "[a](b.md)\n\n`http://h.example/`", "1:5 b.md, 3:2 http://h.example/"},
		{"notes.markdown", "![a](b.png)", "1:6 b.png"},

		{"links.txt", utf16(text, false), inText},
		{"links.txt", utf16(text, true), inText},
		{"page.html", utf16("<a href=b>", true), "1:9 b"},

		{"a.tar", tarred(t, "links.txt", text, "d/p.html", "<a href=b>", "x.png", "\x89PNG\x00 http://h.example/"),
			member("links.txt", inText) + ", d/p.html 1:9 b, (d: x.png: binary file)"},
		{"a.tgz", gz(t, tarred(t, "links.txt", text)), member("links.txt", inText)},
		{"a", gz(t, tarred(t, "links.txt", text)), member("links.txt", inText)},
		{"old.tar", file(t, "old.tar"), member("links.txt", inText)},
		{"a.zip", zipped(t, "links.txt", text, "e/", "", "d/p.html", "<a href=b>"), member("links.txt", inText) + ", d/p.html 1:9 b"},
		{"a.jar", zipped(t, "in.zip", zipped(t, "b.txt.gz", gz(t, "http://h.example/"))), "in.zip/b.txt.gz 1:1 http://h.example/"},
		{"a.tar", tarred(t, "../../etc/passwd", "http://h.example/a", "/b", "http://h.example/b"), "../../etc/passwd 1:1 http://h.example/a, /b 1:1 http://h.example/b"},

		{"a.eml", message, inMessage},
		{"cur/1:2,S", message, inMessage},
		{"a.eml", "no field\nhttp://h.example/\n", "2:1 http://h.example/"},
		{"box.mbox", "From a Sat Jan  3 01:05:34 1996\nFrom: a\nDate: b\n\nhttp://h.example/a\nFrom here on 12:00 1996\n\nFrom there to http://h.example/b\n" +
			"\nFrom b Sat Jan  3 01:05:34 1996\nSubject: x\n\nhttp://h.example/c\n", "1/1 1:1 http://h.example/a, 1/1 4:15 http://h.example/b, 2/1 1:1 http://h.example/c"},
		{"box.mbox", "From a Sat Jan  3 01:05:34 1996\nFrom: a\nContent-Length: 73\n\nhttp://h.example/a\n\nFrom b Sat Jan  3 01:05:34 1996\nA: http://h.example/b\n\nFrom b Sat Jan  3 01:05:34 1996\nB: c\n\nhttp://h.example/c\n",
			"1/1 1:1 http://h.example/a, 1/1 4:4 http://h.example/b, 2/1 1:1 http://h.example/c"}, // the body contains a From_ line
		{"box", "From a Sat Jan  3 01:05:34 1996\nFrom: a\n\nhttp://h.example/a\n", "1/1 1:1 http://h.example/a"},
		{"box.gz", gz(t, "From a Sat Jan  3 01:05:34 1996\nFrom: a\n\nhttp://h.example/a\n"), "1/1 1:1 http://h.example/a"},

		{"a.png", "\x89PNG\x00 http://h.example/", "(d: binary file)"},
		{"a.gz", gz(t, "\x00 http://h.example/"), "(d: binary file)"},
	} {
		var got, placeless []string
		for l, err := range document.Links(strings.NewReader(row.text), row.name, nil) {
			var e *document.Error
			if errors.As(err, &e) {
				e.Name = "d"
			}
			got = append(got, format(l, err))
			l.Line, l.Column = 0, 0
			placeless = append(placeless, fmt.Sprintf("%+v %v", l, err))
		}
		if s := strings.Join(got, ", "); s != row.want {
			t.Errorf("%s %.40q:\n got %s\nwant %s", row.name, row.text, s, row.want)
		}
		got = nil
		for l, err := range document.Links(strings.NewReader(row.text), row.name, &document.Options{NoPosition: true}) {
			var e *document.Error
			if errors.As(err, &e) {
				e.Name = "d"
			}
			got = append(got, fmt.Sprintf("%+v %v", l, err))
		}
		if !slices.Equal(got, placeless) {
			t.Errorf("%s %.40q without positions:\n got %s\nwant %s", row.name, row.text, got, placeless)
		}
	}
}

// For a text that is longer than a window, the links must be the same with NoPosition, which has
// no effect if Context is set.
func TestNoPosition(t *testing.T) {
	long := strings.Repeat(text+strings.Repeat("long ", 2_000), 100)
	for _, o := range []document.Options{{NoPosition: true}, {NoPosition: true, Context: true}} {
		without := slices.Collect(linksOf(t, long, &o))
		o.NoPosition = false
		with := slices.Collect(linksOf(t, long, &o))
		for i := range with {
			if !o.Context {
				with[i].Line, with[i].Column = 0, 0
			}
		}
		if !slices.Equal(without, with) || len(with) == 0 {
			t.Errorf("%+v: %d links, want the %d that there are with positions", o, len(without), len(with))
		}
	}
}

func linksOf(t *testing.T, text string, o *document.Options) iter.Seq[document.Link] {
	return func(yield func(document.Link) bool) {
		for l, err := range document.Links(strings.NewReader(text), "a.txt", o) {
			if err != nil {
				t.Error(err)
			}
			if !yield(l) {
				return
			}
		}
	}
}

// member adds a label before each link in a list.
func member(label, list string) string {
	return label + " " + strings.ReplaceAll(list, ", ", ", "+label+" ")
}

func TestType(t *testing.T) {
	for _, row := range []struct{ name, typ, text, want string }{
		{"a.txt", "text/html", "<a href=b>", "1:9 b text/html"},
		{"a.html", "text/plain", "<a href=b>", ""},
		{"a", "Text/Markdown; charset=utf-8", "[a](b)", "1:5 b text/markdown"},
		{"a", "text/html", gz(t, "<a href=b>"), "1:9 b text/html"},
		{"a", "text/css; charset=utf-8", "x: url(b)", "1:8 b text/css"},
		{"a.css", "text/plain", "x: url(b)", ""},
		{"a", "application/gzip", gz(t, "<html><a href=b>"), "1:15 b text/html"},
		{"a", "application/gzip", "this is none", "(a: gzip: invalid header)"},
		{"a", "text/html", tarred(t, "b.txt", "<a href=b>", "c.png", "\x00<a href=c>"), "b.txt 1:9 b text/html, (a: c.png: binary file)"},
		{"a.png", "text/plain", "\x00 http://h.example/", "1:3 http://h.example/ text/plain"},
		{"a", "message/rfc822", "A: b\n\nhttp://h.example/", "1 1:1 http://h.example/ text/plain"},
		{"a", "application/mbox", "From a\nA: b\n\nhttp://h.example/", "1/1 1:1 http://h.example/ text/plain"},
		{"a", "text/x-rst", "http://h.example/", "1:1 http://h.example/ text/x-rst"},
		{"a.c", "", "http://h.example/", "1:1 http://h.example/ text/x-c"},
		{"a.html.gz", "", gz(t, "<a href=b>"), "1:9 b text/html"},
	} {
		var got []string
		for l, err := range document.Links(strings.NewReader(row.text), row.name, &document.Options{Type: row.typ}) {
			s := format(l, err)
			if err == nil {
				s += " " + l.Type
			}
			got = append(got, s)
		}
		if s := strings.Join(got, ", "); s != row.want {
			t.Errorf("%s as %s: %q, want %q", row.name, row.typ, s, row.want)
		}
	}
}

func TestBinary(t *testing.T) {
	// Only the beginning of the file determines the type.
	late := strings.Repeat("x", 9000) + "\x00 http://h.example/"
	if got := links(strings.NewReader(late), "a", nil); got != "1:9003 http://h.example/" {
		t.Errorf("a late NUL: %q", got)
	}
	for _, err := range document.Links(strings.NewReader("\x00"), "a", nil) {
		if !errors.Is(err, document.ErrBinary) {
			t.Error(err)
		}
	}
}

func TestContext(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a", text, "The first is http://h.example/a, then <URL:ftp://h.exa|The first is http://h.example/a, then <URL:ftp://h.exa|\tn\u00F6 more: gopher://h.example/1/c."},
		{"a.html", "<p>\r\n<a href=b>x</a>\r\n", "<a href=b>x</a>"},
		{"a.gz", gz(t, strings.Repeat("\n", 100_000)+"here http://h.example/\n"), "here http://h.example/"},
	} {
		var got []string
		for l, err := range document.Links(strings.NewReader(row.text), row.name, &document.Options{Context: true}) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, l.Context)
		}
		if s := strings.Join(got, "|"); s != row.want {
			t.Errorf("%s: %q, want %q", row.name, s, row.want)
		}
	}
}

// Offsets, lines and columns must locate the URL, whatever precedes it.
func TestOffsets(t *testing.T) {
	rows := []string{"a", "\u00E9\u4E2D\U0001F600", "\tx", "a\r\nb", "a\rb", "\xFF\xFE", strings.Repeat("long ", 20_000), strings.Repeat("\r\n", 40_000)}
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(row + " http://h.example/x ")
	}
	all := b.String()
	n := 0
	for l, err := range document.Links(strings.NewReader(all), "a", nil) {
		if err != nil {
			t.Fatal(err)
		}
		if all[l.Start:l.End] != "http://h.example/x" {
			t.Errorf("%d to %d is %q", l.Start, l.End, all[l.Start:l.End])
		}
		before := all[:l.Start]
		line := before[strings.LastIndexByte(before, '\n')+1:]
		if want := int64(strings.Count(before, "\n") + 1); l.Line != want {
			t.Errorf("line %d, want %d", l.Line, want)
		}
		if want := int64(len([]rune(line)) + 1); l.Column != want {
			t.Errorf("column %d, want %d", l.Column, want)
		}
		n++
	}
	if n != len(rows) {
		t.Errorf("%d URLs, want %d", n, len(rows))
	}
}

func TestLimits(t *testing.T) {
	nested := text
	for range 5 {
		nested = gz(t, nested)
	}
	two := tarred(t, "a", "http://h.example/a\n", "b", "http://h.example/b\n", "c", "http://h.example/c\n")
	bomb := gz(t, gz(t, "http://h.example/ "+strings.Repeat("a", 50<<20)+" http://h.example/late"))
	page := "<a href=b>" + strings.Repeat(" ", 1000) + "http://h.example/c"
	for _, row := range []struct {
		text, name string
		o          document.Options
		want       string
	}{
		{nested, "a", document.Options{}, inText},
		{nested, "a", document.Options{Depth: 4}, "(a: limit reached: more than 4 nested containers)"},
		{two, "a", document.Options{MaxMembers: 2}, "a 1:1 http://h.example/a, b 1:1 http://h.example/b, (a: limit reached: more than 2 members)"},
		{bomb, "a", document.Options{MaxUnpacked: 1 << 20}, "1:1 http://h.example/, (a: extract: can't read at byte N: limit reached: more than 1048576 bytes unpacked)"},
		{two, "a", document.Options{MaxUnpacked: 20}, "a 1:1 http://h.example/a, (a: b: extract: can't read at byte N: limit reached: more than 20 bytes unpacked)"},
		{page, "a.html", document.Options{MaxBuffered: 100}, "(a.html: limit reached: a marked-up text of more than 100 bytes is read as plain text), 1:1011 http://h.example/c"},
		{gz(t, zipped(t, "a", text)), "a.zip.gz", document.Options{MaxBuffered: 100}, "(a.zip.gz: limit reached: a zip archive of more than 100 bytes must be read from a file)"},
		{message, "a.eml", document.Options{MaxBuffered: 300}, "(a.eml: limit reached: a message of more than 300 bytes must be read from a file; it is read as plain text), 3:16 http://h.example/list, 11:9 http://h.example/=, 21:6 http://h.example/no, 26:10 http://h.example/s, 28:1 http://h.example/four"},
	} {
		// A reader that is not a file.
		if got := links(struct{ io.Reader }{strings.NewReader(row.text)}, row.name, &row.o); got != row.want {
			t.Errorf("%s, %+v:\n got %s\nwant %s", row.name, row.o, got, row.want)
		}
	}
	for _, err := range document.Links(strings.NewReader(nested), "a", &document.Options{Depth: 1}) {
		if !errors.Is(err, document.ErrLimit) {
			t.Error(err)
		}
	}
}

// Links must report damage, and must read the rest.
func TestDamage(t *testing.T) {
	broken := []byte(gz(t, "http://h.example/a\n"+strings.Repeat("b", 1000)))
	broken[len(broken)-6]++
	z := []byte(zipped(t, "a.txt", "http://h.example/a\n", "b.txt", "http://h.example/b\n"))
	i := bytes.Index(z, []byte("a.txt")) + len("a.txt")
	z[i+2] ^= 0xFF
	var encrypted bytes.Buffer
	w := zip.NewWriter(&encrypted)
	if _, err := w.CreateRaw(&zip.FileHeader{Name: "a", Flags: 1, Method: zip.Store}); err != nil {
		t.Fatal(err)
	}
	if f, err := w.Create("b"); err != nil {
		t.Fatal(err)
	} else if _, err := io.WriteString(f, "http://h.example/b"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	failure := errors.New("torn")
	for _, row := range []struct {
		name string
		r    io.Reader
		want string
	}{
		{"a.gz", bytes.NewReader(broken), "1:1 http://h.example/a, (a.gz: extract: can't read at byte N: gzip: invalid checksum)"},
		{"a.tar", strings.NewReader(tarred(t, "a.gz", string(broken), "b", "http://h.example/b")),
			"a.gz 1:1 http://h.example/a, (a.tar: a.gz: extract: can't read at byte N: gzip: invalid checksum), b 1:1 http://h.example/b"},
		{"a.zip", bytes.NewReader(z), "(a.zip: a.txt: extract: can't read at byte N: zip: checksum error), b.txt 1:1 http://h.example/b"},
		{"a.zip", bytes.NewReader(encrypted.Bytes()), "(a.zip: a: the member is encrypted), b 1:1 http://h.example/b"},
		{"a.zip", strings.NewReader("PK\x03\x04"), "(a.zip: zip: not a valid zip file)"},
		{"a.tar", strings.NewReader(tarred(t, "a", "http://h.example/a\n")[:1100]), "a 1:1 http://h.example/a, (a.tar: unexpected EOF)"},
		{"a", io.MultiReader(strings.NewReader("http://h.example/a http://h.example/b"), failing{failure}), "1:1 http://h.example/a, (a: extract: can't read at byte N: torn)"},
		{"a.html", io.MultiReader(strings.NewReader("<a href=b>\n<a href=c>"), failing{failure}), "1:9 b, (a.html: torn)"},
		{"a", failing{failure}, "(a: torn)"},
		{"a", emptyReader{}, "(a: multiple Read calls return no data or error)"},
	} {
		if got := links(row.r, row.name, nil); got != row.want {
			t.Errorf("%s:\n got %s\nwant %s", row.name, got, row.want)
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// emptyReader is a reader that never returns data or an error.
type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

// After the caller stops the loop, there must be no more links.
func TestStop(t *testing.T) {
	for _, s := range []string{text, gz(t, text), tarred(t, "a", text, "b", text), zipped(t, "a", text, "b", text), message, "<html>" + text, "\x00",
		"From a Sat Jan  3 01:05:34 1996\n" + message} {
		for range document.Links(strings.NewReader(s), "", nil) {
			break
		}
	}
}

// A file must be read in place.
func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(name, []byte("xx"+zipped(t, "a", "http://h.example/")), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(2, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got := links(f, name, &document.Options{MaxBuffered: 1}); got != "a 1:1 http://h.example/" {
		t.Error(got)
	}
}

// pieces is a reader that returns pieces of a given size.
type pieces struct {
	text string
	size int
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.text == "" {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.size)], p.text)
	p.text = p.text[n:]
	return n, nil
}

// A long text in a file is read in sections, beginning at the current offset. The links must be
// the same as those in a text that is read in pieces.
func TestFileReadInSections(t *testing.T) {
	long := strings.Repeat("see <URL:http://h.example/a-\n b> and ftp://h.example/c?d, and so on.\n", 40_000)
	o := &document.Options{NoPosition: true}
	list := func(r io.Reader) (list []document.Link) {
		for l, err := range document.Links(r, "a.txt", o) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, l)
		}
		return list
	}
	file := strings.NewReader("http://not.example/\n" + long)
	file.Seek(int64(len("http://not.example/\n")), io.SeekStart)
	got, want := list(file), list(struct{ io.Reader }{strings.NewReader(long)})
	if len(got) != 80_000 || !slices.Equal(got, want) {
		t.Errorf("%d links in place, and %d in pieces", len(got), len(want))
	}
	if file.Len() != 0 {
		t.Errorf("%d octets were left", file.Len())
	}
}

// corpus holds documents of every type.
func corpus(t testing.TB) map[string]string {
	return map[string]string{
		"a.txt": text, "a.gz": gz(t, text), "a.zst": zst(t, text), "a.bz2": file(t, "links.txt.bz2"), "a.xz": file(t, "links.txt.xz"), "a.Z": file(t, "links.txt.Z"),
		"a.tar": tarred(t, "a", text, "b.html", "<a href=b>"), "a.tgz": gz(t, tarred(t, "a", text)), "a.zip": zipped(t, "a", text, "b.gz", gz(t, text)),
		"a.eml": message, "a.html": "<a href='http://h.example/a' title=x><img srcset='b 1x, c 2x'> " + text, "a.md": "[a](b)\n" + text,
		"a.mbox": "From a Sat Jan  3 01:05:34 1996\n" + message + "\nFrom a Sat Jan  3 01:05:34 1996\n" + message, "u.txt": utf16(text, true),
	}
}

// The links must not depend on the sizes of the reads.
func TestEveryBlockSize(t *testing.T) {
	for name, s := range corpus(t) {
		want := links(struct{ io.Reader }{strings.NewReader(s)}, name, nil)
		if !strings.Contains(want, "http://h.example/") {
			t.Errorf("%s: %q", name, want)
		}
		if inPlace := links(strings.NewReader(s), name, nil); inPlace != want {
			t.Errorf("%s in place: %q, want %q", name, inPlace, want)
		}
		for _, typ := range []string{"", "text/plain"} {
			want := links(struct{ io.Reader }{strings.NewReader(s)}, name, &document.Options{Type: typ})
			for size := 1; size <= 600; size += 1 + size/8 {
				if got := links(&pieces{s, size}, name, &document.Options{Type: typ}); got != want {
					t.Fatalf("%s as %q in blocks of %d:\n got %s\nwant %s", name, typ, size, got, want)
				}
			}
		}
	}
	// Repeat the test with text that is longer than the buffers.
	long := strings.Repeat("some words and more of them\n", 10_000) + text + strings.Repeat("x", 70_000) + " " + text
	want := links(strings.NewReader(long), "a", nil)
	if strings.Count(want, "http") != 2 {
		t.Error(want)
	}
	for _, size := range []int{1, 100, 8 << 10, 32<<10 + 1, 64<<10 - 1, 64 << 10, 1 << 20} {
		if got := links(&pieces{long, size}, "a", nil); got != want {
			t.Errorf("in blocks of %d: %q, want %q", size, got, want)
		}
	}
}

// Reading a truncated file must not cause a panic. Each reported URL must also be in the whole
// file, except for a truncated URL at the end.
func TestCutEverywhere(t *testing.T) {
	for name, s := range corpus(t) {
		var whole []string
		for l := range document.Links(strings.NewReader(s), name, nil) {
			whole = append(whole, l.URL.String()+l.Ref)
		}
		// These formats detect truncation.
		packed := strings.Contains("a.gz a.zst a.bz2 a.xz a.tar a.tgz a.zip", name)
		message := name == "a.eml" || name == "a.mbox"
		for cut := range len(s) {
			for l, err := range document.Links(strings.NewReader(s[:cut]), name, nil) {
				if err != nil {
					continue
				}
				found := l.URL.String() + l.Ref
				if message {
					// In quoted-printable, "=" at the end of a line is not a character, but the
					// line is truncated.
					found = strings.TrimSuffix(found, "=")
				}
				if !slices.ContainsFunc(whole, func(w string) bool { return w == found || !packed && strings.HasPrefix(w, found) }) {
					t.Errorf("%s cut at %d: %q", name, cut, found)
				}
			}
		}
	}
}

// endless is a reader of a text with a given length.
type endless struct{ left int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	const line = "A line of text that has a URL in it now and then: http://h.example/a.\n"
	n := 0
	for n < len(p) {
		n += copy(p[n:], line)
	}
	e.left -= int64(n)
	return n, nil
}

// Links must search an encoded enclosed message like any other message.
func TestEncodedMessage(t *testing.T) {
	inner := "Subject: see http://h.example/subject\nContent-Type: multipart/mixed; boundary=y\n\n--y\n\nsee http://h.example/body\n--y--\n"
	text := "From: a@b\nMessage-ID: <a@b>\nContent-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte(inner)) + "\n"
	for name, text := range map[string]string{"a.eml": text, "a.mbox": "From joe@host.dom Sat Jan  3 01:05:34 1996\n" + text} {
		var got []string
		for found, err := range document.Links(strings.NewReader(text), name, nil) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			got = append(got, found.Match.URL.String())
		}
		if want := []string{"http://h.example/subject", "http://h.example/body"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
