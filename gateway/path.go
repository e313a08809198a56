package gateway

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// A path contains a URL unchanged, in one of two forms. The path "/gopher/h:70/1sel"
// contains "gopher://h:70/1sel". The path "/news:comp.infosystems" contains a URL without
// "//".

// pathOf returns the path that contains the URL u. If a browser would change this path, ok is
// false, and links must contain u in a query instead.
func pathOf(u locus.URL) (path string, ok bool) {
	text := u.String()
	name, rest, _ := strings.Cut(text, ":")
	if after, found := strings.CutPrefix(rest, "//"); found {
		path = "/" + name + "/" + after
	} else {
		path = "/" + text
	}
	return path, isStable(path)
}

// urlOf returns the URL in a path. If the path contains no URL of a registered scheme, ok is false.
func urlOf(r *scheme.Registry, path string) (u locus.URL, ok bool, err error) {
	text := strings.TrimPrefix(path, "/")
	end := strings.IndexAny(text, ":/?#")
	if end <= 0 || text[end] == '?' || text[end] == '#' {
		return u, false, nil
	}
	if _, known := r.Lookup(text[:end]); !known {
		return u, false, nil
	}
	if text[end] == '/' {
		text = text[:end] + "://" + text[end+1:]
	} else if strings.HasPrefix(text[end+1:], "//") {
		// Only one path is valid for a URL.
		return u, false, nil
	}
	u, err = locus.Parse(text)
	return u, true, err
}

// isStable reports whether browsers send a path unchanged. Browsers resolve dot segments, even if
// the dots are escaped, and they escape unsafe characters (WHATWG URL Standard).
func isStable(path string) bool {
	path, _, _ = strings.Cut(path, "#")
	path, query, _ := strings.Cut(path, "?")
	isUnsafe := func(r rune) bool { return r <= ' ' || r >= 0x7F || strings.ContainsRune("\"<>\\^`{|}", r) }
	return !strings.ContainsFunc(path, isUnsafe) && !strings.ContainsFunc(query, isUnsafe) && !strings.Contains(query, "'") &&
		!slices.ContainsFunc(strings.Split(path, "/"), isDots)
}

// isClean reports whether other servers, such as [http.ServeMux], accept a path without a change.
func isClean(p string) bool {
	p, _, _ = strings.Cut(p, "?")
	p, err := url.PathUnescape(p)
	return err == nil && strings.TrimSuffix(p, "/") == strings.TrimSuffix(path.Clean(p), "/")
}

// isDots reports whether a path segment is "." or "..", possibly with escapes.
func isDots(segment string) bool {
	dots := strings.ReplaceAll(strings.ToLower(segment), "%2e", ".")
	return dots == "." || dots == ".."
}

// askFor returns the given path with a query that contains u.
func askFor(path string, u locus.URL, more url.Values) string {
	text := path + "?url=" + url.QueryEscape(u.WithoutFragment().String())
	if len(more) > 0 {
		text += "&" + more.Encode()
	}
	if fragment, ok := u.Fragment(); ok {
		text += "#" + fragment
	}
	return text
}

// queryURL returns the URL in a query. The URL may be enclosed in "<URL:" and ">" (RFC 1738
// appendix).
func queryURL(values url.Values) (locus.URL, error) {
	text := strings.TrimSpace(values.Get("url"))
	u, err := locus.ParseWrapped(text)
	if err != nil {
		return u, fmt.Errorf("gateway: %w", err)
	}
	return u.WithoutFragment(), nil
}
