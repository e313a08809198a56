package browse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
)

// addMessage adds a mail message, a news article, or the message part that the place selects.
func (p *page) addMessage(r *scheme.Registry, whole bool) error {
	m, err := message.Parse(bytes.NewReader(p.octets), int64(len(p.octets)), nil)
	if err != nil || m == nil {
		p.addPlain(r, decode(p.mediaType, p.octets))
		if errors.Is(err, message.ErrNoMessage) || !whole {
			err = nil
		}
		return err
	}
	if p.place.part != "" {
		return p.addPart(r, m)
	}
	if subject := term.Text(m.Subject()); subject != "" {
		p.title = subject
	}
	var text strings.Builder
	isNews := r.Scheme(p.result.URL).Traits.Has(scheme.News)
	if err := m.WriteText(&text, &message.TextOptions{IsArticle: isNews}); err != nil {
		return err
	}
	p.addPlain(r, text.String())
	p.addParts(m)
	return nil
}

// addParts adds links to the parts of a multipart message.
func (p *page) addParts(m *message.Message) {
	parts := slices.DeleteFunc(slices.Clone(m.Parts()), func(part message.Part) bool { return part.Multipart() })
	if len(parts) < 2 {
		return
	}
	p.addText(plain, "")
	p.addText(bold, "Parts")
	for _, part := range parts {
		to := p.place
		to.part = part.Path
		p.addLink(strings.TrimSpace(fmt.Sprintf("%s %s %s", part.Path, term.Text(part.Type), term.Text(part.Name))), link{place: to})
	}
}

// addPart adds one part of a message.
func (p *page) addPart(r *scheme.Registry, m *message.Message) error {
	part, ok := m.Part(p.place.part)
	if !ok {
		return fmt.Errorf("%w: the message has no part %s", scheme.ErrNotFound, p.place.part)
	}
	p.mediaType = part.Type
	p.title = strings.TrimSpace("Part " + part.Path + " " + term.Text(part.Name))
	octets, err := io.ReadAll(io.LimitReader(part.Open(), maxText))
	p.octets, p.whole = octets, err == nil
	if !strings.HasPrefix(part.Type, "text/") {
		p.describe(&scheme.Object{Type: part.Type, Name: part.Name, Size: int64(len(octets))})
		p.notRead = false
		return err
	}
	text, err2 := io.ReadAll(io.LimitReader(part.Text(), maxText))
	p.addTyped(r, part.Type+"; charset=utf-8", text)
	return errors.Join(err, err2)
}
