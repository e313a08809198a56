package lens

import (
	"errors"
	"net/http"
	"net/url"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// InProcess returns the parsers that run in this process. "net/url" is url.Parse.
// "net/url-strict" accepts the URLs that url.ParseRequestURI, http.NewRequest and http.Client
// all accept. "locus" accepts the URLs that both locus.Parse and the URL's scheme in r accept.
func InProcess(r *scheme.Registry) []Parser {
	return []Parser{
		funcParser{"net/url", runtime.Version(), KindParser, byNetURL},
		funcParser{"net/url-strict", runtime.Version(), KindParser, byRequest},
		funcParser{"locus", ownVersion(), KindParser, func(url string) ParseResult {
			u, err := locus.Parse(url)
			if err != nil {
				return ParseResult{Error: syntaxText(err)}
			}
			reading := partsOf(r, u)
			if _, err := r.Fields(u); err != nil {
				reading.Error = syntaxText(err)
			}
			reading.OK = reading.Error == ""
			return reading
		}},
	}
}

// ownVersion returns the version of this module from the program's build information.
func ownVersion() string {
	const module = "github.com/locus-url/locus"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, m := range append(info.Deps, &info.Main) {
		if m.Path == module && m.Version != "" {
			return m.Version
		}
	}
	return "(devel)"
}

func byNetURL(text string) ParseResult {
	u, err := url.Parse(text)
	if err != nil {
		return ParseResult{Error: withoutURL(err)}
	}
	return netParts(u)
}

// byRequest parses like a program that checks a URL with ParseRequestURI and then requests the
// URL. ParseRequestURI rejects fragments.
func byRequest(text string) ParseResult {
	before, fragment, hasFragment := strings.Cut(text, "#")
	if _, err := url.ParseRequestURI(before); err != nil {
		return ParseResult{Error: withoutURL(err)}
	}
	request, err := http.NewRequest(http.MethodGet, before, nil)
	if err != nil {
		return ParseResult{Error: withoutURL(err)}
	}
	if request.URL.Scheme == "" || request.URL.Host == "" {
		return ParseResult{Error: "no scheme or no host in the URL of a request"}
	}
	reading := netParts(request.URL)
	reading.Fragment = optionalPart(fragment, hasFragment)
	return reading
}

// withoutURL returns the text of a net/url error without the URL.
func withoutURL(err error) string {
	if escape := url.EscapeError(""); errors.As(err, &escape) {
		return "invalid escape" // the text of the error contains a piece of the URL
	}
	var e *url.Error
	if errors.As(err, &e) {
		return strings.TrimPrefix(e.Err.Error(), "net/url: ")
	}
	return err.Error()
}

func netParts(u *url.URL) ParseResult {
	r := ParseResult{
		OK:       true,
		Scheme:   nonEmpty(u.Scheme),
		Port:     nonEmpty(u.Port()),
		Path:     optionalPart(u.EscapedPath(), true),
		Query:    optionalPart(u.RawQuery, u.RawQuery != "" || u.ForceQuery),
		Fragment: nonEmpty(u.EscapedFragment()),
	}
	if u.Opaque != "" {
		r.Path = &u.Opaque
	}
	r.Host = nonEmpty(u.Hostname())
	if u.User != nil {
		r.User = optionalPart(u.User.Username(), true)
		r.Password = optionalPart(u.User.Password())
	}
	return r
}
