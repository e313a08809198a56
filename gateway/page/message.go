package page

import (
	"io"

	"github.com/locus-url/locus/message"
)

// Message writes a message of mail or an article of news: its header for people, its
// texts with quotes and signature told apart, its pictures where they are, its
// other parts as links, and the messages it answers. If m is a part of another one,
// [Show.Part] says which.
func (p *Printer) Message(w io.Writer, h *Head, m *message.Message) error {
	return p.message(w, h, m, nil)
}

func (p *Printer) message(w io.Writer, h *Head, m *message.Message, broken error) error {
	if h.Title == "" {
		copied := *h
		copied.Title = m.Subject()
		h = &copied
	}
	k := kindLetter
	if m.Get("Newsgroups") != "" {
		k = kindArticle
	}
	g, err := p.begin(w, h, k)
	if err != nil {
		return err
	}
	l := letterPrinter{page: g, m: m}
	if err := l.write(); err != nil {
		return err
	}
	return g.end(broken)
}
