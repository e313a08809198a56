package verify

import (
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/internal/markup"
	"github.com/locus-url/locus/scheme"
)

// maxRefresh is the maximum delay in seconds of a refresh that counts as a redirect. If the delay
// is longer, users have time to read the page.
const maxRefresh = 10

// maxRefreshHead is the maximum number of bytes that are read only to find a refresh in a page.
const maxRefreshHead = 64 << 10

// refresh is a page's refresh, from a meta element or a Refresh header field.
type refresh struct {
	text string // value of the refresh, or ""
	base string // URL in the base element, or ""
}

// targetURL returns the refresh target of the page in res. It returns the zero URL if the page only
// reloads itself, or if browsers ignore the refresh.
func (r refresh) targetURL(c *Checker, res *access.Result) locus.URL {
	seconds, ref, ok := parseRefresh(r.text)
	if !ok || seconds > maxRefresh || !c.traits(res.URL).Has(scheme.Web) {
		return locus.URL{}
	}
	u, err := c.resolve(&document.Link{Ref: ref, Base: r.base}, &Source{URL: res.URL})
	if err != nil || !c.traits(u).Has(scheme.Web) || u.WithoutFragment() == res.URL.WithoutFragment() {
		return locus.URL{}
	}
	return cloneURL(u)
}

// parseRefresh parses the value of a refresh (HTML 4.2.5.3, "shared declarative refresh steps").
// If the value contains no URL, ok is false.
func parseRefresh(text string) (seconds int, ref string, ok bool) {
	text = trimSpace(text)
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits == 0 && !strings.HasPrefix(text, ".") {
		return 0, "", false
	}
	seconds = maxRefresh + 1
	if n, err := strconv.ParseUint("0"+text[:digits], 10, 31); err == nil {
		seconds = int(n)
	}
	rest := strings.TrimLeft(text, "0123456789.")
	if rest == "" || rest[0] != ';' && rest[0] != ',' && !markup.IsSpace(rest[0]) {
		return 0, "", false
	}
	if rest = trimSpace(rest); rest != "" && (rest[0] == ';' || rest[0] == ',') {
		rest = trimSpace(rest[1:])
	}
	ref = withoutQuotes(withoutName(rest))
	return seconds, ref, ref != ""
}

// withoutName returns the URL in a refresh without the prefix "url=".
func withoutName(text string) string {
	if len(text) < 3 || !strings.EqualFold(text[:3], "url") {
		return text
	}
	value, ok := strings.CutPrefix(trimSpace(text[3:]), "=")
	if !ok {
		return text
	}
	return trimSpace(value)
}

func withoutQuotes(text string) string {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		return text
	}
	value, _, _ := strings.Cut(text[1:], text[:1])
	return value
}

func trimSpace(text string) string { return strings.Trim(text, " \t\r\n\f") }

// follow returns the request for the target of the refresh in res. As after a redirect, the
// response from the target determines the outcome of the link. The target need not contain the
// link's fragments.
func (r *Request) follow(res *access.Result, to locus.URL, probe bool) *Request {
	next := r.nextRequest(res, to)
	next.followed, next.probe = true, probe
	return next
}
