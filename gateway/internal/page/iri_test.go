package page

import (
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// An IRI in a text links to its ASCII URL. If the host has no ASCII form, there is no link.
func TestTextIRI(t *testing.T) {
	p := newPrinter(t)
	const text = "http://exampleこれは.example/ä http://xn--はじめよう.example/x http://h.example/b"
	letter := "Subject: x\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + text
	for name, print := range map[string]func(io.Writer) error{
		"text": func(w io.Writer) error {
			return p.Object(w, &Head{URL: parse("gopher://h/0x")}, object("text/plain", -1, text))
		},
		"message": func(w io.Writer) error {
			return p.Object(w, &Head{URL: parse("http://h/x")}, object("message/rfc822", -1, letter))
		},
	} {
		var links []string
		for _, n := range find(tree(t, printed(t, print)), func(n *html.Node) bool { return n.Data == "a" && strings.Contains(attr(n, "href"), ".example") }) {
			links = append(links, attr(n, "href")+" "+textOf(n))
		}
		want := []string{
			p.pagePath(parse("http://xn--example-v73f2ijk.example/%C3%A4"), Show{}) + " http://exampleこれは.example/ä",
			p.pagePath(parse("http://h.example/b"), Show{}) + " http://h.example/b",
		}
		if !slices.Equal(links, want) {
			t.Errorf("%s: links %q, want %q", name, links, want)
		}
	}
}

// Texts, documents and messages are decoded from their charset.
func TestCharset(t *testing.T) {
	p := newPrinter(t)
	const octets, want = "\xf0\xd2\xc9\xd7\xc5\xd4", "Привет"
	letter := "Subject: =?koi8-r?Q?=F0=D2=C9=D7=C5=D4?=\r\nContent-Type: text/plain; charset=koi8-r\r\n\r\n" + octets
	for name, print := range map[string]func(io.Writer) error{
		"text": func(w io.Writer) error {
			return p.Object(w, &Head{URL: parse("http://h/x")}, object("text/plain; charset=koi8-r", -1, octets))
		},
		"document": func(w io.Writer) error {
			return p.Object(w, &Head{URL: parse("http://h/x")}, object("text/html; charset=koi8-r", -1, "<p>"+octets))
		},
		"document with a meta element": func(w io.Writer) error {
			return p.Object(w, &Head{URL: parse("http://h/x")}, object("text/html", -1, `<meta charset="koi8-r"><p>`+octets))
		},
		"message": func(w io.Writer) error {
			return p.Object(w, &Head{URL: parse("http://h/x")}, object("message/rfc822", -1, letter))
		},
	} {
		if page := printed(t, print); !strings.Contains(page, want) {
			t.Errorf("%s: %q is not in %s", name, want, page)
		}
	}
}
