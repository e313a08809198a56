package page

import (
	"io"
	"net/url"
)

// Lens is what readers take a URL for. It has no password.
type Lens struct {
	Input   string     // the URL; empty: none was given
	Columns [][]string // the names of the readers that agree, for each column
	Parts   []LensPart
	Refused []LensRefusal
	Verdict string // what the differences are; empty: none
	Danger  bool
	// Advisories are published weaknesses that the URL resembles.
	Advisories []string
	Share      string // the path of the page of this URL; empty: it must not be shared
}

// LensPart is a part of the URL.
type LensPart struct {
	Name    string
	Differs bool
	Texts   []*string // of each column; nil: absent
}

// LensRefusal is why readers do not accept the URL.
type LensRefusal struct{ Names, Why string }

// lensPage is the data of the template "lens".
type lensPage struct {
	Lens
	Action string
	Typed  string // in the box: a URL that can be typed
	// Examples are on the page without a URL.
	Examples []IndexEntry
}

// lensExamples returns links to the page of the lens at path, about URLs that readers take
// differently.
func lensExamples(path string) []IndexEntry {
	list := []IndexEntry{
		{Text: "http://0x7f.1/", Note: "an IPv4 address in hexadecimal, with two parts"},
		{Text: "http:/metadata.example/", Note: "one slash before the host"},
		{Text: `http://evil.example\@good.example/`, Note: "a backslash before the host"},
		{Text: "http://\uff45vil.example/", Note: "a letter that some parsers replace"},
		{Text: "http://h.example/a/../b", Note: "a harmless difference"},
	}
	for i, e := range list {
		list[i].Link = path + "?" + url.Values{"url": {e.Text}}.Encode()
	}
	return list
}

// Lens writes the page of a URL under every reader.
func (p *Printer) Lens(w io.Writer, h *Head, l Lens) error {
	g := p.begin(w, h, nil, kindNone, "Lens")
	d := lensPage{Lens: l, Action: g.site.Lens, Examples: lensExamples(g.site.Lens)}
	if shown(l.Input) == l.Input {
		d.Typed = l.Input
	}
	g.put("lens", d)
	return g.end(nil)
}
