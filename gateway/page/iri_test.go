package page

import (
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// An internationalized URL in a text leads to the URL that it stands for, and text whose
// host has no such form is not a link.
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
			p.link(parse("http://xn--example-v73f2ijk.example/%C3%A4"), Show{}) + " http://exampleこれは.example/ä",
			p.link(parse("http://h.example/b"), Show{}) + " http://h.example/b",
		}
		if !slices.Equal(links, want) {
			t.Errorf("%s: links %q, want %q", name, links, want)
		}
	}
}
