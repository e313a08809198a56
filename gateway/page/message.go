package page

import (
	"io"

	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
)

// messagePage writes a page of a mail message or a news article: the header fields
// that people read, the texts, images in their place, links to the other parts and to
// the messages that it replies to. broken is why m is incomplete, nil if it is not.
func (p *Printer) messagePage(w io.Writer, h *Head, o *scheme.Object, m *message.Message, broken error) error {
	if h.Title == "" {
		copied := *h
		copied.Title = m.Subject()
		h = &copied
	}
	k := kindLetter
	if m.Get("Newsgroups") != "" {
		k = kindArticle
	}
	g, err := p.beginObject(w, h, o, k)
	if err != nil {
		return err
	}
	l := letterPrinter{page: g, m: m}
	if err := l.write(); err != nil {
		return err
	}
	return g.end(broken)
}
