package document_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/document"
)

func archivedRecords(typ, target, block string) string {
	return fmt.Sprintf("WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", typ, target, len(block), block)
}

// Links must find the links in the pages of a web archive. The base of a link is the URL of the
// page.
func TestWebArchive(t *testing.T) {
	var small bytes.Buffer
	z := gzip.NewWriter(&small)
	if _, err := io.WriteString(z, `<a href="/z">z</a>`); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	records := []string{
		archivedRecords("warcinfo", "", "see http://info.example/"),
		archivedRecords("request", "http://h.example/a/", "GET / HTTP/1.1\r\nReferer: http://request.example/\r\n\r\n"),
		archivedRecords("response", "http://h.example/a/", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=b>b</a> <a href=http://c.example/>c</a>"),
		archivedRecords("response", "http://h.example/based", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<base href=/x/><a href=y>y</a>"),
		archivedRecords("response", "http://h.example/gone", "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<a href=none>n</a>"),
		archivedRecords("response", "http://h.example/coded", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n"+small.String()),
		archivedRecords("resource", "gopher://g.example/0t", "see http://text.example/ there"),
	}
	var members bytes.Buffer
	for _, record := range records {
		w := gzip.NewWriter(&members)
		if _, err := io.WriteString(w, record); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want := "http://h.example/a/ http://h.example/a/b, http://h.example/a/ http://c.example/, http://h.example/based http://h.example/x/, http://h.example/based http://h.example/x/y, http://h.example/coded http://h.example/z, gopher://g.example/0t http://text.example/"
	for name, file := range map[string]string{"x.warc": strings.Join(records, ""), "x.warc.gz": members.String(), "": strings.Join(records, "")} {
		var got []string
		for l, err := range document.Links(strings.NewReader(file), name, nil) {
			if err != nil {
				t.Fatal(name, err)
			}
			u, err := l.Resolve(locus.URL{})
			if err != nil {
				t.Errorf("%s: %+v: %v", name, l, err)
			}
			got = append(got, l.Member+" "+u.String())
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s", name, strings.Join(got, ", "))
		}
	}
}

// For a WAT file, Links must yield the links in the pages, with the positions in the records.
func TestWAT(t *testing.T) {
	wat := func(typ, target, page string) string {
		block := `{"Container":{"Compressed":true},
"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"` + typ + `"},"Payload-Metadata":{"HTTP-Response-Metadata":{"HTML-Metadata":` + page + `}}}}`
		return strings.Replace(archivedRecords("metadata", target, block), "text/plain", "application/json; charset=utf-8", 1)
	}
	file := archivedRecords("warcinfo", "", "see http://info.example/") +
		wat("request", "http://h.example/a/", "{}") +
		wat("response", "http://h.example/a/", `{"Head":{"Link":[{"path":"LINK@/href","url":"/s.css","rel":"stylesheet"}]},"Links":[{"path":"A@/href","url":"b"},{"path":"IMG@/src","url":" http:\/\/c.example\/\u00e9 "},{"path":"A@/href","url":"javascript:go('http://no.example/')"}]}`) +
		wat("response", "http://h.example/based", `{"Head":{"Base":"/x/"},"Links":[{"path":"FORM@/action","url":"y?a&amp;b&copy=1"}]}`) +
		strings.Replace(archivedRecords("metadata", "http://h.example/", "{"), "text/plain", "application/json", 1) +
		archivedRecords("metadata", "http://h.example/", "via: http://v.example/")
	var got []string
	for l, err := range document.Links(strings.NewReader(file), "x.warc.wat", nil) {
		if err != nil {
			got = append(got, "! "+err.Error())
			continue
		}
		u, err := l.Resolve(locus.URL{})
		if err != nil {
			t.Errorf("%+v: %v", l, err)
		}
		got = append(got, fmt.Sprintf("%s %d:%d %s %s (%s)", l.Member, l.Line, l.Column, l.Element, u, l.Type))
	}
	want := `http://h.example/a/ 2:168 link href http://h.example/s.css (application/json)
http://h.example/a/ 2:232 a href http://h.example/a/b (application/json)
http://h.example/a/ 2:262 img src http://c.example/%C3%A9 (application/json)
http://h.example/based 2:185 form action http://h.example/x/y?a&b&copy=1 (application/json)
! x.warc.wat: http://h.example/: warc: metadata: invalid JSON at byte 1: unexpected end of the text`
	if strings.Join(got, "\n") != want {
		t.Error(strings.Join(got, "\n"))
	}
	limited := 0
	for _, err := range document.Links(strings.NewReader(file), "x.warc.wat", &document.Options{MaxBuffered: 100}) {
		if errors.Is(err, document.ErrLimit) {
			limited++
		}
	}
	if limited != 3 {
		t.Errorf("%d records are too long, want 3", limited)
	}
}

func TestWebArchiveDamaged(t *testing.T) {
	file := archivedRecords("resource", "http://h/", "see http://a.example/") + "WARC/1.0\r\nContent-Length: 100\r\n\r\nshort"
	links, failed := 0, false
	for _, err := range document.Links(strings.NewReader(file), "x.warc", nil) {
		if failed = failed || errors.Is(err, io.ErrUnexpectedEOF); err == nil {
			links++
		}
	}
	if links != 1 || !failed {
		t.Errorf("%d links, failed: %t", links, failed)
	}
	// The limits for other containers must apply.
	pages := strings.Repeat(archivedRecords("resource", "http://h/", "see http://a.example/"), 10)
	for _, o := range []document.Options{{MaxMembers: 3}, {MaxUnpacked: 30}} {
		var limit error
		for _, err := range document.Links(strings.NewReader(pages), "x.warc", &o) {
			limit = err
		}
		if !errors.Is(limit, document.ErrLimit) {
			t.Errorf("%+v: %v", o, limit)
		}
	}
}
