package http

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/locus-url/locus"
)

// ParseCookies parses a cookie file in Netscape format, which curl and wget write, and returns
// a jar with the cookies. Each line has seven fields, separated by tabs. A "#" begins a
// comment, except in "#HttpOnly_" before the domain. The jar rejects cookies that a server
// sets for a public suffix such as co.uk. The error contains the line number, but no cookie.
func ParseCookies(text string) (http.CookieJar, error) {
	jar, err := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if err != nil {
		return nil, err
	}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimRight(line, "\r\n")
		line, httpOnly := strings.CutPrefix(line, "#HttpOnly_")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		site, cookie, err := parseCookie(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		cookie.HttpOnly = httpOnly
		jar.SetCookies(site, []*http.Cookie{cookie})
	}
	return &boundedJar{CookieJar: jar, left: maxCookies}, nil
}

const (
	// maxCookie is the maximum length of a cookie from a server, name and value together.
	// maxCookies is the maximum number of cookies that all servers together can set (RFC 6265
	// section 6.1).
	maxCookie  = 4096
	maxCookies = 3000
)

// boundedJar is a jar that limits the number and size of cookies from servers.
type boundedJar struct {
	http.CookieJar
	mu   sync.Mutex
	left int
}

// SetCookies stores the cookies of a response until the jar reaches its limit.
func (j *boundedJar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	cookies = slices.DeleteFunc(slices.Clone(cookies), func(c *http.Cookie) bool { return len(c.Name)+len(c.Value) > maxCookie })
	j.mu.Lock()
	cookies = cookies[:min(len(cookies), j.left)]
	j.left -= len(cookies)
	j.mu.Unlock()
	j.CookieJar.SetCookies(u, cookies)
}

// parseCookie parses a line of a cookie file. Its seven fields are the domain, a flag for
// subdomains, the path, a flag for encrypted connections, the expiry time, the name and the
// value. The expiry time is in seconds since 1970; 0 means the end of the session.
func parseCookie(line string) (*url.URL, *http.Cookie, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 7 {
		return nil, nil, fmt.Errorf("a cookie needs 7 fields separated by tabs; got %d", len(fields))
	}
	domain := strings.TrimPrefix(fields[0], ".")
	end, err := strconv.ParseInt(fields[4], 10, 64)
	switch {
	case !locus.IsHost(domain):
		return nil, nil, errors.New("the domain is not a host")
	case err != nil:
		return nil, nil, errors.New("the time is not a number of seconds")
	case !strings.HasPrefix(fields[2], "/"):
		return nil, nil, errors.New(`the path does not begin with "/"`)
	}
	cookie := &http.Cookie{Name: fields[5], Value: fields[6], Path: fields[2], Secure: strings.EqualFold(fields[3], "true")}
	if strings.EqualFold(fields[1], "true") && strings.Contains(domain, ".") {
		cookie.Domain = domain
	}
	if end > 0 {
		cookie.Expires = time.Unix(end, 0)
	}
	if err := cookie.Valid(); err != nil {
		return nil, nil, errors.New("the name or value of the cookie has an invalid character")
	}
	// With an https URL, the jar also accepts cookies that are restricted to encrypted
	// connections.
	return &url.URL{Scheme: "https", Host: domain, Path: "/"}, cookie, nil
}
