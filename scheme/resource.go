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
	Name     string    // object name from the server; must not be used as a path
	Type     string    // media type, perhaps with parameters; empty if unknown
	Encoding string    // content coding of Body: "gzip"; empty if none
	Size     int64     // bytes of the whole object; -1 if unknown
	Start    int64     // offset of Body in the object: Request.Offset, or 0 if the server ignored Offset
	ModTime  time.Time // modification time; zero if unknown
	Tag      string    // identifier of this version of the object, for Request.Tag; empty if none
	// Refresh is the automatic navigation that the page requests, such as "5; url=a.html"
	// (HTML section 4.2.5.3). It is empty if there is none.
	Refresh string
	// Note is a remark for the user. It is not safe for a terminal. Body.Read may set Note, so
	// the caller must not access Note concurrently with Read.
	Note string
	// Resumable means that the server can send the object from an offset (see Request.Offset).
	Resumable bool
	// Body contains the bytes of the object. Closing Body interrupts a Read that waits.
	Body io.ReadCloser
}

// Menu is a list of links: a directory, a gopher menu, or the results of a search. Iterating
// over Items may read from the network. Items ends after the first error; the items before the
// error are valid.
type Menu struct {
	URL   locus.URL
	Title string
	// Items must be iterated over at most once. In a menu from package access, a second
	// iteration yields an error.
	Items iter.Seq2[Item, error]
	Note  string // a remark for the user; not safe for a terminal
	// Form describes the input that the menu requires, such as search words. It is nil if the
	// menu has no form. A menu that consists only of a form has no items.
	Form *Form
	// Source returns the bytes of the menu as the server sent them, and their media type if
	// the server reported one. The caller may call Source after Items ended without an error,
	// and parse the bytes with [Access].Archived. Source returns nil if the menu exceeded the
	// size limit. The field is nil if the request did not set Request.Source, or if the menu
	// was not parsed from bytes.
	Source func() (octets []byte, mediaType string)
	// Closer closes the connection from which Items reads. Closing it interrupts an iteration
	// that waits. Closer may be nil.
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
	Note    string    // remark for the user
	Fields  []Field   // values for programs, such as "number", "from" and "score"
}

// ItemKind is the kind of resource to which an item probably leads.
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
	// Conn reads the output of the service and writes the user's input. Its bytes are those of
	// a terminal: the Enter key sends "\r", and "\n" ends a line.
	Conn Terminal
}

// Redirect lists other URLs at which the object is available, the preferred URL first. HTTP
// redirects and Prospero links are represented as a Redirect.
type Redirect struct {
	URL       locus.URL
	To        []locus.URL
	Permanent bool
}

// Close closes the body.
func (o *Object) Close() error { return o.Body.Close() }

// Close closes the connection from which Items reads.
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
