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

// Status is the origin of a scheme's name.
type Status uint8

const (
	Standard     Status = iota // RFC 1738 defines syntax and access
	Draft                      // the URI draft that became RFC 1630 defines syntax and access
	Extension                  // neither RFC 1738 nor the draft defines the scheme
	Reserved                   // RFC 1738 or the draft reserves the name without a syntax
	Experimental               // the name begins with "x-" (RFC 1738 section 4)
)

func (s Status) String() string {
	return [...]string{"standard", "draft", "extension", "reserved", "experimental"}[s]
}

// Scheme describes one scheme; a [Registry] holds a list of them. Name is required, and Section should
// be set. Every other zero value is a safe default. Each struct below serves one kind of caller. The
// functions may be called concurrently.
type Scheme struct {
	Name    string // name in lower case
	Port    uint16 // default port; 0 if none
	Status  Status
	Section string // the section that defines the scheme: "RFC 1738 3.2"
	Traits  Traits // properties that all callers need

	Syntax  Syntax  // how URLs are written and compared
	Access  Access  // how resources are opened
	Display Display // descriptions for people
	Crawl   Crawl   // which pages form a site, and how long a response stays fresh
	Policy  Policy  // which bytes a client may send to which port
}

// Syntax describes how URLs of a scheme are written, checked and compared.
type Syntax struct {
	// Form is the form of a URL, in the words of the scheme's section.
	Form string

	// Current is the standard in force today, which [Registry.CheckURI] applies. The zero
	// Current applies only RFC 3986.
	Current CurrentStandard

	// Reserved holds the characters whose meaning in a URL of this scheme differs from the
	// meaning of their escapes (section 2.2). Canonical neither escapes nor unescapes them.
	// The zero Set means the list of section 2.2.
	Reserved escape.Set

	// Hierarchy selects the rules for resolving relative references in resources of this
	// scheme.
	Hierarchy relative.Hierarchy

	// Fields returns the decoded parts of u in order, for people and for JSON. If u is not
	// in this scheme's form, the error is a *locus.SyntaxError. If Fields is nil, a URL has
	// no fields, and any form is valid.
	Fields func(u locus.URL) ([]Field, error)

	// Words returns the decoded search of u, with "+" read as a space (URI draft, "Query
	// strings"). If u lacks a search or is not in this scheme's form, ok is false. If
	// Words is nil, URLs of the scheme have no searches.
	Words func(u locus.URL) (words string, ok bool)

	// Canonical returns the canonical spelling of u and the changes that it made. Two URLs
	// are the same if their canonical forms are ==. If u is not in this scheme's form, the
	// error is a *locus.SyntaxError. If Canonical is nil, the canonical form of [Generic]
	// applies to URLs that Fields accepts.
	Canonical func(u locus.URL) (locus.URL, locus.Change, error)

	// Check returns all violations of u, in order of offset. If Fields or Canonical rejects
	// u, Check must return at least one. If Check is nil, the registry returns the
	// violations that [Generic] finds. If Fields returns an error, the registry adds that
	// error as a violation.
	Check func(u locus.URL, p locus.Profile) []locus.Violation

	// Notes returns advice about u that Check does not return, in order of offset. If nil,
	// there is no advice.
	Notes func(u locus.URL) []locus.Violation

	// Clean holds facts that together rule out violations of RFC 1738. If a URL has all
	// these facts and a hostname or hostnumber, a registry does not call Check for the
	// URL. If Clean includes NoHost, the host may be empty instead. If Clean is zero, the
	// registry always calls Check.
	Clean locus.Facts
}

// Access describes how the resources of a scheme are opened.
type Access struct {
	// Protocol describes in a few words how URLs are opened, such as "FTP (RFC 959)". It is
	// empty if the scheme defines no access.
	Protocol string

	// Opener opens URLs. If nil, URLs of the scheme can be parsed but not opened.
	Opener Opener

	// Archived returns the resource at u from archived bytes: the bytes of an object's
	// body, or of Menu.Source. The parameter mediaType is the type that the server
	// reported, or empty. Closing the resource closes body; if Archived fails, it must
	// close body. It must not open a connection. If body has a method Date() time.Time, it
	// returns the time of archiving, which Archived needs for dates without a year. If
	// Archived is nil, the bytes are an object.
	Archived func(u locus.URL, mediaType string, body io.ReadCloser) (Resource, error)
}

// Display describes a URL for people. Its functions receive a URL of the scheme, whether or
// not the URL is in the scheme's form.
type Display struct {
	// Icon is the name of an icon in the pages of the gateway. Empty means "unknown".
	Icon string
	// Split cuts the text after the host, or after the scheme's name, into the named parts
	// of the scheme's production. If nil, there is one part, "urlpath".
	Split func(s *Splitter)
	// Title returns the decoded name of the resource. If nil, [LastSegment] is used.
	Title func(u locus.URL) string
	// Parents returns the menus above the resource, the outermost first. If nil, there are
	// none.
	Parents func(u locus.URL) []Parent
	// MenuLabel returns a label for a menu at u, such as "Newsgroup". If it is nil or
	// returns "", the label is "Menu".
	MenuLabel func(u locus.URL) string
}

// Crawl describes the resources of a scheme for caches and crawlers.
type Crawl struct {
	// Freshness returns how long a response for u may be reused. If nil, responses must not
	// be reused.
	Freshness func(u locus.URL) Freshness
	// Below reports whether u is a page of the site that begins at start. Both are
	// canonical URLs of this scheme. If nil, URLs of the scheme form no sites.
	Below func(start, u locus.URL) bool
}

// Policy describes the requests of a scheme for the policy and for the choice of a proxy.
// See policy.Target. The zero Policy is the strictest.
type Policy struct {
	// ProxyVars holds the environment variables that set the proxy of the scheme, in lower
	// case, such as "http_proxy".
	ProxyVars []string
	// FromProxy returns the URL that a client of an HTTP proxy means by u. Some clients
	// write URLs of the scheme in the form of an http URL. If FromProxy is nil, the URL is
	// u.
	FromProxy func(u locus.URL) locus.URL
	// Encoded means that a request contains the URL as written, as in HTTP, so that the
	// server receives no decoded byte.
	Encoded bool
	// OffPort holds the control characters that a client may send, decoded, to another
	// port than Port, because the syntax of the scheme requires them.
	OffPort escape.Set
	// OffPortTexts holds encoded texts, in upper case, whose control characters a client
	// may also send to another port, because every request needs them.
	OffPortTexts []string
	// OtherPort returns another port that belongs to the scheme for u, or 0. If nil, the
	// scheme has only Port.
	OtherPort func(u locus.URL) uint16
}

// Field is one decoded part of a URL. Value is nil (absent), bool, int, string (bytes,
// which may not be UTF-8), []string, or [][]Field for a list of records.
type Field struct {
	Name  string
	Value any
}

// Text returns the value for people, in UTF-8. It reads bytes that are not UTF-8 as ISO
// Latin 1 and adds a note to the text. For an absent value it returns "". The text is not
// safe for a terminal.
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

// Opener opens URLs of one scheme. It sends one request, without redirects, policy or
// retries. It must use only Request.Dial to reach the network. It must be safe for
// concurrent use.
//
// Open must return when ctx ends. Reading the returned resource must then fail with the
// cause of ctx. Open must fail before it dials if Fields rejects the URL, if the scheme
// differs, or if the URL contains bytes that a request cannot contain.
type Opener interface {
	Open(ctx context.Context, req *Request) (Resource, error)
}

// ProxyOpener is an Opener that can also send requests to an HTTP proxy. The proxy is an
// http or https URL without a path, with the user and password for the proxy. The opener
// must dial only the proxy.
type ProxyOpener interface {
	Opener
	// OpenVia requests req.URL from the proxy. The URL may have any scheme that is not
	// encrypted: the opener sends "the entire URI" (URI draft, "HTTP").
	OpenVia(ctx context.Context, req *Request, proxy locus.URL) (Resource, error)
	// Tunnel requests a connection to address (host:port) from the proxy and returns it.
	Tunnel(ctx context.Context, d Dialer, proxy locus.URL, address string) (net.Conn, error)
}

// OpenerFunc is a function that implements [Opener]. A registry calls it only for URLs of
// its scheme that Fields accepts.
type OpenerFunc func(ctx context.Context, req *Request) (Resource, error)

// Open calls f.
func (f OpenerFunc) Open(ctx context.Context, req *Request) (Resource, error) { return f(ctx, req) }
