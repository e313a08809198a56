package file

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// URL is a locator of RFC 1738 section 3.10. It is comparable; the zero URL is
// none.
type URL struct {
	url  locus.URL
	host string
}

// Parse reads u as a file URL:
//
//	fileurl = "file://" [ host | "localhost" ] "/" fpath
//
// or in the form of RFC 8089 without "//" and host, "file:/" fpath, which [Check]
// reports. It takes any characters in host and fpath; [Check] finds those that
// can't be there. The error is a [*locus.SyntaxError].
func Parse(u locus.URL) (URL, error) {
	if err := form(u); err != nil {
		return URL{}, err
	}
	return URL{url: u, host: bnf.Decode(u.Host())}, nil
}

// isShort reports whether u is in the form of RFC 8089 section 2 that has no "//":
// "file:/" and the path.
func isShort(u locus.URL) bool {
	return !u.Facts().Has(locus.Internet) && u.Scheme() == "file" && strings.HasPrefix(u.SchemePart(), "/")
}

// path returns the path as written, without the "/" before it, and where it begins.
func path(u locus.URL) (text string, offset int) {
	if isShort(u) {
		return u.SchemePart()[1:], u.PathOffset() + 1
	}
	text, _ = u.Path()
	return text, u.PathOffset()
}

// form says why u is not in the form of section 3.10, if it is not.
func form(u locus.URL) error {
	if isShort(u) {
		return nil
	}
	if err := bnf.Form(u, "file", "fileurl"); err != nil {
		return err
	}
	if _, ok := u.User(); ok {
		return u.Errorf(len("file://"), "host", "%w: a file URL has no user or password", locus.ErrForm)
	}
	if _, ok := u.PortText(); ok {
		return u.Errorf(portOffset(u), "host", "%w: a file URL has no port", locus.ErrForm)
	}
	if _, ok := u.Path(); !ok || u.MissingSlash() {
		return u.Errorf(u.PathOffset(), "fpath", `%w: "/" and a path follow the host`, locus.ErrForm)
	}
	return nil
}

// portOffset is where the ":" before the port is.
func portOffset(u locus.URL) int { return u.HostOffset() + len(u.Host()) }

// URL returns the URL that f was parsed from.
func (f URL) URL() locus.URL { return f.url }

// Host returns the host, decoded; empty is the machine that reads the URL, as is
// "localhost".
func (f URL) Host() string { return f.host }

// Local reports whether the host is empty or "localhost", in any case: the
// machine from which the URL is being interpreted.
func (f URL) Local() bool { return isLocal(f.host) }

func isLocal(host string) bool { return host == "" || strings.EqualFold(host, "localhost") }

// Segments returns the segments of the path, each decoded. A path that ends in
// "/" has an empty last one, and the root is one empty segment.
func (f URL) Segments() []string {
	text, _ := path(f.url)
	segments := strings.Split(text, "/")
	for i, segment := range segments {
		segments[i] = bnf.Decode(segment)
	}
	return segments
}

// Parts are the decoded parts of a URL to be made.
type Parts struct {
	Host     string   // as text: a name or an address; empty: the machine that reads the URL
	Segments []string // an empty last one for a path that ends in "/"; none: the root
	Fragment *string  // nil: no fragment
}

// URL makes the URL. Every octet of a segment comes back from [URL.Segments] as it
// was given.
func (p Parts) URL() (URL, error) {
	var path []byte
	for i, segment := range p.Segments {
		if i > 0 {
			path = append(path, '/')
		}
		path = appendSegment(path, segment)
	}
	parts := locus.Parts{Scheme: "file", Host: p.Host, Path: new(string(path))}
	if p.Fragment != nil {
		parts.Fragment = new(escape.Encode(*p.Fragment, escape.Unreserved()))
	}
	u, err := parts.URL()
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}

// appendSegment appends a file's name as a segment. "?" may stand in one as it
// is, but most readers of URLs would end the path there.
func appendSegment(dst []byte, name string) []byte {
	return escape.AppendEncode(dst, name, escape.Fsegment().Without("?"))
}
