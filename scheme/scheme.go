package scheme

import (
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/relative"
)

// Status tells where a scheme's name comes from.
type Status uint8

const (
	Standard     Status = iota // RFC 1738 gives syntax and access
	Draft                      // the URI draft that became RFC 1630 gives them
	Extension                  // in neither, and supported here
	Reserved                   // a name that one of them reserves, without syntax
	Experimental               // begins with "x-" (RFC 1738 section 4)
)

func (s Status) String() string {
	return [...]string{"standard", "draft", "extension", "reserved", "experimental"}[s]
}

// Scheme is a row of the registry: all that is known about one scheme. Name is required, and
// every zero value is a sound default. Each struct has one kind of reader; a maintainer of
// one needs none of the others. The functions may be called from many goroutines at once.
type Scheme struct {
	Name    string // in lower case
	Port    uint16 // default port; 0 if none
	Status  Status
	Section string // where the scheme is defined: "RFC 1738 3.2"
	Traits  Traits // what all readers ask about

	Syntax  Syntax  // how URLs are written and compared
	Access  Access  // how resources are opened
	Display Display // what people see
	Crawl   Crawl   // which pages make a site, and how long a response stays fresh
	Policy  Policy  // what may be sent where
}

// Syntax describes how URLs of a scheme are written, judged and compared.
type Syntax struct {
	// Form is the form of a URL, in the words of the scheme's section.
	Form string

	// Current is the standard that is in force today, by which [Registry.CheckURI] judges.
	// The zero Current: only RFC 3986.
	Current CurrentStandard

	// Reserved holds the characters that mean something else in a URL of this
	// scheme than their escapes do (section 2.2). Canonical neither escapes nor
	// unescapes them. The zero Set means the list of section 2.2.
	Reserved escape.Set

	// Hierarchy says how a relative reference in a resource of this scheme is resolved.
	Hierarchy relative.Hierarchy

	// Fields returns the decoded parts of u, for people and for JSON, in order.
	// The error is a *locus.SyntaxError: u is not in this scheme's form. nil: a URL
	// has no fields, and any form is valid.
	Fields func(u locus.URL) ([]Field, error)

	// Words returns the search of u with "+" between words read as a space (URI draft,
	// "Query strings"), decoded. ok is false if u has no search, or is not in this
	// scheme's form. nil: URLs of the scheme have no searches.
	Words func(u locus.URL) (words string, ok bool)

	// Canonical returns the canonical spelling of u, and what it changed. Two URLs are
	// the same if their canonical forms are ==. The error is a *locus.SyntaxError: u
	// is not in this scheme's form. nil: the canonical form of [Generic], for URLs that
	// Fields accepts.
	Canonical func(u locus.URL) (locus.URL, locus.Change, error)

	// Check returns all violations of u, in order of offset. There is at least one if
	// Fields or Canonical refuse u. nil: the violations that [Generic] finds, and the
	// error of Fields.
	Check func(u locus.URL, p locus.Profile) []locus.Violation

	// Notes returns advice about u that Check does not give, in order of offset. nil:
	// none.
	Notes func(u locus.URL) []locus.Violation

	// Clean are facts that rule out violations of RFC 1738: a registry does not call
	// Check for a URL that has them all and a hostname or hostnumber. NoHost among them
	// tells that the host may be empty instead. 0: it always calls Check.
	Clean locus.Facts
}

// Access describes how the resources of a scheme are opened.
type Access struct {
	// Protocol tells people how URLs are opened, in a few words: "FTP (RFC 959)". Empty:
	// not at all.
	Protocol string

	// Opener opens URLs. nil: the scheme is known, but its URLs can't be opened.
	Opener Opener

	// Kept returns the resource at u from bytes that were kept earlier: the bytes of an
	// object's body, or of Menu.Source. mediaType is what the server named; empty:
	// nothing. The resource reads body, and closes it; an error closes it too. It opens no
	// connection. A body with a method Date() time.Time tells when it was kept, which dates
	// without a year need. nil: an object.
	Archived func(u locus.URL, mediaType string, body io.ReadCloser) (Resource, error)
}

// Display describes a URL for people. Its functions get a URL of the scheme, whether or not
// the URL is in the scheme's form.
type Display struct {
	// Icon is the name of an icon of the gateway's pages. Empty: "unknown".
	Icon string
	// Split cuts the text after the host, or after the scheme's name, into the named
	// parts of the scheme's production. nil: one part, "urlpath".
	Split func(s *Splitter)
	// Title returns the name of the resource, decoded. nil: [LastSegment].
	Title func(u locus.URL) string
	// Parents returns the menus above the resource, the outermost first. nil: none.
	Parents func(u locus.URL) []Parent
	// MenuLabel returns what a menu at u is called: "Newsgroup". Empty, or nil: "Menu".
	MenuLabel func(u locus.URL) string
}

// Crawl tells caches and crawlers about the resources of a scheme.
type Crawl struct {
	// Freshness returns how long a response for u may be reused. nil: not at all.
	Freshness func(u locus.URL) Freshness
	// Below reports whether u is a page of the site that begins at start. Both are in
	// canonical form and of this scheme. nil: URLs of the scheme make no sites.
	Below func(start, u locus.URL) bool
}

// Policy tells the policy and the choice of a proxy about the requests of a scheme. See
// policy.Target. The zero Policy is the strictest.
type Policy struct {
	// ProxyVars are the environment variables that name the proxy of the scheme, in
	// lower case: "http_proxy".
	ProxyVars []string
	// FromProxy returns the URL that a client of an HTTP proxy means by u, where such
	// clients write URLs of the scheme in HTTP's form. nil: u.
	FromProxy func(u locus.URL) locus.URL
	// Encoded reports that a request contains the URL as written, as in HTTP: the
	// server receives no byte decoded.
	Encoded bool
	// OffPort are the control bytes that may be sent, decoded, to another port than
	// Port, because the syntax of the scheme needs them.
	OffPort escape.Set
	// OffPortTexts are encoded texts with control bytes that may go to another port,
	// too, because no request can do without them. Letters are in upper case.
	OffPortTexts []string
	// OtherPort returns another port that belongs to the scheme for u; 0 if none. nil:
	// none for any URL.
	OtherPort func(u locus.URL) uint16
}

// Field is one decoded part of a URL. Value is nil (absent), bool, int, string
// (bytes, perhaps no UTF-8), []string, or [][]Field for a list of records.
type Field struct {
	Name  string
	Value any
}

// Text returns the value for people, as UTF-8: bytes that are not are read as ISO Latin 1,
// and the text says so. Absent is "". It is not safe for a terminal.
func (f Field) Text() string {
	switch v := f.Value.(type) {
	case nil:
		return ""
	case string:
		if text := octet.Text(v); text != v {
			return text + " (ISO Latin 1)"
		}
		return v
	case []string:
		list := make([]string, len(v))
		for i, s := range v {
			list[i] = strconv.Quote(Field{Value: s}.Text())
		}
		return "[" + strings.Join(list, ", ") + "]"
	case [][]Field:
		list := make([]string, len(v))
		for i, record := range v {
			fields := make([]string, len(record))
			for j, field := range record {
				fields[j] = field.Name + " " + field.Text()
			}
			list[i] = strings.Join(fields, ", ")
		}
		return strings.Join(list, "; ")
	default:
		return fmt.Sprint(v)
	}
}

// Opener opens URLs of one scheme: one request, without redirects, policy or retry. It
// reaches the network only through Request.Dial. It may be used from many goroutines at
// once.
//
// Open ends when ctx does. Reading the resource that it returned then fails with the
// cause of ctx. Open fails before it dials for a URL that Fields refuses, a URL of another
// scheme, and one with bytes that a request can't contain.
type Opener interface {
	Open(ctx context.Context, req *Request) (Resource, error)
}

// ProxyOpener is an Opener that can also send requests to an HTTP proxy: an http or
// https URL without a path, whose user and password are for the proxy. It dials only the
// proxy.
type ProxyOpener interface {
	Opener
	// OpenVia requests req.URL from the proxy. The URL may have any scheme that is not
	// encrypted: "the entire URI" is sent (URI draft, "HTTP").
	OpenVia(ctx context.Context, req *Request, proxy locus.URL) (Resource, error)
	// Tunnel has the proxy connect to address, host:port, and returns the connection.
	Tunnel(ctx context.Context, d Dialer, proxy locus.URL, address string) (net.Conn, error)
}

// OpenerFunc is a function that is an [Opener]. In a registry it is called only for URLs of
// its scheme that Fields accepts.
type OpenerFunc func(ctx context.Context, req *Request) (Resource, error)

// Open calls f.
func (f OpenerFunc) Open(ctx context.Context, req *Request) (Resource, error) { return f(ctx, req) }
