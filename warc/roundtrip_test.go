package warc_test

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"

	"github.com/locus-url/locus/warc"
)

// A written record is read with the same fields and bytes, or is rejected without a change to
// the file.
func FuzzRoundTrip(f *testing.F) {
	f.Add("resource", "gopher://h.example/0a", "text/plain", "X-Name", "value", "header", "payload", true)
	f.Add("response", "http://h.example/", "application/http;msgtype=response", "WARC-IP-Address", "::1", "HTTP/1.1 200 OK\r\n\r\n", "\r\n\r\nWARC/1.1\r\n", false)
	f.Add("metadata", "", "", "A", "\r\nWARC-Type: response", "", "", true)
	f.Fuzz(func(t *testing.T, typ, target, contentType, name, value, head, payload string, zipped bool) {
		path := filepath.Join(t.TempDir(), "a.warc")
		if zipped {
			path += ".gz"
		}
		w := create(t, path, warc.WriterOptions{})
		before := file(t, path)
		e := &warc.Entry{Type: typ, Target: target, ContentType: contentType, Fields: []warc.Field{{Name: name, Value: value}}, Block: block(w, head, payload)}
		if err := w.Write(e); err != nil {
			if !bytes.Equal(file(t, path), before) {
				t.Error("a refused record was written")
			}
			return
		}
		last := resource(w, "gopher://h.example/0last", "last")
		if err := w.Write(last); err != nil {
			t.Fatal(err)
		}
		closed(t, w)
		in := warc.NewReader(bytes.NewReader(file(t, path)))
		if _, err := in.Next(); err != nil {
			t.Fatal(err)
		}
		rec, err := in.Next()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(rec)
		if err != nil || string(text) != head+payload {
			t.Errorf("%q is read as %q, %v", head+payload, text, err)
		}
		if rec.Target() != target || rec.Length != int64(len(head+payload)) {
			t.Errorf("%q is read as %q; %d octets", target, rec.Target(), rec.Length)
		}
		if rec, err = in.Next(); err != nil || rec.Target() != "gopher://h.example/0last" {
			t.Errorf("the next record is %v, %v", rec, err)
		}
		if _, err := in.Next(); err != io.EOF {
			t.Error(err)
		}
	})
}
