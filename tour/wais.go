package tour

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/locus-url/locus/scheme/wais/waistest"
)

// waisRoom serves two databases by WAIS: texts, of which one has two types, and a
// card index.
func waisRoom(h *house) (room, error) {
	documents, err := waisDocuments(h)
	if err != nil {
		return room{}, err
	}
	cards, err := waisCards(h)
	if err != nil {
		return room{}, err
	}
	const database = "museum"
	server, err := waistest.Start([]waistest.Database{{
		Name:        database,
		Description: "The room of questions. A few texts about WAIS,\nand what came of it.\n",
		Maintainer:  "keeper@museum.example",
		Keywords:    []string{"history", "networks"},
		Documents:   documents,
	}, {
		Name:        "rfc",
		Description: "A card for each document that matters in this house,\nwith who wrote it, when, and why one would read it.\n",
		Maintainer:  "keeper@museum.example",
		Keywords:    []string{"standards", "protocols"},
		Documents:   cards,
	}}, &waistest.Options{Listener: h.tcp["wais"]})
	if err != nil {
		return room{}, err
	}
	stop := func(title, path string) Stop {
		return Stop{Scheme: "wais", Section: "RFC 1738 3.9", Title: title, URL: h.url("wais", "/"+path)}
	}
	const twoTypes = 1 // the place of the document that has them
	wpath := server.Wpath(database, twoTypes)
	return room{
		name: "Questions", about: "Databases of whole texts. One asks in plain words, and the answers come with scores.",
		stops: []Stop{
			stop("a database: a search for nothing makes it tell about itself", database),
			stop("a search: words go there, and headlines with scores come back", database+"?database+server"),
			stop("a document: its name is what its server called it, octet for octet", database+"/TEXT/"+wpath),
			stop("the same document as another type", database+"/HTML/"+wpath),
			stop("a picture, found by its caption", database+"/GIF/"+server.Wpath(database, len(documents)-1)),
			stop("another database: cards of RFCs, those about mail first", "rfc?mail"),
		},
		close: server.Close,
	}, nil
}

// waisDocuments are the texts that have a year for a name, by their first lines,
// each with the page of that name if there is one.
func waisDocuments(h *house) ([]waistest.Document, error) {
	names, err := fs.Glob(h.exhibits, "wais/[0-9]*.txt")
	if err != nil {
		return nil, err
	}
	var documents []waistest.Document
	for _, name := range names {
		octets, err := h.read(name)
		if err != nil {
			return nil, err
		}
		title, _, _ := strings.Cut(string(octets), "\n")
		d := waistest.Document{
			Headline: title, Path: "/museum/" + path.Base(name), Date: "940601",
			Types: []waistest.Typed{{Wtype: "TEXT", Data: octets}},
		}
		page, err := h.read(strings.TrimSuffix(name, ".txt") + ".html")
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
			{Wtype: "GIF", Data: h.made["pictures/gopher.gif"]},
		},
	}), nil
}

// waisCards are the cards of the index.
func waisCards(h *house) ([]waistest.Document, error) {
	texts, err := h.cards("wais/cards.txt")
	if err != nil {
		return nil, err
	}
	var documents []waistest.Document
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

// cards are the texts of an exhibit, between lines of "%%".
func (h *house) cards(name string) ([]string, error) {
	octets, err := h.read(name)
	return strings.Split(string(octets), "%%\n"), err
}
