package cache

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
)

// meta is what is known of an answer besides its body. It never changes once it is
// seen by others.
type meta struct {
	url      string // the canonical one, for the case that two have one hash
	status   int
	header   http.Header // without what is of one connection, and without Age
	vary     []selecting // what the request had, of what the answer depends on
	lifetime time.Duration
	age      time.Duration // when it was received (RFC 9111 section 4.2.3)
	received time.Time
	size     int64 // of the body; -1: not yet known
	ruled    bool  // by HTTP's rules

	cc       directives // of header
	etag     string
	modified time.Time // zero: not known
	date     time.Time
}

// selecting is a header field of a request that an answer depends on, as Vary names
// it.
type selecting struct{ name, value string }

// derive fills in what header tells.
func (m *meta) derive() {
	m.cc = parseDirectives(m.header["Cache-Control"])
	m.etag = m.header.Get("Etag")
	m.modified, _ = http.ParseTime(m.header.Get("Last-Modified"))
	m.date, _ = http.ParseTime(m.header.Get("Date"))
}

// memory is about how many octets m takes there.
func (m *meta) memory() int64 {
	n := 400 + len(m.url)
	for name, values := range m.header {
		n += 64 + len(name)
		for _, v := range values {
			n += 16 + len(v)
		}
	}
	for _, s := range m.vary {
		n += 32 + len(s.name) + len(s.value)
	}
	return int64(n)
}

// hop are the header fields of one connection (RFC 9111 section 3.1, RFC 9110
// section 7.6.1).
var hop = [...]string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
}

// withoutHop returns a copy of h without what is of one connection.
func withoutHop(h http.Header) http.Header {
	c := make(http.Header, len(h)+3) // there will be Age, Date, Cache-Status
	for name, values := range h {
		c[name] = slices.Clone(values)
	}
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			c.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hop {
		delete(c, name)
	}
	return c
}

// newMeta makes the meta of an answer that was asked for at one time and came at
// another. u is the canonical URL; ages is for what has no rules.
func (s *Store) newMeta(u locus.URL, req *http.Request, resp *http.Response, asked, came time.Time) *meta {
	m := &meta{url: u.String(), status: resp.StatusCode, header: withoutHop(resp.Header), received: came, size: resp.ContentLength, ruled: s.isWeb(u)}
	if m.header.Get("Date") == "" {
		m.header.Set("Date", came.UTC().Format(http.TimeFormat))
	}
	if resp.Uncompressed && m.header.Get("Etag") != "" {
		// The tag is of other octets, and says no more than that they mean the same.
		m.header.Set("Etag", "W/"+strings.TrimPrefix(m.header.Get("Etag"), "W/"))
	}
	m.derive()
	m.setAge(asked, came)
	m.lifetime = s.lifetime(u, m)
	m.vary = s.selectors(u, req.Header, m)
	return m
}

// setAge takes the age that the answer has when it comes (RFC 9111 section 4.2.3).
func (m *meta) setAge(asked, came time.Time) {
	text, _, _ := strings.Cut(m.header.Get("Age"), ",")
	told, _ := parseSeconds(strings.TrimSpace(text))
	// A Date is in whole seconds, and what is below one is no age.
	m.age = max(0, came.Truncate(time.Second).Sub(m.date), told+max(0, came.Sub(asked)))
	if m.date.IsZero() { // there is a Date, and it can't be read
		m.age = told + max(0, came.Sub(asked))
	}
	delete(m.header, "Age")
}

// currentAge is how old the answer is now.
func (m *meta) currentAge(now time.Time) time.Duration {
	return m.age + max(0, now.Sub(m.received))
}

// isFuture reports whether the answer came later than it is now: the clock was set
// back, and the age is unknown.
func (m *meta) isFuture(now time.Time) bool { return m.received.Sub(now) > clockStep }

// clockStep is how far a clock may be set back without being noticed.
const clockStep = time.Second

// heuristic are the statuses of which answers may be kept without being told for how
// long (RFC 9110 section 15.1); others of explicit need to be told.
var (
	heuristic = []int{200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501}
	explicit  = []int{302, 303, 307}
)

// lifetime is for how long the answer is fresh (RFC 9111 section 4.2.1).
func (s *Store) lifetime(u locus.URL, m *meta) time.Duration {
	if d, ok := m.told(); ok {
		return d
	}
	if !m.ruled {
		return s.unruled(u, m)
	}
	// The tenth that section 4.2.2 proposes; not with a search, which many programs
	// answer anew each time.
	if _, searched := cutSearch(m.url); searched || m.modified.IsZero() || m.date.IsZero() {
		return 0
	}
	if !slices.Contains(heuristic, m.status) && !m.cc.public {
		return 0
	}
	return min(max(0, m.date.Sub(m.modified)/10), fileMax)
}

func cutSearch(url string) (before string, ok bool) {
	before, _, ok = strings.Cut(url, "?")
	return before, ok
}

// told is the lifetime that the answer itself names.
func (m *meta) told() (d time.Duration, ok bool) {
	switch {
	case m.cc.sMaxAge != never:
		return m.cc.sMaxAge, true
	case m.cc.maxAge != never:
		return m.cc.maxAge, true
	case m.header["Expires"] != nil:
		if len(m.header["Expires"]) > 1 {
			return 0, true
		}
		at, err := http.ParseTime(m.header.Get("Expires"))
		if err != nil || m.date.IsZero() {
			return 0, true
		}
		return max(0, at.Sub(m.date)), true
	}
	return 0, false
}

// unruled is the lifetime of what HTTP has no rules for.
func (s *Store) unruled(u locus.URL, m *meta) time.Duration {
	d := s.age(u, m.header)
	if at := m.header.Get("Content-Location"); at != "" {
		// A referral led there, and what is there has an age of its own; over HTTP, one
		// that was not told.
		v, err := locus.Parse(at)
		if _, known := v.User(); err != nil || known {
			return 0
		}
		d = min(d, s.age(v, m.header))
	}
	if m.status != http.StatusOK {
		d = min(d, missingAge)
	}
	return d
}

// mayStore reports whether the answer to a request may be kept, and is of any use
// (RFC 9111 section 3).
func (m *meta) mayStore(req *http.Request, cc directives, resp *http.Response) bool {
	switch {
	case method(req) != http.MethodGet || cc.noStore:
		return false
	case !slices.Contains(heuristic, m.status) && !slices.Contains(explicit, m.status):
		return false // this one is not understood
	case m.cc.noStore && !m.cc.mustUnderstand, m.cc.private:
		return false
	case isPersonal(req) && !m.isPublic(req):
		return false
	case m.header["Set-Cookie"] != nil || m.header["Set-Cookie2"] != nil:
		return false // a cookie is for one person
	case len(resp.Trailer) > 0, len(m.vary) == 1 && m.vary[0].name == "*":
		return false
	}
	if _, ok := m.told(); !ok && m.ruled && !m.cc.public && !slices.Contains(heuristic, m.status) {
		return false
	}
	if !m.ruled && m.lifetime <= 0 {
		return false
	}
	return m.lifetime > m.age || m.canValidate()
}

// isPersonal reports whether a request says who asks.
func isPersonal(req *http.Request) bool {
	return req.Header["Authorization"] != nil || req.Header["Cookie"] != nil
}

// isPublic reports whether an answer is for others than who asked (RFC 9111 section
// 3.5, which must-revalidate satisfies as well; for cookies that says nothing).
func (m *meta) isPublic(req *http.Request) bool {
	return m.cc.public || m.cc.sMaxAge != never || m.cc.mustRevalidate && req.Header["Cookie"] == nil
}

// canValidate reports whether one can ask if the answer is still right.
func (m *meta) canValidate() bool { return m.etag != "" || !m.modified.IsZero() }

// isStrong reports whether the answer's date of change tells versions apart (RFC
// 9110 section 8.8.2.2).
func (m *meta) hasStrongDate() bool {
	return !m.modified.IsZero() && !m.date.IsZero() && m.date.Sub(m.modified) >= time.Second
}

// usable says how a stored answer may be used for a request.
type usable uint8

const (
	askFirst   usable = iota // only once the server says that it is still right
	fresh                    // as it is
	staleGood                // as it is, though it is no longer fresh: the request takes that
	staleRenew               // as it is, and then it is renewed
)

// use judges an answer for a request with cc (RFC 9111 section 4.2, 5.2.1; RFC 5861
// section 3; RFC 8246).
func (m *meta) use(cc directives, now time.Time) usable {
	age, lifetime := m.currentAge(now), m.lifetime
	if cc.noCache || m.cc.noCache || m.isFuture(now) {
		return askFirst
	}
	isFresh := lifetime > age
	if cc.maxAge != never && age > cc.maxAge && !(m.cc.immutable && isFresh && cc.maxAge == 0) {
		// max-stale may stretch this one too (section 5.2.1.2).
		if !isFresh || cc.maxStale == never || age-cc.maxAge > cc.maxStale {
			return askFirst
		}
	}
	if isFresh {
		if cc.minFresh != never && lifetime-age < cc.minFresh {
			return askFirst
		}
		return fresh
	}
	if m.isStrict() || cc.minFresh != never {
		return askFirst
	}
	if cc.maxStale != never && age-lifetime <= cc.maxStale {
		return staleGood
	}
	if m.cc.staleWhileRevalidate != never && age-lifetime <= m.cc.staleWhileRevalidate && cc.maxAge == never {
		return staleRenew
	}
	return askFirst
}

// isStrict reports whether the answer is never to be used when it is no longer
// fresh (RFC 9111 section 4.2.4, and 5.2.2.10 for s-maxage).
func (m *meta) isStrict() bool {
	return m.cc.mustRevalidate || m.cc.proxyRevalidate || m.cc.sMaxAge != never || m.cc.noCache
}

// standsIn reports whether the answer may be given in place of a failure (RFC 5861
// section 4).
func (m *meta) standsIn(cc directives, now time.Time) bool {
	if m.isStrict() || cc.noCache || m.isFuture(now) {
		return false
	}
	allowed := max(cc.staleIfError, m.cc.staleIfError)
	if !m.ruled {
		allowed = max(allowed, outageAge)
	}
	return allowed != never && m.currentAge(now)-m.lifetime <= allowed
}

// freshened returns m with what a 304 says (RFC 9111 section 3.2), or with the
// header of an answer that turned out to be the same.
func (s *Store) freshened(u locus.URL, m *meta, req *http.Request, resp *http.Response, asked, came time.Time) *meta {
	n := *m
	n.header = m.header.Clone()
	for name, values := range withoutHop(resp.Header) {
		switch name {
		case "Content-Length", "Content-Encoding", "Content-Type", "Content-Range", "Etag", "Set-Cookie", "Set-Cookie2":
		default:
			n.header[name] = values
		}
	}
	if resp.Header.Get("Date") == "" {
		n.header.Set("Date", came.UTC().Format(http.TimeFormat))
	}
	n.received = came
	n.derive()
	n.setAge(asked, came)
	n.lifetime = s.lifetime(u, &n)
	n.vary = s.selectors(u, req.Header, &n)
	return &n
}

// selectors are the fields of a request that an answer depends on.
func (s *Store) selectors(u locus.URL, h http.Header, m *meta) []selecting {
	lines := m.header["Vary"]
	if lines == nil && !m.ruled && s.varies(u, m.header) {
		lines = []string{"Accept, Accept-Language"}
	}
	var list []selecting
	for _, line := range lines {
		for name := range strings.SplitSeq(line, ",") {
			name = http.CanonicalHeaderKey(strings.TrimSpace(name))
			switch {
			case name == "*":
				return []selecting{{name: "*"}}
			case name == "" || slices.ContainsFunc(list, func(s selecting) bool { return s.name == name }):
			default:
				list = append(list, selecting{name, fieldValue(h, name)})
			}
		}
	}
	if m.ruled {
		if value := otherFields(h); value != "" {
			list = append(list, selecting{otherName, value})
		}
	}
	return list
}

// otherName stands for all fields of a request that have no meaning of their own for a
// cache. No field has such a name.
const otherName = "\x00others"

// understood are the fields of a request that a cache or Vary deals with, and those of
// one connection: an answer is the same with and without them, unless Vary names them.
var understood = map[string]bool{
	"Accept": true, "Accept-Charset": true, "Accept-Encoding": true, "Accept-Language": true, "Authorization": true, "Cookie": true,
	"Cache-Control": true, "Pragma": true, "Range": true, "If-Range": true,
	"If-Match": true, "If-None-Match": true, "If-Modified-Since": true, "If-Unmodified-Since": true,
	"Host": true, "Content-Length": true, "Via": true,
	"Connection": true, "Keep-Alive": true, "Proxy-Connection": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true, "Proxy-Authorization": true,
}

// otherFields returns all fields of h that are not understood. A server may write any
// of them into its answer without naming it in Vary, as X-Forwarded-Host, Origin or
// Referer: such an answer is only for requests with the same fields, or one client
// could choose what others get.
func otherFields(h http.Header) string {
	var names []string
	for name := range h {
		if !understood[name] {
			names = append(names, name)
		}
	}
	if names == nil {
		return ""
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		for _, value := range h[name] {
			b.WriteString(name + ":" + value + "\n")
		}
	}
	return b.String()
}

// fieldValue is the value of a field for comparison (RFC 9111 section 4.1): lines
// are joined, and blanks that mean nothing left out. A field that is not there
// differs from an empty one.
func fieldValue(h http.Header, name string) string {
	values := h[name]
	if values == nil {
		return "\x00"
	}
	if len(values) == 1 && !strings.ContainsAny(values[0], " \t") {
		return values[0]
	}
	var parts []string
	for _, line := range values {
		for part := range strings.SplitSeq(line, ",") {
			parts = append(parts, strings.Join(strings.Fields(part), " "))
		}
	}
	return strings.Join(parts, ",")
}

// selects reports whether a request would have had the same answer.
func (m *meta) selects(h http.Header) bool {
	others := ""
	for _, s := range m.vary {
		switch {
		case s.name == otherName:
			others = s.value
		case s.name == "*" || fieldValue(h, s.name) != s.value:
			return false
		}
	}
	return !m.ruled || otherFields(h) == others
}

func method(req *http.Request) string {
	if req.Method == "" {
		return http.MethodGet
	}
	return req.Method
}

func ageText(d time.Duration) string {
	return strconv.FormatInt(int64(min(d, forever)/time.Second), 10)
}
