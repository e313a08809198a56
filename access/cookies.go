package access

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"sync"

	"golang.org/x/net/publicsuffix"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

const (
	// maxCookie is the maximum size of a cookie's name and value. maxCookies is the maximum number
	// of cookies from all servers of a chain (RFC 6265 section 6.1).
	maxCookie  = 4096
	maxCookies = 50
)

// cookies holds the cookies that the servers of one chain of redirects have set. A server that sets
// a cookie and redirects to its own site expects the cookie in the next request (RFC 6265). The
// zero value is empty.
type cookies struct {
	mu   sync.Mutex
	jar  *cookiejar.Jar // nil until a server sets a cookie
	kept int
}

var _ scheme.Cookies = (*cookies)(nil)

// Header implements [scheme.Cookies].
func (c *cookies) Header(u locus.URL) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	site := siteOf(u)
	if c.jar == nil || site == nil {
		return ""
	}
	// AddCookie drops characters that a header can't contain.
	request := http.Request{Header: http.Header{}}
	for _, cookie := range c.jar.Cookies(site) {
		request.AddCookie(cookie)
	}
	return request.Header.Get("Cookie")
}

// Set implements [scheme.Cookies].
func (c *cookies) Set(u locus.URL, fields []string) {
	site := siteOf(u)
	if len(fields) == 0 || site == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.jar == nil {
		// cookiejar.New never returns an error.
		c.jar, _ = cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	}
	for _, cookie := range (&http.Response{Header: http.Header{"Set-Cookie": fields}}).Cookies() {
		if len(cookie.Name)+len(cookie.Value) > maxCookie || c.kept == maxCookies {
			continue
		}
		c.kept++
		c.jar.SetCookies(site, []*http.Cookie{cookie})
	}
}

// siteOf converts u to a URL for package cookiejar. It returns nil if net/url rejects u.
func siteOf(u locus.URL) *url.URL {
	site, err := u.WithoutPassword().NetURL()
	if err != nil {
		return nil
	}
	return site
}
