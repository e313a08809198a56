package file

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
)

// URL is a file URL. URLs are comparable with ==, and the zero URL is invalid.
type URL struct {
	url  locus.URL
	host string
}

// Parse parses the URL u as a file URL:
//
//	fileurl = "file://" [ host | "localhost" ] "/" fpath
//
// Parse also accepts the RFC 8089 form "file:/" fpath, without "//" and host. It accepts any
// characters in the host and the path. The error is a [*locus.SyntaxError].
// [scheme.Registry.Check] returns a violation for a URL in the RFC 8089 form, and for each invalid
// character.
func Parse(u locus.URL) (URL, error) {
	if err := form(u); err != nil {
		return URL{}, err
	}
	return URL{url: u, host: bnf.Decode(u.Host())}, nil
}

// isShort reports whether the URL u has the form "file:/path" of RFC 8089 section 2.
func isShort(u locus.URL) bool {
	return !u.Facts().Has(locus.Internet) && u.Scheme() == "file" && strings.HasPrefix(u.SchemePart(), "/")
}

// path returns the encoded path without its first "/", and the offset of that text.
func path(u locus.URL) (text string, offset int) {
	if isShort(u) {
		return u.SchemePart()[1:], u.PathOffset() + 1
	}
	text, _ = u.Path()
	return text, u.PathOffset()
}

// form returns an error if the URL u does not have the syntax of section 3.10.
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
		return u.Errorf(u.PathOffset(), "fpath", `%w: write "/" and the path after the host`, locus.ErrForm)
	}
	return nil
}

func portOffset(u locus.URL) int { return u.HostOffset() + len(u.Host()) }

// URL returns the URL that was parsed.
func (f URL) URL() locus.URL { return f.url }

// Format writes the URL for every verb, and replaces a password with "***". See
// [github.com/locus-url/locus.Mask].
func (f URL) Format(s fmt.State, verb rune) { f.url.Format(s, verb) }

// LogValue returns the URL, in which "***" replaces a password.
func (f URL) LogValue() slog.Value { return slog.StringValue(f.url.Shown()) }

// Host returns the decoded host. An empty host and the host "localhost" mean this machine.
func (f URL) Host() string { return f.host }

// Local reports whether the host is empty or "localhost" (in upper or lower case).
func (f URL) Local() bool { return isLocal(f.host) }

func isLocal(host string) bool { return host == "" || strings.EqualFold(host, "localhost") }

// Segments returns the decoded segments of the path. If the path ends with "/", the last segment
// is empty. The root directory has one empty segment.
func (f URL) Segments() []string {
	text, _ := path(f.url)
	segments := strings.Split(text, "/")
	for i, segment := range segments {
		segments[i] = bnf.Decode(segment)
	}
	return segments
}

// Parts are the decoded parts of a URL.
type Parts struct {
	Host     string   // hostname or IP address; empty means this machine
	Segments []string // decoded segments of the path; the last segment is empty if the path ends with "/"; nil means the root
	Fragment *string  // fragment; nil means no fragment
}

// URL returns the URL with these parts.
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

// appendSegment appends a name as a segment. It escapes "?", because most parsers end the path at
// "?".
func appendSegment(dst []byte, name string) []byte {
	return escape.AppendEncode(dst, name, escape.Fsegment().Without("?"))
}
