package page

import (
	"io"
	"net/url"
)

// Lens is a comparison of the ways in which parsers read a URL. A Lens must not contain a
// password.
type Lens struct {
	Input   string     // the URL; if empty, the page shows examples
	Columns [][]string // names of the parsers that agree, for each column
	Parts   []LensPart
	Refused []LensRefusal
	Verdict string // the differences; empty if all parsers agree
	Danger  bool
	// Advisories lists published vulnerabilities with similar URLs.
	Advisories []string
	Share      string // path of the page for this URL; empty if it must not be shared
}

// LensPart is a part of the URL as the parsers read this part.
type LensPart struct {
	Name    string
	Differs bool
	Texts   []*string // one per column; nil if the part is absent
}

// LensRefusal contains the names of parsers that reject the URL, and the reason.
type LensRefusal struct{ Names, Why string }

// lensPage is the data for the template "lens".
type lensPage struct {
	Lens
	Action string
	Typed  string // text in the box, if the user can type another URL
	// The page shows Examples if there is no URL.
	Examples []IndexEntry
}

// lensExamples returns links to the lens page at the given path. The links contain URLs
// that parsers interpret differently.
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

// Lens writes the page that compares how parsers read a URL.
func (p *Printer) Lens(w io.Writer, h *Head, l Lens) error {
	g := p.beginPage(w, h, nil, kindNone, "Lens")
	d := lensPage{Lens: l, Action: g.site.Lens, Examples: lensExamples(g.site.Lens)}
	if safeText(l.Input) == l.Input {
		d.Typed = l.Input
	}
	g.writePiece("lens", d)
	return g.endPage(nil)
}
