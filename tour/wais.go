package tour

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/wais/waistest"
)

// waisRoom has a database of texts, one of which has two types, and a card index.
func (m *Museum) waisRoom() (Room, error) {
	documents, err := m.waisDocuments()
	if err != nil {
		return Room{}, err
	}
	cards, err := m.waisCards()
	if err != nil {
		return Room{}, err
	}
	const database, maintainer = "museum", "keeper@museum.example"
	server, err := waistest.Start([]waistest.Database{{
		Name:        database,
		Description: "The room of questions. A few texts about WAIS,\nand what came of it.\n",
		Maintainer:  maintainer,
		Keywords:    []string{"history", "networks"},
		Documents:   documents,
	}, {
		Name:        "rfc",
		Description: "A card for each document that matters in this house,\nwith who wrote it, when, and why one would read it.\n",
		Maintainer:  maintainer,
		Keywords:    []string{"standards", "protocols"},
		Documents:   cards,
	}}, &waistest.Options{Listener: m.tcp["wais"]})
	if err := m.keep(server, err); err != nil {
		return Room{}, err
	}
	const section = "RFC 1738 3.9"
	const twoTypes = 1 // the index of the document that has them
	wpath := server.Wpath(database, twoTypes)
	return Room{
		Name: "Questions", About: "Databases of whole texts. One asks in plain words, and the answers come with scores.",
		Stops: []Stop{
			{Section: section, Kind: scheme.KindSearch, Title: "a database: a search for nothing makes it tell about itself", URL: m.url("wais", "/"+database)},
			{Section: section, Kind: scheme.KindSearch, Title: "a search: words go there, and headlines with scores come back", URL: m.url("wais", "/"+database+"?database+server")},
			{Section: section, Type: "text/plain", Title: "a document: its name is what its server called it, octet for octet", URL: m.url("wais", "/"+database+"/TEXT/"+wpath)},
			{Section: section, Type: "text/html", Title: "the same document as another type", URL: m.url("wais", "/"+database+"/HTML/"+wpath)},
			{Section: section, Type: "image/gif", Title: "a picture, found by its caption", URL: m.url("wais", "/"+database+"/GIF/"+server.Wpath(database, len(documents)-1))},
			{Section: section, Kind: scheme.KindSearch, Title: "another database: cards of RFCs, those about mail first", URL: m.url("wais", "/rfc?mail")},
		},
	}, nil
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
	return append(documents, waistest.Document{
		Headline: "A gopher, drawn on squared paper", Path: "/museum/gopher", Date: "941201",
		Types: []waistest.Typed{
			{Wtype: "TEXT", Data: []byte("A gopher, drawn on squared paper: a picture, which has no words to search.\n")},
			{Wtype: "GIF", Data: m.made["pictures/gopher.gif"]},
		},
	}), nil
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
