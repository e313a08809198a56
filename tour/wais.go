package tour

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/locus-url/locus/scheme/wais/waistest"
)

// startWAIS starts a server with a database of texts, one of which has two types, and a
// card index.
func (m *Museum) startWAIS() error {
	documents, err := m.waisDocuments()
	if err != nil {
		return err
	}
	cards, err := m.waisCards()
	if err != nil {
		return err
	}
	var databases [2]waistest.Database
	if err := m.readJSON("wais/databases.json", &databases); err != nil {
		return err
	}
	databases[0].Documents, databases[1].Documents = documents, cards
	server, err := waistest.Start(databases[:], &waistest.Options{Listener: m.tcp["wais"]})
	if err == nil {
		const twoTypes = 1 // the index of the document that has them
		m.base["document"], m.base["picture"] = server.Wpath("museum", twoTypes), server.Wpath("museum", len(documents)-1)
	}
	return m.keep(server, err)
}

// waisDocuments returns the texts that are named after a year, each with the page of
// that name if there is one, and a picture.
func (m *Museum) waisDocuments() (documents []waistest.Document, err error) {
	texts, err := m.readAll("wais/[0-9]*.txt")
	if err != nil {
		return nil, err
	}
	for _, e := range texts {
		d := waistest.Document{
			Headline: e.title, Path: "/museum/" + path.Base(e.name), Date: "940601",
			Types: []waistest.Typed{{Wtype: "TEXT", Data: []byte(e.text)}},
		}
		page, err := m.read(strings.TrimSuffix(e.name, ".txt") + ".html")
		switch {
		case err == nil:
			d.Types = append(d.Types, waistest.Typed{Wtype: "HTML", Data: page})
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		documents = append(documents, d)
	}
	picture, err := m.read("files/pub/pictures/gopher.gif")
	return append(documents, waistest.Document{
		Headline: "A gopher, drawn on squared paper", Path: "/museum/gopher", Date: "941201",
		Types: []waistest.Typed{
			{Wtype: "TEXT", Data: []byte("A gopher, drawn on squared paper: a picture, which has no words to search.\n")},
			{Wtype: "GIF", Data: picture},
		},
	}), err
}

func (m *Museum) waisCards() (documents []waistest.Document, err error) {
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

// cards returns the texts of an exhibit, which lines of "%%" separate.
func (m *Museum) cards(name string) ([]string, error) {
	octets, err := m.read(name)
	return strings.Split(string(octets), "%%\n"), err
}
