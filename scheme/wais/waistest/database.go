package waistest

import (
	"bytes"
	"cmp"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
)

// infoDatabase is the name of the database that lists the databases of a server. It is also
// the default database.
const infoDatabase = "INFO"

// These are document types with a special meaning.
const (
	text   = "TEXT"
	source = "WSRC" // type of a source description
)

// Database is a database that a server serves.
type Database struct {
	Name string

	// Description and Maintainer are parts of the source description.
	Description string
	Maintainer  string // empty selects an example address
	Keywords    []string

	Documents []Document

	// Source and Catalog are the texts that describe the database. The server generates them
	// if they are nil.
	Source, Catalog []byte
}

// Document is a document in a database. Its document-id identifies the part of the file Path
// that begins at byte Start.
type Document struct {
	Headline string
	Path     string // if empty, the server generates a path
	Start    int
	Date     string // "yymmdd" or "yyyymmdd"; empty means "0"
	// Types contains the formats of the document, at least one. The server searches for words
	// in the first format. A hit contains the size and the number of lines of the first
	// format.
	Types []Typed
}

// Typed is one format of a document.
type Typed struct {
	Wtype string
	Data  []byte // data; the caller must not change it while the server runs
}

type database struct {
	name, path  string
	documents   []*document
	byID        map[string]*document // documents by local id, including documents about the database
	description *document
	catalog     *document
}

type document struct {
	Document
	localID string
	id      []byte // document-id
	source  string // name of its database
	lines   int
	help    bool // the document describes the database
	number  int  // index of the document in the database
	words   func() map[string]int
}

// load returns a map of the databases by name. If the list contains no INFO database, load
// generates one.
func load(list []Database, o *Options) (map[string]*database, error) {
	databases := make(map[string]*database)
	lists := Database{Name: infoDatabase, Description: "The sources of this server.\n"}
	for _, d := range list {
		db, err := newDatabase(d, o)
		if err != nil {
			return nil, err
		}
		if databases[d.Name] != nil {
			return nil, errorf("there are two databases %q", d.Name)
		}
		databases[d.Name] = db
		lists.Documents = append(lists.Documents, Document{
			Headline: d.Name + ".src", Path: db.path + ".src", Types: db.description.Types,
		})
	}
	if databases[infoDatabase] != nil {
		return databases, nil
	}
	db, err := newDatabase(lists, o)
	databases[infoDatabase] = db
	return databases, err
}

func newDatabase(d Database, o *Options) (*database, error) {
	if d.Name == "" || strings.ContainsAny(d.Name, "/\x1e\x1f") {
		return nil, errorf("invalid name %q of a database", d.Name)
	}
	db := &database{name: d.Name, path: o.Dir + "/" + d.Name, byID: make(map[string]*document)}
	for i, one := range d.Documents {
		if len(one.Types) == 0 {
			return nil, errorf("document %q of %q has no type", one.Headline, d.Name)
		}
		if one.Path == "" {
			one.Path = fmt.Sprintf("%s/%d", db.path, i+1)
		}
		doc := db.newDocument(one, o.Host)
		doc.number = i
		if db.byID[doc.localID] != nil {
			return nil, errorf("there are two documents %q in %q", doc.localID, d.Name)
		}
		db.byID[doc.localID] = doc
		db.documents = append(db.documents, doc)
	}
	if d.Source == nil {
		d.Source = []byte(d.sourceText(o))
	}
	if d.Catalog == nil {
		d.Catalog = []byte(db.catalogText())
	}
	db.description = db.newHelp(".src", source, d.Source, "Information on database: ")
	db.catalog = db.newHelp(".cat", text, d.Catalog, "Catalog for database: ")
	return db, nil
}

func (db *database) newDocument(d Document, server string) *document {
	d.Types = slices.Clone(d.Types)
	for i, t := range d.Types {
		if t.Data == nil {
			d.Types[i].Data = []byte{} // nil would mean a missing document
		}
	}
	first := d.Types[0]
	local := fmt.Sprintf("%d %d %s", d.Start, d.Start+len(first.Data), d.Path)
	if d.Date == "" {
		d.Date = "0"
	}
	doc := &document{Document: d, localID: local, source: db.path, lines: countLines(first.Data)}
	for i, field := range []string{server, db.path, local, server, db.path, local, "\x00"} {
		doc.id = appendElement(doc.id, 1+i, field)
	}
	doc.words = sync.OnceValue(doc.countWords)
	return doc
}

// newHelp returns a document about the database. The document-id contains no server. The end
// of the range in the document-id is 0, which means the whole file.
func (db *database) newHelp(extension, wtype string, data []byte, headline string) *document {
	doc := &document{
		Document: Document{Headline: headline + db.name, Types: []Typed{{wtype, data}}},
		localID:  "0 0 " + db.path + extension, source: db.name, lines: countLines(data) + 1, help: true,
	}
	doc.id = appendElement(doc.id, 2, db.name)
	doc.id = appendElement(doc.id, 3, doc.localID)
	doc.id = appendElement(doc.id, 7, "\x00")
	db.byID[doc.localID] = doc
	return doc
}

// countLines returns the number of lines in data. The last line may lack a line ending.
func countLines(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n
}

// data returns the document's data in the format of the given type. If d does not have this
// format, data returns the first format.
func (d *document) data(wtype []byte) []byte {
	i := slices.IndexFunc(d.Types, func(t Typed) bool { return t.Wtype == string(wtype) })
	return d.Types[max(i, 0)].Data
}

// neighbor returns a text that describes the document before or after d. If there is no such
// document, ok is false.
func (db *database) neighbor(d *document, step int) (line string, ok bool) {
	i := d.number + step
	if d.help || i < 0 || i >= len(db.documents) {
		return "", false
	}
	next := db.documents[i]
	first := next.Types[0]
	return fmt.Sprintf("%s, %q, %s, %d\x00", next.localID, next.Headline, first.Wtype, len(first.Data)), true
}

// sourceText returns the source description of d, in the layout of the freeWAIS-sf indexer.
func (d Database) sourceText(o *Options) string {
	host, port, err := net.SplitHostPort(o.Host)
	if err != nil {
		host, port = o.Host, "210"
	}
	maintainer := cmp.Or(d.Maintainer, "keeper@example.org")
	var b strings.Builder
	fmt.Fprintf(&b, "\n\n(:source \n   :version  3 \n   :ip-address %s\n   :ip-name %s\n   :tcp-port %s\n", quoted("127.0.0.1"), quoted(host), port)
	fmt.Fprintf(&b, "   :database-name %s\n   :cost 0.00 \n   :cost-unit :free \n   :maintainer %s\n", quoted(d.Name), quoted(maintainer))
	if d.Keywords != nil {
		indent := "\n" + strings.Repeat(" ", 18)
		fmt.Fprintf(&b, "   :keyword-list (%s%s%s)\n", indent, strings.Join(d.Keywords, indent), indent)
	}
	fmt.Fprintf(&b, "   :description %s\n)\n", quoted(d.Description))
	return b.String()
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func (db *database) catalogText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Catalog for database: %s\n%d total documents\n\n", db.path, len(db.documents))
	for i, d := range db.documents {
		fmt.Fprintf(&b, "Document # %d\nHeadline: %s\nDocID: %s\n\n", i+1, d.Headline, d.localID)
	}
	return b.String()
}

// countWords counts the words in the headline and in the first format of the document, if that
// format is a text. It returns a map from words in lower case to their counts.
func (d *document) countWords() map[string]int {
	counts := make(map[string]int)
	for _, octets := range d.readable() {
		for word := range bytes.FieldsFuncSeq(octets, isSeparator) {
			counts[string(bytes.ToLower(word))]++
		}
	}
	return counts
}

func (d *document) readable() [][]byte {
	list := [][]byte{[]byte(d.Headline)}
	if first := d.Types[0]; slices.Contains([]string{text, "HTML", source}, first.Wtype) {
		list = append(list, first.Data)
	}
	return list
}

// isSeparator reports whether c separates words. Invalid UTF-8 is decoded as U+FFFD, which
// does not separate words.
func isSeparator(c rune) bool {
	return c < 0x80 && !('0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z')
}
