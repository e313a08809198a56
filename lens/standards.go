package lens

import (
	"errors"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/profile/whatwg"
	"github.com/locus-url/locus/scheme"
)

// Standards returns the parsers of RFC 1738, RFC 1630, RFC 3986 and the URL Standard of
// the WHATWG. The registry r provides the schemes for RFC 1738 and RFC 1630.
func Standards(r *scheme.Registry) []Parser {
	return []Parser{
		funcParser{"rfc1738", "December 1994", KindStandard, byProfile(r, locus.RFC1738)},
		funcParser{"rfc1630", "June 1994", KindStandard, byProfile(r, locus.RFC1630)},
		funcParser{"rfc3986", "January 2005", KindStandard, byRFC3986},
		funcParser{"whatwg", "2026", KindStandard, byWHATWG},
	}
}

// byProfile returns a parser for the profile p. The parser rejects a URL with a violation.
func byProfile(r *scheme.Registry, p locus.Profile) func(string) ParseResult {
	return func(url string) ParseResult {
		u, err := locus.Parse(url)
		if err != nil {
			return ParseResult{Error: syntaxText(err)}
		}
		reading := partsOf(r, u)
		reading.reject(r.Check(u, p))
		return reading
	}
}

// reject marks the URL as rejected if list is not empty. The reason is the first violation.
func (r *ParseResult) reject(list []locus.Violation) {
	r.OK = locus.Conforms(list)
	for _, v := range list {
		if v.Kind != locus.Note {
			r.Error = v.Rule + ": " + v.Help
			return
		}
	}
}

// partsOf returns the parts of u. The rules of the scheme determine whether "?" begins a
// query. If the scheme has no rules, "?" begins a query.
func partsOf(r *scheme.Registry, u locus.URL) ParseResult {
	reading := ParseResult{Scheme: nonEmpty(u.Scheme())}
	reading.User = optionalPart(u.User())
	reading.Password = optionalPart(u.Password())
	reading.Port = optionalPart(u.PortText())
	reading.Fragment = optionalPart(u.Fragment())
	path := u.SchemePart()
	if u.Facts().Has(locus.Internet) {
		reading.Host = optionalPart(u.Host(), true)
		login, _ := u.Login()
		path = strings.TrimPrefix(path, "//"+login)
	}
	before, after, found := strings.Cut(path, "?")
	if found && (!r.Known(u) || hasQuery(r, u)) {
		path, reading.Query = before, &after
	}
	reading.Path = &path
	return reading
}

// hasQuery reports whether "?" is a delimiter in u.
func hasQuery(r *scheme.Registry, u locus.URL) bool {
	return slices.ContainsFunc(r.Spans(u), func(s scheme.Span) bool { return s.Role == "" && s.Text == "?" })
}

// syntaxText returns the text of a syntax error without the URL.
func syntaxText(err error) string {
	var e *locus.SyntaxError
	if errors.As(err, &e) {
		return e.Err.Error()
	}
	return err.Error()
}

func byRFC3986(url string) ParseResult {
	u := rfc3986.Parse(url)
	var r ParseResult
	r.Scheme = optionalPart(u.Scheme())
	if userinfo, ok := u.Userinfo(); ok {
		r.splitUserinfo(userinfo)
	}
	r.Host = optionalPart(u.Host())
	r.Port = optionalPart(u.Port())
	r.Path = optionalPart(u.Path(), true)
	r.Query = optionalPart(u.Query())
	r.Fragment = optionalPart(u.Fragment())
	r.reject(u.Check())
	return r
}

// splitUserinfo sets the user and the password of r from userinfo.
func (r *ParseResult) splitUserinfo(userinfo string) {
	user, password, ok := strings.Cut(userinfo, ":")
	r.User, r.Password = &user, optionalPart(password, ok)
}

func byWHATWG(url string) ParseResult {
	u, err := whatwg.Parse(url, nil)
	if err != nil {
		return ParseResult{Error: syntaxText(err)}
	}
	return ParseResult{
		OK:       true,
		Scheme:   nonEmpty(strings.TrimSuffix(u.Protocol(), ":")),
		User:     nonEmpty(u.Username()),
		Password: nonEmpty(u.Password()),
		Host:     optionalPart(u.Hostname(), u.HasHost()),
		Port:     nonEmpty(u.Port()),
		Path:     optionalPart(u.Pathname(), true),
		Query:    nonEmpty(strings.TrimPrefix(u.Search(), "?")),
		Fragment: nonEmpty(strings.TrimPrefix(u.Hash(), "#")),
	}
}
