package warc_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/warc"
)

// testTime is the current time in tests.
var testTime = time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC)

// create opens an archive with a fixed clock and fixed identifiers.
func create(t testing.TB, name string, o warc.WriterOptions) *warc.Writer {
	t.Helper()
	n := 0
	o.Now = func() time.Time { return testTime }
	o.NewID = func() string { n++; return fmt.Sprintf("urn:uuid:%08d-0000-4000-8000-000000000000", n) }
	w, err := warc.Create(name, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

// block returns a block of a header and a payload.
func block(w *warc.Writer, header, payload string) *warc.Block {
	b := w.NewBlock()
	io.WriteString(b, header)
	b.BeginPayload()
	io.WriteString(b, payload)
	return b
}

const okHeader = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"

func response(w *warc.Writer, target, payload string) *warc.Entry {
	return &warc.Entry{Type: "response", Target: target, ContentType: "application/http;msgtype=response", Block: block(w, okHeader, payload), Status: 200, Media: "text/plain", Dedup: true}
}

func resource(w *warc.Writer, target, payload string) *warc.Entry {
	return &warc.Entry{Type: "resource", Target: target, ContentType: "text/plain", Block: block(w, "", payload), Media: "text/plain", Dedup: true}
}

func closed(t testing.TB, w *warc.Writer) {
	t.Helper()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func file(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func names(t testing.TB, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// The bytes of a record match ISO 28500.
func TestWriteRecord(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.warc")
	w := create(t, name, warc.WriterOptions{Info: []warc.Field{{Name: "software", Value: "x/1"}}})
	e := response(w, "http://h.example/", "hello")
	e.Fields = []warc.Field{{Name: "WARC-IP-Address", Value: "192.0.2.1"}}
	if err := w.Write(e); err != nil {
		t.Fatal(err)
	}
	closed(t, w)
	want := strings.ReplaceAll(`WARC/1.1
WARC-Type: warcinfo
WARC-Record-ID: <urn:uuid:00000001-0000-4000-8000-000000000000>
WARC-Date: 2026-01-02T03:04:05Z
WARC-Filename: a.warc
WARC-Block-Digest: sha1:NTAE42LYMAAOOAJDIAULFDVL45S2GYZJ
Content-Type: application/warc-fields
Content-Length: 137

software: x/1
format: WARC File Format 1.1
conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/


WARC/1.1
WARC-Type: response
WARC-Record-ID: <urn:uuid:00000002-0000-4000-8000-000000000000>
WARC-Date: 2026-01-02T03:04:05Z
WARC-Target-URI: http://h.example/
WARC-Warcinfo-ID: <urn:uuid:00000001-0000-4000-8000-000000000000>
WARC-IP-Address: 192.0.2.1
WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N
WARC-Block-Digest: sha1:2XVCAHKXM72SVGPCID5YXSUUNSEPBJ2N
Content-Type: application/http;msgtype=response
Content-Length: 65

`, "\n", "\r\n") + okHeader + "hello\r\n\r\n"
	if got := string(file(t, name)); got != want {
		t.Errorf("%s", got)
	}
	index := `example,h)/ 20260102030405 {"url":"http://h.example/","mime":"text/plain","status":"200","digest":"sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N","length":"518","offset":"413","filename":"a.warc"}` + "\n"
	if got := string(file(t, strings.TrimSuffix(name, ".warc")+".cdxj")); got != index {
		t.Errorf("%s", got)
	}
}

// If a payload was written before, the writer writes a revisit record, even after the
// archive was closed and opened again.
func TestWriteOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	w := create(t, name, warc.WriterOptions{})
	cut := response(w, "http://h.example/cut", "one")
	cut.Dedup = false
	other := resource(w, "gopher://h.example/9b", "one")
	other.ContentType = "application/octet-stream"
	for _, e := range []*warc.Entry{response(w, "http://h.example/a", "one"), response(w, "http://h.example/b", "one"), response(w, "http://h.example/c", "two"),
		cut, resource(w, "gopher://h.example/0a", "one"), resource(w, "gopher://h.example/0b", "one"), other, response(w, "http://h.example/d", ""), response(w, "http://h.example/e", "")} {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	closed(t, w)
	w = create(t, name, warc.WriterOptions{})
	if err := w.Write(response(w, "http://h.example/later", "two")); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(resource(w, "gopher://h.example/0c", "one")); err != nil {
		t.Fatal(err)
	}
	closed(t, w)
	var got []string
	f := bytes.NewReader(file(t, name))
	for in := warc.NewReader(f); ; {
		rec, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(rec)
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type == "warcinfo" {
			continue
		}
		line := rec.Type + " " + rec.Target()
		if rec.Type == "revisit" {
			line += " as " + rec.Get("WARC-Refers-To-Target-URI")
			if rec.Get("WARC-Profile") != "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest" || rec.Get("WARC-Refers-To-Date") != "2026-01-02T03:04:05Z" || !strings.HasPrefix(rec.Get("WARC-Refers-To"), "<urn:uuid:") {
				t.Errorf("%+v", rec.Fields)
			}
			if want := map[bool]string{true: okHeader}[strings.HasPrefix(rec.Target(), "http:")]; string(text) != want {
				t.Errorf("%s: %q", rec.Target(), text)
			}
		}
		got = append(got, line)
	}
	want := []string{
		"response http://h.example/a", "revisit http://h.example/b as http://h.example/a", "response http://h.example/c", "response http://h.example/cut",
		"resource gopher://h.example/0a", "revisit gopher://h.example/0b as gopher://h.example/0a", "resource gopher://h.example/9b",
		"response http://h.example/d", "response http://h.example/e",
		"revisit http://h.example/later as http://h.example/c", "revisit gopher://h.example/0c as gopher://h.example/0a",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	checkIndex(t, name, 11)
}

// checkIndex checks that the index of an archive contains n lines in order, and that each
// record is at the offset in its line.
func checkIndex(t testing.TB, name string, n int) {
	t.Helper()
	data := file(t, name)
	index := string(file(t, strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".warc")+".cdxj"))
	lines := strings.SplitAfter(strings.TrimSuffix(index, "\n"), "\n")
	if index == "" {
		lines = nil
	}
	if len(lines) != n || !slices.IsSorted(lines) {
		t.Errorf("the index is\n%s", index)
	}
	for _, line := range lines {
		c, err := warc.ParseCDXJ(line)
		if err != nil {
			t.Fatal(err)
		}
		rec, err := warc.NewReader(bytes.NewReader(data[c.Offset : c.Offset+c.Length])).Next()
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if _, err := io.Copy(io.Discard, rec); err != nil || rec.Target() != c.URL || !rec.Date().Equal(c.Time) || rec.Get("WARC-Payload-Digest") != c.Digest || warc.Key(c.URL) != c.Key || c.File != filepath.Base(name) {
			t.Errorf("%s: %v %+v", line, err, rec)
		}
	}
}

// A killed process may have written any part of its last record. The next process continues
// after the last complete record, and the index contains the records of both processes.
func TestContinueAfterKill(t *testing.T) {
	for _, ext := range []string{".warc", ".warc.gz"} {
		dir := t.TempDir()
		name := filepath.Join(dir, "a"+ext)
		w := create(t, name, warc.WriterOptions{})
		var ends []int64
		for i := range 3 {
			if err := w.Write(response(w, fmt.Sprintf("http://h.example/%d", i), strings.Repeat("x", 10*i+1))); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, info.Size())
		}
		closed(t, w)
		whole := file(t, name)
		for cut := ends[0]; cut <= ends[2]; cut++ {
			if err := os.WriteFile(name, whole[:cut], 0o666); err != nil {
				t.Fatal(err)
			}
			w := create(t, name, warc.WriterOptions{})
			if err := w.Write(resource(w, "gopher://h.example/0after", "after")); err != nil {
				t.Fatal(err)
			}
			closed(t, w)
			kept := 0
			for _, end := range ends {
				if end <= cut {
					kept++
				}
			}
			if got := file(t, name); !bytes.Equal(got[:ends[kept-1]], whole[:ends[kept-1]]) {
				t.Fatalf("%s, cut at %d: the whole records are not kept", ext, cut)
			}
			checkIndex(t, name, kept+1)
			if text := describeRecords(bytes.NewReader(file(t, name))); strings.Contains(text, "\n!") || strings.Count(text, "\n") != kept+2 {
				t.Fatalf("%s, cut at %d:\n%s", ext, cut, text)
			}
		}
	}
}

// After a process was killed, the next process writes the same index for each record type,
// whether or not the record matches its index fields.
func TestIndexAfterKill(t *testing.T) {
	for _, ext := range []string{".warc", ".warc.gz"} {
		dir := t.TempDir()
		name := filepath.Join(dir, "a"+ext)
		w := create(t, name, warc.WriterOptions{})
		plain := func(typ, contentType string) *warc.Entry {
			return &warc.Entry{Type: typ, Target: "gopher://h.example/0" + typ + fmt.Sprint(len(contentType)), ContentType: contentType}
		}
		with := func(e *warc.Entry, text string) *warc.Entry {
			e.Block = block(w, "", text)
			return e
		}
		unfit := with(plain("resource", "text/plain; charset=utf-8"), "octets")
		unfit.Media, unfit.Status = "image/png", 200
		once := func() *warc.Entry {
			e := with(plain("resource", "Text/HTML"), "the same")
			e.Dedup = true
			return e
		}
		err := w.Write(with(plain("resource", ""), "octets"), plain("resource", "text/plain"), unfit, once(), once(),
			response(w, "http://h.example/a", "page"), response(w, "http://www.h.example/A?b&a", "page"), with(plain("metadata", "text/plain"), "octets"), with(plain("request", ""), "octets"))
		if err != nil {
			t.Fatal(err)
		}
		killed := filepath.Join(t.TempDir(), "a"+ext)
		if err := os.WriteFile(killed, file(t, name), 0o600); err != nil {
			t.Fatal(err)
		}
		closed(t, w)
		closed(t, create(t, killed, warc.WriterOptions{}))
		written, rebuilt := file(t, filepath.Join(dir, "a.cdxj")), file(t, filepath.Join(filepath.Dir(killed), "a.cdxj"))
		if !bytes.Equal(written, rebuilt) || bytes.Count(written, []byte("\n")) != 7 || bytes.Count(written, []byte("warc/revisit")) != 2 {
			t.Errorf("%s: the index is\n%sand after a kill\n%s", ext, written, rebuilt)
		}
	}
}

// Create does not change an archive that is damaged or can't be read from the middle.
func TestContinueRefused(t *testing.T) {
	damaged := zip(t, info, page, text)
	damaged = damaged[:len(zip(t, info))+20] + "\x00" + damaged[len(zip(t, info))+21:]
	for name, text := range map[string]string{
		"a.warc.gz": damaged,
		"b.warc.gz": zip(t, info+page, text),
		"c.warc.gz": "no archive at all\n",
		"d.warc.gz": info + page,
		"e.warc":    zip(t, info, page),
		"f.warc":    info + strings.Replace(page, "Content-Length: ", "Content-Length: 1", 1) + strings.Repeat("x", 1000),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if w, err := warc.Create(path, nil); err == nil {
			w.Close()
			t.Errorf("%s was continued", name)
		} else if !strings.Contains(err.Error(), "choose another name") {
			t.Errorf("%s: %v", name, err)
		}
		if string(file(t, path)) != text {
			t.Errorf("%s was changed", name)
		}
	}
}

// The writer splits an archive into numbered files, and continues with the last file. Two
// writers never share a file.
func TestSplit(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.warc.gz")
	o := warc.WriterOptions{Size: 1500}
	w := create(t, name, o)
	noise := func(n int) string {
		var b strings.Builder
		for i := range 700 {
			b.WriteByte(byte(i*i*7 + n*i*13 + i>>3))
		}
		return b.String()
	}
	for i := range 5 {
		if err := w.Write(response(w, fmt.Sprintf("http://h.example/%d", i), noise(i)+fmt.Sprint(i))); err != nil {
			t.Fatal(err)
		}
	}
	if again, err := warc.Create(name, &o); err == nil {
		again.Close()
		t.Error("two writers have one file")
	} else if !strings.Contains(err.Error(), "another process is writing to "+dir) {
		t.Error(err)
	}
	closed(t, w)
	before := names(t, dir)
	w = create(t, name, o)
	closed(t, w)
	if after := names(t, dir); after != before || strings.Count(before, ".warc.gz") < 2 || !strings.HasPrefix(before, "a-00001.cdxj a-00001.warc.gz a-00002.cdxj a-00002.warc.gz") {
		t.Errorf("%s, then %s", before, after)
	}
	got := 0
	for n := 1; n <= strings.Count(before, ".warc.gz"); n++ {
		text := describeRecords(bytes.NewReader(file(t, filepath.Join(dir, fmt.Sprintf("a-%05d.warc.gz", n)))))
		if !strings.HasPrefix(text, "WARC/1.1 warcinfo") || strings.Contains(text, "\n!") {
			t.Errorf("file %d:\n%s", n, text)
		}
		got += strings.Count(text, "WARC/1.1 response")
	}
	if got != 5 {
		t.Errorf("%d responses", got)
	}
}

func TestCreateRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "dir.warc"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.gz": "must end in", "a": "must end in", ".warc.gz": "must end in", "no/such/a.warc": "no such file", "dir.warc": "not a regular file"} {
		if w, err := warc.Create(filepath.Join(dir, name), nil); err == nil {
			w.Close()
			t.Errorf("%s was created", name)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := warc.Create(filepath.Join(dir, "x.warc"), &warc.WriterOptions{Info: []warc.Field{{Name: "a b", Value: "c"}}}); err == nil {
		t.Error("a malformed field was accepted")
	}
}

// No text in an entry can add a field or a record.
func TestInjection(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.warc")
	w := create(t, name, warc.WriterOptions{})
	size := len(file(t, name))
	for i, e := range []*warc.Entry{
		{Type: "resource", Target: "gopher://h/\r\nX: y"},
		{Type: "resource", Target: "gopher://h/ x"},
		{Type: "resource", Target: "<gopher://h/>"},
		{Type: "resource", Target: "gopher://h/\xe9"},
		{Type: "resource\r\nX: y"},
		{Type: "resource", ContentType: "text/plain\nX: y"},
		{Type: "resource", Fields: []warc.Field{{Name: "X", Value: "y\rZ"}}},
		{Type: "resource", Fields: []warc.Field{{Name: "X", Value: "y\x00"}}},
		{Type: "resource", Fields: []warc.Field{{Name: "X: y\r\nZ", Value: "y"}}},
		{Type: "resource", Fields: []warc.Field{{Value: "y"}}},
	} {
		if err := w.Write(e); err == nil {
			t.Errorf("%d was written", i)
		}
	}
	if now := len(file(t, name)); now != size {
		t.Errorf("%d octets more", now-size)
	}
	// The recording continues after a refused record.
	if err := w.Write(resource(w, "gopher://h.example/0", "x")); err != nil {
		t.Error(err)
	}
}

// A long block is stored on disk, and no temporary file remains.
func TestLongBlock(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.warc.gz")
	w := create(t, name, warc.WriterOptions{})
	long := strings.Repeat("0123456789abcde\n", 200_000)
	e := response(w, "http://h.example/", "")
	for rest := long; rest != ""; rest = rest[32000:] {
		io.WriteString(e.Block, rest[:32000])
	}
	again := response(w, "http://h.example/again", long)
	if e.Block.Size() != int64(len(okHeader)+len(long)) {
		t.Error(e.Block.Size())
	}
	left := w.NewBlock()
	io.WriteString(left, long)
	left.Discard()
	if err := w.Write(e, again); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(e); err == nil {
		t.Error("a block was written twice")
	}
	if err := w.Close(); err == nil {
		t.Error("the error is lost at the end")
	}
	if got := names(t, dir); got != "a.cdxj a.warc.gz" {
		t.Error(got)
	}
	z, err := gzip.NewReader(bytes.NewReader(file(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil || strings.Count(string(text), long) != 1 || !strings.Contains(string(text), "WARC-Type: revisit") {
		t.Errorf("%d octets, %v", len(text), err)
	}
}

// Concurrent writes to one archive result in complete records in order.
func TestConcurrentWrites(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	w := create(t, name, warc.WriterOptions{NewID: nil})
	done := make(chan error)
	const n = 20
	for i := range n {
		b := block(w, okHeader, fmt.Sprint(i))
		go func() {
			id := fmt.Sprintf("urn:uuid:%08d-0000-4000-8000-00000000ffff", i)
			done <- w.Write(&warc.Entry{Type: "response", Target: fmt.Sprintf("http://h.example/%d", i), ContentType: "application/http", ID: id, Block: b},
				&warc.Entry{Type: "request", Target: fmt.Sprintf("http://h.example/%d", i), Fields: []warc.Field{{Name: "WARC-Concurrent-To", Value: "<" + id + ">"}}})
		}()
	}
	for range n {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	closed(t, w)
	checkIndex(t, name, n)
	lines := strings.Split(describeRecords(bytes.NewReader(file(t, name))), "\n")[1:]
	for i := 0; i+1 < len(lines); i += 2 {
		if a, b := strings.Fields(lines[i]), strings.Fields(lines[i+1]); a[1] != "response" || b[1] != "request" || a[2] != b[2] {
			t.Errorf("%s\n%s", lines[i], lines[i+1])
		}
	}
	if len(lines) != 2*n {
		t.Errorf("%d records", len(lines))
	}
	if err := w.Write(&warc.Entry{Type: "metadata"}); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("after Close: %v", err)
	}
}

// An identifier is a random UUID.
func TestNewID(t *testing.T) {
	w, err := warc.Create(filepath.Join(t.TempDir(), "a.warc"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	a, b := w.NewID(), w.NewID()
	if a == b || len(a) != len("urn:uuid:")+36 || a[len("urn:uuid:")+14] != '4' || !strings.ContainsRune("89ab", rune(a[len("urn:uuid:")+19])) {
		t.Error(a, b)
	}
}
