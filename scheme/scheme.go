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

// Status classifies a scheme by the document that defines its name.
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

// Scheme describes one scheme; a [Registry] holds a list of them. Name is required, and
// Section should be set. For every other field, the zero value is a safe default. Callers may
// call the functions in a Scheme concurrently.
type Scheme struct {
	Name    string // name in lower case
	Port    uint16 // default port; 0 if none
	Status  Status
	Section string // the section that defines the scheme: "RFC 1738 3.2"
	Traits  Traits // properties that callers need before they open a URL

	Syntax  Syntax  // how URLs are written and compared
	Access  Access  // how resources are opened
	Display Display // how URLs are shown to people
	Crawl   Crawl   // how caches and crawlers treat the resources
	Policy  Policy  // how the policy treats the requests
}

// Syntax describes how URLs of a scheme are written, checked and compared.
type Syntax struct {
	// Form is the syntax of a URL, with the names that the scheme's section uses.
	Form string

	// Current is the standard in force today, which [Registry.CheckURI] applies. The zero
	// Current applies only RFC 3986.
	Current CurrentStandard

	// Reserved is the set of characters that differ in meaning from their escapes in URLs of
	// this scheme (RFC 1738 section 2.2). Canonical neither escapes nor unescapes these
	// characters. The zero Set selects the reserved characters of section 2.2.
	Reserved escape.Set

	// Hierarchy selects the rules for resolving relative references in resources of this
	// scheme.
	Hierarchy relative.Hierarchy

	// Fields returns the decoded parts of u in order, for people and for JSON. If u does not
	// match the syntax of this scheme, the error is a *locus.SyntaxError. If Fields is nil,
	// URLs have no fields, and any syntax is valid.
	Fields func(u locus.URL) ([]Field, error)

	// Words returns the decoded search words of u, and decodes "+" as a space (URI draft,
	// "Query strings"). If u contains no search or does not match the syntax of this scheme,
	// ok is false. If Words is nil, URLs of the scheme cannot contain a search.
	Words func(u locus.URL) (words string, ok bool)

	// Canonical returns the canonical form of u, and the set of changes that were necessary.
	// Two URLs are equivalent if their canonical forms are ==. If u does not match the syntax
	// of this scheme, the error is a *locus.SyntaxError. If Canonical is nil, URLs that Fields
	// accepts are normalized by the rules of [Generic].
	Canonical func(u locus.URL) (locus.URL, locus.Change, error)

	// Check returns all violations that u contains, in order of offset. If Fields or Canonical
	// rejects u, Check must return at least one violation. If Check is nil, the registry
	// applies the rules of [Generic], and adds the error of Fields as a violation.
	Check func(u locus.URL, p locus.Profile) []locus.Violation

	// Notes returns advice about u that is not a violation, in order of offset. If Notes is
	// nil, the scheme gives no advice.
	Notes func(u locus.URL) []locus.Violation

	// Clean is a set of facts that together rule out violations of RFC 1738. If a URL has all
	// these facts and a hostname or hostnumber, a registry does not call Check for the URL. If
	// Clean includes NoHost, the host may also be empty. If Clean is zero, the registry always
	// calls Check.
	Clean locus.Facts
}

// Access describes how the resources of a scheme are opened.
type Access struct {
	// Protocol describes in a few words how URLs are opened, such as "FTP (RFC 959)". It is
	// empty if no protocol is defined.
	Protocol string

	// Opener opens URLs. If nil, URLs of the scheme can be parsed but not opened.
	Opener Opener

	// Archived returns the resource at u from archived bytes. The parameter body reads the
	// bytes of an object's body or of Menu.Source. The parameter mediaType is the type that
	// the server reported, or empty. Closing the resource must close body; if Archived fails,
	// it must close body itself. Archived must not open a connection. If body has a method
	// Date() time.Time, the method returns the time at which the bytes were archived. Archived
	// needs that time to interpret dates without a year. If Archived is nil, the bytes are an
	// object.
	Archived func(u locus.URL, mediaType string, body io.ReadCloser) (Resource, error)
}

// Display describes a URL for people. Its functions must accept any URL of the scheme, even
// one that does not match the scheme's syntax.
type Display struct {
	// Icon is the name of the icon that the gateway shows for the scheme. An empty name
	// selects the icon "unknown".
	Icon string
	// Split cuts the text after the host into the parts that the scheme's grammar names. If a
	// URL has no host, Split cuts the text after the scheme name. If Split is nil, the whole
	// text is one part, "urlpath".
	Split func(s *Splitter)
	// Title returns the decoded name of the resource. If Title is nil, [LastSegment] is used.
	Title func(u locus.URL) string
	// Parents returns the menus above the resource, the outermost first. If Parents is nil,
	// resources of the scheme have no menus above them.
	Parents func(u locus.URL) []Parent
	// MenuLabel returns a label for a menu at u, such as "Newsgroup". If it is nil or
	// returns "", the label is "Menu".
	MenuLabel func(u locus.URL) string
}

// Crawl describes the resources of a scheme for caches and crawlers.
type Crawl struct {
	// Freshness returns how long a response for u may be reused. If Freshness is nil,
	// responses must not be reused.
	Freshness func(u locus.URL) Freshness
	// Below reports whether u is a page of the site whose first page is startURL. Both URLs
	// must be canonical URLs of this scheme. If Below is nil, URLs of the scheme do not form
	// sites.
	Below func(startURL, u locus.URL) bool
}

// Policy describes the requests of a scheme to package policy, and selects the proxy (see
// policy.Target). The zero Policy is the strictest.
type Policy struct {
	// ProxyVars holds the environment variables that set the proxy of the scheme, in lower
	// case, such as "http_proxy".
	ProxyVars []string
	// FromProxy corrects a URL that an HTTP proxy received from a client. Some clients write
	// URLs of this scheme in the form of an http URL. If FromProxy is nil, URLs need no
	// correction.
	FromProxy func(u locus.URL) locus.URL
	// Encoded means that a request contains the URL in its encoded form, as in HTTP, so that
	// the client never sends decoded bytes.
	Encoded bool
	// OffPort is the set of control characters that a client may send to ports other than
	// Port. Requests contain these characters, decoded, because the scheme's syntax requires
	// them.
	OffPort escape.Set
	// OffPortTexts lists encoded texts, in upper case, that every request contains. A client
	// may send the control characters in these texts to ports other than Port.
	OffPortTexts []string
	// OtherPort returns a port other than Port that also belongs to the scheme, depending on
	// u. It returns 0 if there is none. If OtherPort is nil, only Port belongs to the scheme.
	OtherPort func(u locus.URL) uint16
}

// Field is one decoded part of a URL. Value is nil if the part is absent. Otherwise its type
// is bool, int, string, []string, or [][]Field for a list of records. Strings may contain
// bytes that are not UTF-8.
type Field struct {
	Name  string
	Value any
}

// Text returns the value as UTF-8 text for people. It decodes a value that is not UTF-8 as ISO
// Latin 1, and adds a note to the text. For an absent value, it returns "". The text is not
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
// Open must return when ctx ends. Reads from the returned resource must also fail when ctx
// ends, with the cause of ctx. Open must fail before it dials if Fields rejects the URL, if
// the URL has another scheme, or if the URL contains bytes that a request cannot contain.
type Opener interface {
	Open(ctx context.Context, req *Request) (Resource, error)
}

// ProxyOpener is an Opener that can also send requests to an HTTP proxy. The proxy is an
// http or https URL without a path, with the user and password for the proxy. The opener
// must dial only the proxy.
type ProxyOpener interface {
	Opener
	// OpenVia requests req.URL from the proxy. The URL may have any scheme without encryption,
	// because the opener sends "the entire URI" to the proxy (URI draft, "HTTP").
	OpenVia(ctx context.Context, req *Request, proxy locus.URL) (Resource, error)
	// Tunnel requests a connection to address (host:port) from the proxy and returns the
	// connection.
	Tunnel(ctx context.Context, d Dialer, proxy locus.URL, address string) (net.Conn, error)
}

// OpenerFunc is a function that implements [Opener]. A registry calls an OpenerFunc only for
// URLs of its scheme that Fields accepts.
type OpenerFunc func(ctx context.Context, req *Request) (Resource, error)

// Open calls f.
func (f OpenerFunc) Open(ctx context.Context, req *Request) (Resource, error) { return f(ctx, req) }
