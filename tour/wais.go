package tour

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/wais/waistest"
)

// waisRoom serves a database of texts by WAIS. One of them has two types.
func waisRoom(exhibits fs.FS) (room, error) {
	documents, err := waisDocuments(exhibits)
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
	}}, nil)
	if err != nil {
		return room{}, err
	}
	stop := func(title, path string) Stop {
		return Stop{Scheme: "wais", Section: "RFC 1738 3.9", Title: title, URL: locus.MustParse("wais://" + server.Addr() + "/" + path)}
	}
	const twoTypes = 1 // the place of the document that has them
	wpath := server.Wpath(database, twoTypes)
	return room{
		stops: []Stop{
			stop("a database: a search for nothing makes it tell about itself", database),
			stop("a search: words go there, and headlines with scores come back", database+"?database+server"),
			stop("a document: its name is what its server called it, octet for octet", database+"/TEXT/"+wpath),
			stop("the same document as another type", database+"/HTML/"+wpath),
		},
		close: server.Close,
	}, nil
}

// waisDocuments are the texts that have a year for a name, by their first lines,
// each with the page of that name if there is one.
func waisDocuments(exhibits fs.FS) ([]waistest.Document, error) {
	names, err := fs.Glob(exhibits, "wais/*.txt")
	if err != nil {
		return nil, err
	}
	var documents []waistest.Document
	for _, name := range names {
		octets, err := fs.ReadFile(exhibits, name)
		if err != nil {
			return nil, err
		}
		title, _, _ := strings.Cut(string(octets), "\n")
		d := waistest.Document{
			Headline: title, Path: "/museum/" + path.Base(name), Date: "940601",
			Types: []waistest.Typed{{Wtype: "TEXT", Data: octets}},
		}
		page, err := fs.ReadFile(exhibits, strings.TrimSuffix(name, ".txt")+".html")
		switch {
		case err == nil:
			d.Types = append(d.Types, waistest.Typed{Wtype: "HTML", Data: page})
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		}
		documents = append(documents, d)
	}
	return documents, nil
}
