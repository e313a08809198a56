package scheme

import (
	"io"
	"iter"
	"time"

	"github.com/locus-url/locus"
)

// Resource is what access gives: an [*Object], a [*Menu], a [*Session] or a
// [*Referral]. Whoever gets one closes it.
type Resource interface {
	io.Closer
	isResource()
}

// Object is a run of octets.
type Object struct {
	URL      locus.URL
	Name     string    // what the server calls it, if it says; never to be used as a path
	Type     string    // media type, perhaps with parameters; empty: unknown
	Encoding string    // content coding that the octets still have: "gzip"; empty: none
	Size     int64     // octets of the whole object; -1: unknown
	Start    int64     // where in the object Body begins: Request.Offset, or 0 if that was not granted
	ModTime  time.Time // zero: unknown
	Tag      string    // names this version of the object, for Request.Tag; empty: none
	// Note is what else a person should know of it, in a clause: not safe for a
	// terminal. Reading Body may set it, in the goroutine that reads.
	Note string
	// Resumable reports that the server can send the object from an offset: see
	// Request.Offset. False: it cannot, or has not said so.
	Resumable bool
	// Body may be closed while a Read waits, which ends the Read.
	Body io.ReadCloser
}

// Menu is a list of links: a directory, a gopher menu, the result of a search.
// Items may come off the network as they are asked for; an error ends them, and
// what came before it is good.
type Menu struct {
	URL   locus.URL
	Title string
	// Items can be ranged over once. Those of package access yield an error in a
	// second loop.
	Items iter.Seq2[Item, error]
	Note  string // what else a person should know of it, in a clause: not safe for a terminal
	// Form is what can be asked here, such as the words of a search. nil: nothing.
	// A menu that is a form alone has no items.
	Form *Form
	// Closer may be closed while Items waits, which ends them. nil: nothing to close.
	Closer io.Closer
}

// Item is one line of a menu.
type Item struct {
	URL     locus.URL // zero: the line locates nothing
	Title   string    // as the server gave it: not safe for a terminal
	Kind    ItemKind
	Type    string    // media type, if something tells it before the item is opened
	Size    int64     // octets; -1: unknown
	ModTime time.Time // zero: unknown
	Note    string    // what else is known, for people
	Fields  []Field   // what else is known, for programs: number, from, score
}

// ItemKind is what an item promises to be.
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

// Session is an interactive service (RFC 1738 section 3.8). User and Password
// are advice for a person, and never sent by themselves: section 3.8 has clients
// "merely advise the user of the suggested username and password".
type Session struct {
	URL            locus.URL
	User, Password string
	// Conn reads what the person sees, and writes what the person types: octets for
	// a terminal and from its keyboard, where "\r" is Enter and "\n" ends a line.
	Conn Terminal
}

// Referral is other URLs that lead to the object: a redirect, a Prospero link.
// The first is the one to try first.
type Referral struct {
	URL       locus.URL
	To        []locus.URL
	Permanent bool
}

// Close closes the body.
func (o *Object) Close() error { return o.Body.Close() }

// Close ends the reading of items.
func (m *Menu) Close() error {
	if m.Closer == nil {
		return nil
	}
	return m.Closer.Close()
}

// Close closes the connection.
func (s *Session) Close() error { return s.Conn.Close() }

// Close does nothing: a referral holds nothing open.
func (r *Referral) Close() error { return nil }

func (*Object) isResource()   {}
func (*Menu) isResource()     {}
func (*Session) isResource()  {}
func (*Referral) isResource() {}
