package scheme

import (
	"cmp"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

// Role is the purpose of a part of a URL. A program should show all parts with the same role
// in the same style.
type Role string

const (
	RoleScheme   Role = "scheme"
	RoleLogin    Role = "login"
	RoleHost     Role = "host"
	RolePath     Role = "path"
	RoleSearch   Role = "search"
	RoleType     Role = "type"
	RoleFragment Role = "fragment"
)

// Span is a part of the text of a URL. Consecutive spans cover the whole text without gaps.
type Span struct {
	// Name is the part's name in the BNF of RFC 1738 section 5. The part "hostport" has two
	// spans, "host" and "port". The Name of a delimiter is empty.
	Name string
	Role Role   // empty for a delimiter
	Text string // text as written in the URL
	// Offset is the offset of Text in the URL, in bytes.
	Offset int
}

// Splitter cuts a text into spans, from left to right.
type Splitter struct {
	text string
	at   int
	list []Span
}

// Rest returns the text after the last cut.
func (s *Splitter) Rest() string { return s.text[s.at:] }

// Cut cuts the next n bytes of the text as a span with the given name and role. It does nothing
// if n is 0.
func (s *Splitter) Cut(n int, name string, role Role) {
	if n > 0 {
		s.list = append(s.list, Span{name, role, s.text[s.at : s.at+n], s.at})
		s.at += n
	}
}

// Delimiter cuts the next n bytes of the text as a delimiter.
func (s *Splitter) Delimiter(n int) { s.Cut(n, "", "") }

// UpTo adds two spans. The first span is the text before the next separator, with the given name
// and role. The second span is the separator, as a delimiter. If the separator is missing, UpTo
// adds the rest of the text as one span and returns false.
func (s *Splitter) UpTo(separator, name string, role Role) (found bool) {
	before, _, found := strings.Cut(s.Rest(), separator)
	s.Cut(len(before), name, role)
	if found {
		s.Delimiter(len(separator))
	}
	return found
}

// All cuts the rest of the text as a span with the given name and role.
func (s *Splitter) All(name string, role Role) { s.Cut(len(s.Rest()), name, role) }

// Spans splits the text of u into parts, according to its scheme.
func (r *Registry) Spans(u locus.URL) []Span {
	whole := u.String()
	s := Splitter{text: u.WithoutFragmentText()}
	s.Cut(strings.IndexByte(whole, ':'), "scheme", RoleScheme)
	s.Delimiter(1)
	if u.Facts().Has(locus.Internet) {
		s.Delimiter(len("//"))
		user, hasUser := u.User()
		if hasUser {
			s.Cut(len(user), "user", RoleLogin)
			if password, ok := u.Password(); ok {
				s.Delimiter(1)
				s.Cut(len(password), "password", RoleLogin)
			}
			s.Delimiter(1)
		}
		s.Cut(len(u.Host()), "host", RoleHost)
		if port, ok := u.PortText(); ok {
			s.Delimiter(1)
			s.Cut(len(port), "port", RoleHost)
		}
		if strings.HasPrefix(s.Rest(), "/") {
			s.Delimiter(1)
		}
	}
	r.schemeFor(u).Display.Split(&s)
	s.All("", "")
	if fragment, ok := u.Fragment(); ok {
		s.text = whole
		s.Delimiter(1)
		s.Cut(len(fragment), "fragmentid", RoleFragment)
	}
	return s.list
}

// splitGeneric is the default Split function of a scheme.
func splitGeneric(s *Splitter) { s.All("urlpath", RolePath) }

// Title returns a decoded name for the resource at u, according to the scheme. If the URL has
// no name, Title returns "". The name is not safe for a terminal.
func (r *Registry) Title(u locus.URL) string {
	if u.IsZero() {
		return ""
	}
	return r.schemeFor(u).Display.Title(u)
}

// LastSegment returns the decoded last segment of u's url-path, without the text after "?". It
// is the default value of Display.Title.
func LastSegment(u locus.URL) string {
	path, _ := u.Path()
	path, _, _ = strings.Cut(path, "?")
	return LastName(path)
}

// LastName returns the decoded last segment of a path.
func LastName(path string) string {
	path = strings.TrimRight(path, "/")
	return Decoded(path[strings.LastIndexByte(path, '/')+1:])
}

// Decoded returns the decoded text. If an escape is malformed, it returns the text unchanged.
func Decoded(text string) string {
	if octets, err := escape.Decode(text); err == nil {
		return octets
	}
	return text
}

// Parent is a menu above a resource.
type Parent struct {
	Name string    // name that is not safe for a terminal; "/" if the name is empty
	URL  locus.URL // URL of the menu; zero if the menu cannot be opened
}

// Parents returns the menus above u according to its scheme, the outermost first. If there is
// no menu above u, Parents returns nil.
func (r *Registry) Parents(u locus.URL) []Parent {
	if u.IsZero() {
		return nil
	}
	list := r.schemeFor(u).Display.Parents(u)
	for i := range list {
		list[i].Name = cmp.Or(list[i].Name, "/")
	}
	return list
}

func noParents(locus.URL) []Parent { return nil }

// maxParents is the maximum number of directories that ParentsOf returns.
const maxParents = 20

// ParentsOf returns the directories above u, the host first. It is for schemes in which "/"
// separates directories. The path parameter is the part of the url-path that contains the
// directories. If the path contains more than 20 directories, or if u is the root directory,
// ParentsOf returns nil.
func ParentsOf(u locus.URL, path string) []Parent {
	segments := strings.Split(strings.TrimSuffix(path, "/"), "/")
	if path == "" || len(segments) > maxParents {
		return nil
	}
	list := []Parent{{Name: u.Host(), URL: AtPath(u, "")}}
	at := ""
	for _, segment := range segments[:len(segments)-1] {
		at += segment + "/"
		list = append(list, Parent{Decoded(segment), AtPath(u, at)})
	}
	return list
}

// AtPath returns u with the given url-path and without a fragment. The user and password do
// not change. If the result is not a valid URL, AtPath returns the zero URL.
func AtPath(u locus.URL, path string) locus.URL {
	p := u.Parts()
	p.Path, p.Fragment = &path, nil
	to, err := p.URL()
	if err != nil {
		return locus.URL{}
	}
	return to
}

// Freshness describes how long a response may be reused, for schemes without the HTTP
// caching rules. The zero Freshness does not allow reuse.
type Freshness struct {
	For time.Duration
	// Dated means that For applies only to objects without a date. A client may reuse an
	// object with a date for a tenth of its age, but at least 10 minutes and at most 24 hours.
	// RFC 9111 section 4.2.2 suggests the same rule for HTTP.
	Dated bool
	// Fixed means that the response does not depend on the media types and languages that the
	// request prefers.
	Fixed bool
}

// These durations are typical values of [Freshness].For.
const (
	SearchAge  = time.Minute
	ListAge    = time.Minute     // a list to which users add entries
	MenuAge    = 5 * time.Minute // a list that an administrator edits
	AboutAge   = time.Hour       // a description of a service
	FileAge    = time.Hour       // a file without a date
	NumberAge  = 24 * time.Hour  // an object with a number that the server never reuses
	MessageAge = 7 * 24 * time.Hour
)

func neverFresh(locus.URL) Freshness { return Freshness{} }

// Freshness returns the time for which a response for u may be reused.
func (r *Registry) Freshness(u locus.URL) Freshness { return r.schemeFor(u).Crawl.Freshness(u) }

// BelowPath reports whether u is in the directory of startURL. Both URLs must be canonical.
// BelowPath implements Crawl.Below for schemes in which "/" separates directories. The last
// segment of startURL counts as a directory if it does not contain ".".
func BelowPath(startURL, u locus.URL) bool {
	text := startURL.WithoutFragmentText()
	text, _, _ = strings.Cut(text, "?")
	slash := strings.LastIndexByte(text, '/')
	if last := text[slash+1:]; slash >= startURL.PathOffset()-1 && last != "" && !strings.Contains(last, ".") {
		text += "/"
	}
	return strings.HasPrefix(u.String(), text[:strings.LastIndexByte(text, '/')+1])
}
