package tour

import (
	"strings"

	"github.com/locus-url/locus/scheme/wais/waistest"
)

// startWAIS starts a WAIS server with two databases, a collection of texts and a card index. One
// of the texts has two media types.
func (m *Demo) startWAIS() error {
	var databases [2]waistest.Database
	if err := m.readJSON("wais/databases.json", &databases); err != nil {
		return err
	}
	var err error
	if databases[1].Documents, err = m.waisCards(); err != nil {
		return err
	}
	server, err := waistest.Start(databases[:], &waistest.Options{Listener: m.tcp["wais"]})
	if err == nil {
		const twoTypes = 1 // index of the document that has two types
		m.base["document"], m.base["picture"] = server.Wpath("museum", twoTypes), server.Wpath("museum", len(databases[0].Documents)-1)
	}
	return m.closeLater(server, err)
}

func (m *Demo) waisCards() (documents []waistest.Document, err error) {
	texts, err := m.cards("wais/cards.txt")
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		title, _, _ := strings.Cut(text, "\n")
		number, _, _ := strings.Cut(title, ":")
		documents = append(documents, waistest.Document{
			Headline: title, Path: "/rfc/" + strings.ReplaceAll(strings.ToLower(number), " ", ""), Date: "941201",
			Types: []waistest.Typed{{Wtype: "TEXT", Data: []byte(text)}},
		})
	}
	return documents, nil
}

// cards splits an exhibit into separate texts at the lines "%%".
func (m *Demo) cards(name string) ([]string, error) {
	octets, err := m.readExhibit(name)
	return strings.Split(string(octets), "%%\n"), err
}
