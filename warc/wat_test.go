package warc_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/locus-url/locus/warc"
)

// watText is the block of a WAT record about a page.
const watText = `{"Container":{"Filename":"x.warc.gz","Compressed":true,"Offset":"1024"},"Envelope":{"Format":"WARC","WARC-Header-Length":"400",
"WARC-Header-Metadata":{"WARC-Type":"Response","WARC-Target-URI":"http://h.example/a/","WARC-Date":"2026-01-02T03:04:05Z"},
"Payload-Metadata":{"Actual-Content-Type":"application/http; msgtype=response","HTTP-Response-Metadata":{"Headers":{"Content-Type":"text/html"},
"Response-Message":{"Status":"200"},"HTML-Metadata":{"Head":{"Title":"t","Base":"http:\/\/h.example\/b\/","Metas":[{"name":"a","content":"b"}],
"Link":[{"path":"LINK@/href","url":"style.css","rel":"stylesheet"}],"Scripts":[{"path":"SCRIPT@/src","url":"/x.js"}]},
"Links":[{"path":"A@/href","url":"http://c.example/?a=1&b=\u00e9","text":"c"},{"path":"IMG@/src","url":"","alt":"none"},{"path":"FORM@/action","method":"get"},{"url":"d"},5]}}}}}`

func describe(w warc.WAT) string {
	var links []string
	for _, l := range w.Links {
		links = append(links, l.Path+" "+l.URL)
	}
	return w.Type + ", " + w.Base + ", " + strings.Join(links, ", ")
}

func TestWAT(t *testing.T) {
	for name, row := range map[string]struct{ text, want string }{
		"page":     {watText, "response, http://h.example/b/, LINK@/href style.css, SCRIPT@/src /x.js, A@/href http://c.example/?a=1&b=é,  d"},
		"request":  {`{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"request"}}}`, "request, , "},
		"no page":  {`{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"warcinfo"},"Payload-Metadata":{}}}`, "warcinfo, , "},
		"ARC":      {`{"Envelope":{"ARC-Header-Metadata":{"Target-URI":"http://h/"},"Payload-Metadata":{"HTTP-Response-Metadata":{"HTML-Metadata":{"Links":[{"path":"A@/href","url":"x"}]}}}}}`, "response, , A@/href x"},
		"other":    {`{"pages":["http://h/"]}`, ", , "},
		"oddities": {`{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":5},"Payload-Metadata":{"HTTP-Response-Metadata":{"HTML-Metadata":{"Head":[],"Links":{"url":"x"}}}}}}`, ", , "},
	} {
		w, err := warc.ReadWAT([]byte(row.text))
		if got := describe(w); err != nil || got != row.want {
			t.Errorf("%s: %s, %v; want %s", name, got, err, row.want)
		}
	}
	for _, text := range []string{"", "{", "http://h/", `{"Envelope":{"WARC-Header-Metadata":{"WARC-Type":"response"}}`} {
		if w, err := warc.ReadWAT([]byte(text)); err == nil {
			t.Errorf("%q: %+v", text, w)
		}
	}
}

// A link contains its position in the text.
func TestWATOffsets(t *testing.T) {
	w, err := warc.ReadWAT([]byte(watText))
	if err != nil || len(w.Links) == 0 {
		t.Fatal(w, err)
	}
	for _, l := range w.Links {
		var text string
		if err := json.Unmarshal([]byte(`"`+watText[l.Start:l.End]+`"`), &text); err != nil || text != l.URL {
			t.Errorf("%d-%d: %q, want %q", l.Start, l.End, text, l.URL)
		}
	}
}

// slowWAT is an implementation of ReadWAT with encoding/json.
func slowWAT(text []byte) (w warc.WAT, err error) {
	type link struct{ Path, URL any }
	at := func(v any, names ...string) any {
		for _, name := range names {
			m, _ := v.(map[string]any)
			v = m[name]
		}
		return v
	}
	textOf := func(v any) string {
		s, _ := v.(string)
		return s
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return w, err
	}
	header := at(v, "Envelope", "WARC-Header-Metadata")
	if m, _ := header.(map[string]any); m != nil && has(m, "WARC-Type") {
		w.Type = strings.ToLower(textOf(m["WARC-Type"]))
	} else if m, _ := at(v, "Envelope").(map[string]any); has(m, "ARC-Header-Metadata") {
		w.Type = "response"
	}
	page := at(v, "Envelope", "Payload-Metadata", "HTTP-Response-Metadata", "HTML-Metadata")
	w.Base = textOf(at(page, "Head", "Base"))
	for _, list := range []any{at(page, "Head", "Link"), at(page, "Head", "Scripts"), at(page, "Scripts"), at(page, "Links")} {
		elements, _ := list.([]any)
		for _, e := range elements {
			if l := (link{at(e, "path"), at(e, "url")}); textOf(l.URL) != "" {
				w.Links = append(w.Links, warc.WATLink{Path: textOf(l.Path), URL: textOf(l.URL)})
			}
		}
	}
	return w, nil
}

func has(m map[string]any, name string) bool {
	_, ok := m[name]
	return ok
}

func FuzzWAT(f *testing.F) {
	f.Add([]byte(watText))
	f.Add([]byte(`{"Envelope":{"ARC-Header-Metadata":{},"WARC-Header-Metadata":{}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := warc.ReadWAT(text)
		want, wantErr := slowWAT(text)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, want %v", text, err, wantErr)
		}
		if !utf8.Valid(text) || strings.Contains(fmt.Sprint(want), "\uFFFD") {
			return // ReadWAT drops text that is not UTF-8, and a half surrogate pair
		}
		if describe(w) != describe(want) {
			t.Fatalf("%q: %s, want %s", text, describe(w), describe(want))
		}
	})
}

func TestIsFirstLine(t *testing.T) {
	for line, want := range map[string]bool{
		"WARC/1.0": true, "WARC/0.17": true, "filedesc://x.arc 0.0.0.0 20260102030405 text/plain 76": true, "http://h/ 1.2.3.4 20260102030405 text/html 3": true,
		"": false, "WARC": false, "http://h/": false, "filedesc://x.arc": false,
	} {
		if got := warc.IsFirstLine([]byte(line)); got != want {
			t.Errorf("%q: %t", line, got)
		}
	}
}
