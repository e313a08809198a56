package scheme

import (
	"io"
	"iter"
	"time"

	"github.com/locus-url/locus"
)

// Resource is the result of opening a URL: an [*Object], a [*Menu], a [*Session] or a
// [*Redirect]. The caller closes it.
type Resource interface {
	io.Closer
	isResource()
}

// Object is a sequence of bytes.
type Object struct {
	URL      locus.URL
	Name     string    // the server's name for it; never to be used as a path
	Type     string    // media type, perhaps with parameters; empty if unknown
	Encoding string    // content coding of Body: "gzip"; empty if none
	Size     int64     // bytes of the whole object; -1: unknown
	Start    int64     // offset of Body in the object: Request.Offset, or 0 if the server ignored it
	ModTime  time.Time // zero: unknown
	Tag      string    // identifies this version of the object, for Request.Tag; empty if none
	// Refresh says when and where a browser goes on by itself: "5; url=a.html", as HTML 4.2.5.3
	// has it. Empty: nowhere.
	Refresh string
	// Note is a clause for people: not safe for a terminal. Reading Body may set it, in
	// the goroutine that reads.
	Note string
	// Resumable reports that the server says it can send the object from an offset:
	// see Request.Offset.
	Resumable bool
	// Body may be closed while a Read waits, which ends the Read.
	Body io.ReadCloser
}

// Menu is a list of links: a directory, a gopher menu, the results of a search. Items may
// be read from the network while the caller ranges over them. An error ends them; the
// items before it are valid.
type Menu struct {
	URL   locus.URL
	Title string
	// Items can be ranged over once. Those of package access yield an error the second
	// time.
	Items iter.Seq2[Item, error]
	Note  string // a clause for people: not safe for a terminal
	// Form asks for input, such as the words of a search. nil: none. A menu that is
	// only a form has no items.
	Form *Form
	// Source returns the bytes of the menu as they came from the server, and their media
	// type if the server named one. It may be called when Items has ended without an
	// error, and [Scheme.Kept] reads what it returns. Nil bytes: there were more than are
	// kept. nil: the request did not ask for it (Request.Source), or the menu was not made
	// from octets.
	Source func() (octets []byte, mediaType string)
	// Closer may be closed while Items waits, which ends them. nil: no closer.
	Closer io.Closer
}

// Item is one line of a menu.
type Item struct {
	URL     locus.URL // zero: the line locates nothing
	Title   string    // as the server gave it: not safe for a terminal
	Kind    ItemKind
	Type    string    // media type; empty if unknown before the item is opened
	Size    int64     // bytes; -1: unknown
	ModTime time.Time // zero: unknown
	Note    string    // for people
	Fields  []Field   // for programs: number, from, score
}

// ItemKind is what an item most likely leads to.
type ItemKind string

const (
	KindObject  ItemKind = "object"
	KindMenu    ItemKind = "menu"
	KindSearch  ItemKind = "search" // asks for words
	KindForm    ItemKind = "form"   // asks for answers
	KindSession ItemKind = "session"
	KindInfo    ItemKind = "info"
	KindError   ItemKind = "error"
	KindUnknown ItemKind = "unknown"
)

// Session is an interactive service (RFC 1738 section 3.8). User and Password are advice
// for the user and never sent automatically: clients "merely advise the user of the
// suggested username and password".
type Session struct {
	URL            locus.URL
	User, Password string
	// Conn reads the output of the service and writes the user's input: bytes for a
	// terminal and from its keyboard, where "\r" is Enter and "\n" ends a line.
	Conn Terminal
}

// Redirect lists other URLs that lead to the object, the preferred one first: a redirect,
// a Prospero link.
type Redirect struct {
	URL       locus.URL
	To        []locus.URL
	Permanent bool
}

// Close closes the body.
func (o *Object) Close() error { return o.Body.Close() }

// Close ends Items.
func (m *Menu) Close() error {
	if m.Closer == nil {
		return nil
	}
	return m.Closer.Close()
}

// Close closes the connection.
func (s *Session) Close() error { return s.Conn.Close() }

// Close does nothing: a redirect holds nothing open.
func (r *Redirect) Close() error { return nil }

func (*Object) isResource()   {}
func (*Menu) isResource()     {}
func (*Session) isResource()  {}
func (*Redirect) isResource() {}
