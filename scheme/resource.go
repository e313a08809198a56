package scheme

import (
	"io"
	"iter"
	"time"

	"github.com/locus-url/locus"
)

// Resource is the result of opening a URL: an [*Object], a [*Menu], a [*Session] or a
// [*Redirect]. The caller must close it.
type Resource interface {
	io.Closer
	isResource()
}

// Object is a sequence of bytes.
type Object struct {
	URL      locus.URL
	Name     string    // the server's name for the object; must not be used as a path
	Type     string    // media type, perhaps with parameters; empty if unknown
	Encoding string    // content coding of Body: "gzip"; empty if none
	Size     int64     // bytes of the whole object; -1 if unknown
	Start    int64     // offset of Body in the object: Request.Offset, or 0 if the server ignored it
	ModTime  time.Time // modification time; zero if unknown
	Tag      string    // identifies this version of the object, for Request.Tag; empty if none
	// Refresh is the automatic navigation that the page requests, as in HTML 4.2.5.3,
	// such as "5; url=a.html". It is empty if there is none.
	Refresh string
	// Note is a clause for people and is not safe for a terminal. Reading Body may set
	// Note, so the caller must not access it concurrently with Read.
	Note string
	// Resumable means that the server can send the object from an offset: see
	// Request.Offset.
	Resumable bool
	// Body may be closed while a Read waits, which ends the Read.
	Body io.ReadCloser
}

// Menu is a list of links: a directory, a gopher menu, or the results of a search.
// Iterating over Items may read from the network. An error ends the items; the items before
// it are valid.
type Menu struct {
	URL   locus.URL
	Title string
	// Items must be iterated over at most once. The Items of a menu from package access
	// yield an error the second time.
	Items iter.Seq2[Item, error]
	Note  string // a clause for people: not safe for a terminal
	// Form requests input, such as the words of a search. It is nil if the menu has no
	// form. A menu that is only a form has no items.
	Form *Form
	// Source returns the bytes of the menu as the server sent them, and their media type if
	// the server reported one. The caller may call it after Items ended without an error,
	// and parse the bytes with [Access].Archived. It returns nil if the menu exceeded the
	// size limit. Source is nil if the request did not set Request.Source, or if the menu
	// was not made from bytes.
	Source func() (octets []byte, mediaType string)
	// Closer may be closed while Items waits, which ends the items. It may be nil.
	Closer io.Closer
}

// Item is one line of a menu.
type Item struct {
	URL     locus.URL // URL of the item; zero if the line is not a link
	Title   string    // title from the server; not safe for a terminal
	Kind    ItemKind
	Type    string    // media type; empty if unknown before the item is opened
	Size    int64     // bytes; -1 if unknown
	ModTime time.Time // modification time; zero if unknown
	Note    string    // note for people
	Fields  []Field   // values for programs: number, from, score
}

// ItemKind is the likely kind of the resource of an item.
type ItemKind string

const (
	KindObject  ItemKind = "object"
	KindMenu    ItemKind = "menu"
	KindSearch  ItemKind = "search" // requires search words
	KindForm    ItemKind = "form"   // requires answers
	KindSession ItemKind = "session"
	KindInfo    ItemKind = "info"
	KindError   ItemKind = "error"
	KindUnknown ItemKind = "unknown"
)

// Session is an interactive service (RFC 1738 section 3.8). The client must not send User
// and Password automatically: clients "merely advise the user of the suggested username and
// password".
type Session struct {
	URL            locus.URL
	User, Password string
	// Conn reads the output of the service and writes the user's input. The bytes
	// are a terminal's: "\r" is Enter, and "\n" ends a line.
	Conn Terminal
}

// Redirect lists other URLs for the object, the preferred one first. An HTTP redirect and a
// Prospero link are redirects.
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

// Close does nothing, because a redirect has no open connection.
func (r *Redirect) Close() error { return nil }

func (*Object) isResource()   {}
func (*Menu) isResource()     {}
func (*Session) isResource()  {}
func (*Redirect) isResource() {}
