package cache

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
)

// meta is a stored response without its body. A meta must not change after other goroutines can
// access it.
type meta struct {
	url      string // canonical URL, because two URLs may have the same hash
	status   int
	header   http.Header // header without hop-by-hop fields and Age
	vary     []varyField // request fields on which the response depends
	lifetime time.Duration
	age      time.Duration // age on arrival (RFC 9111 section 4.2.3)
	received time.Time
	size     int64 // size of the body; -1 if not yet known
	isHTTP   bool  // the HTTP caching rules apply

	cc       directives // directives in header
	etag     string
	modified time.Time // zero if unknown
	date     time.Time
}

// varyField is a request header field in Vary, and its value in the request.
type varyField struct{ name, value string }

// derive sets the fields of m that depend on m.header.
func (m *meta) derive() {
	m.cc = parseDirectives(m.header["Cache-Control"])
	m.etag = m.header.Get("Etag")
	m.modified, _ = http.ParseTime(m.header.Get("Last-Modified"))
	m.date, _ = http.ParseTime(m.header.Get("Date"))
}

// memory estimates the size of m in memory, in bytes.
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

// hopFields lists the hop-by-hop header fields (RFC 9111 section 3.1, RFC 9110 section 7.6.1).
var hopFields = [...]string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
}

// withoutHop returns a copy of h without hop-by-hop fields.
func withoutHop(h http.Header) http.Header {
	c := make(http.Header, len(h)+3) // plus Age, Date and Cache-Status
	for name, values := range h {
		c[name] = slices.Clone(values)
	}
	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			c.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopFields {
		delete(c, name)
	}
	return c
}

// newMeta returns the meta for a response. The store sent the request at sentAt, and the response
// arrived at receivedAt. The URL u must be canonical.
func (s *Store) newMeta(u locus.URL, req *http.Request, resp *http.Response, sentAt, receivedAt time.Time) *meta {
	m := &meta{url: u.String(), status: resp.StatusCode, header: withoutHop(resp.Header), received: receivedAt, size: resp.ContentLength, isHTTP: s.isWeb(u)}
	if m.header.Get("Date") == "" {
		m.header.Set("Date", receivedAt.UTC().Format(http.TimeFormat))
	}
	if resp.Uncompressed && m.header.Get("Etag") != "" {
		// The tag identifies the compressed bytes, so it is only a weak tag for the decoded bytes.
		m.header.Set("Etag", "W/"+strings.TrimPrefix(m.header.Get("Etag"), "W/"))
	}
	m.derive()
	m.setAge(sentAt, receivedAt)
	m.lifetime = s.lifetime(u, m)
	m.vary = s.selectors(u, req.Header, m)
	return m
}

// setAge sets the age on arrival (RFC 9111 section 4.2.3). The store sent the request at sentAt,
// and the response arrived at receivedAt.
func (m *meta) setAge(sentAt, receivedAt time.Time) {
	text, _, _ := strings.Cut(m.header.Get("Age"), ",")
	told, _ := parseSeconds(strings.TrimSpace(text))
	// The resolution of Date is one second, so setAge ignores fractions.
	m.age = max(0, receivedAt.Truncate(time.Second).Sub(m.date), told+max(0, receivedAt.Sub(sentAt)))
	if m.date.IsZero() { // the Date header is malformed
		m.age = told + max(0, receivedAt.Sub(sentAt))
	}
	delete(m.header, "Age")
}

func (m *meta) currentAge(now time.Time) time.Duration {
	return m.age + max(0, now.Sub(m.received))
}

// isFuture reports whether the response arrived at a time later than now. In that case the clock
// was set back, and the age is unknown.
func (m *meta) isFuture(now time.Time) bool { return m.received.Sub(now) > clockStep }

// clockStep is the tolerance for a clock that was set back.
const clockStep = time.Second

// heuristicStatuses lists the statuses of responses that may be stored without an explicit
// lifetime (RFC 9110 section 15.1). The statuses in explicitStatuses require an explicit
// lifetime.
var (
	heuristicStatuses = []int{200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501}
	explicitStatuses  = []int{302, 303, 307}
)

// lifetime returns how long the response is fresh (RFC 9111 section 4.2.1).
func (s *Store) lifetime(u locus.URL, m *meta) time.Duration {
	if d, ok := m.explicitLifetime(); ok {
		return d
	}
	if !m.isHTTP {
		return s.lifetimeByScheme(u, m)
	}
	// Section 4.2.2 suggests a tenth of the time since the last change. The store does not apply it
	// to queries, because their results change.
	if strings.Contains(m.url, "?") || m.modified.IsZero() || m.date.IsZero() {
		return 0
	}
	if !slices.Contains(heuristicStatuses, m.status) && !m.cc.has("public") {
		return 0
	}
	return min(max(0, m.date.Sub(m.modified)/10), fileMax)
}

// explicitLifetime returns the lifetime in the response header.
func (m *meta) explicitLifetime() (d time.Duration, ok bool) {
	switch {
	case m.cc.has("s-maxage"):
		return m.cc["s-maxage"], true
	case m.cc.has("max-age"):
		return m.cc["max-age"], true
	case m.header["Expires"] != nil:
		if len(m.header["Expires"]) > 1 {
			return 0, true
		}
		at, ok := parseExpires(m.header.Get("Expires"))
		if !ok || m.date.IsZero() {
			return 0, true
		}
		return max(0, at.Sub(m.date)), true
	}
	return 0, false
}

// parseExpires parses the value of Expires. An invalid date means that the response is
// stale (RFC 9111 section 5.3), so parseExpires rejects repeated spaces and one-digit
// hours, which [http.ParseTime] accepts.
func parseExpires(text string) (at time.Time, ok bool) {
	for _, layout := range []string{http.TimeFormat, time.RFC850, time.ANSIC} {
		if at, err := time.Parse(layout, text); err == nil && len(at.Format(layout)) == len(text) {
			return at, true
		}
	}
	return time.Time{}, false
}

// lifetimeByScheme returns the lifetime for schemes other than http and https.
func (s *Store) lifetimeByScheme(u locus.URL, m *meta) time.Duration {
	d := s.age(u, m.header)
	if at := m.header.Get("Content-Location"); at != "" {
		// The response was redirected, and the target has its own lifetime.
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

// mayStore reports whether the store may store the response, and whether a later request could use
// the stored response (RFC 9111 section 3).
func (m *meta) mayStore(req *http.Request, cc directives, resp *http.Response) bool {
	switch {
	case method(req) != http.MethodGet || cc.has("no-store"):
		return false
	case !slices.Contains(heuristicStatuses, m.status) && !slices.Contains(explicitStatuses, m.status):
		return false // unknown status
	case m.cc.has("no-store") && !m.cc.has("must-understand"), m.cc.has("private"):
		return false
	case isPersonal(req) && !m.isPublic(req):
		return false
	case m.header["Set-Cookie"] != nil || m.header["Set-Cookie2"] != nil:
		return false // a cookie belongs to one user
	case len(resp.Trailer) > 0, m.header["Content-Range"] != nil, len(m.vary) == 1 && m.vary[0].name == "*":
		return false
	}
	if _, ok := m.explicitLifetime(); !ok && m.isHTTP && !m.cc.has("public") && !slices.Contains(heuristicStatuses, m.status) {
		return false
	}
	if !m.isHTTP && m.lifetime <= 0 {
		return false
	}
	return m.lifetime > m.age || m.canValidate()
}

func isPersonal(req *http.Request) bool {
	return req.Header["Authorization"] != nil || req.Header["Cookie"] != nil
}

// isPublic reports whether a response to a personal request may be sent to other users (RFC
// 9111 section 3.5). The directive must-revalidate allows this for requests with
// Authorization, but not for requests with cookies.
func (m *meta) isPublic(req *http.Request) bool {
	return m.cc.has("public") || m.cc.has("s-maxage") || m.cc.has("must-revalidate") && req.Header["Cookie"] == nil
}

func (m *meta) canValidate() bool { return m.etag != "" || !m.modified.IsZero() }

// hasStrongDate reports whether Last-Modified reliably distinguishes versions (RFC 9110
// section 8.8.2.2).
func (m *meta) hasStrongDate() bool {
	return !m.modified.IsZero() && !m.date.IsZero() && m.date.Sub(m.modified) >= time.Second
}

// usability describes how the store may use a stored response for a request.
type usability uint8

const (
	mustValidate    usability = iota // usable only after validation
	fresh                            // usable without validation
	staleAccepted                    // stale, but the request accepts a stale response
	staleRevalidate                  // stale, but usable while the store revalidates it in the background
)

// usability returns whether and how the store may use the response for a request with the
// directives cc (RFC 9111 sections 4.2 and 5.2.1, RFC 5861 section 3, RFC 8246).
func (m *meta) usability(cc directives, now time.Time) usability {
	age, lifetime := m.currentAge(now), m.lifetime
	if cc.has("no-cache") || m.cc.has("no-cache") || m.isFuture(now) {
		return mustValidate
	}
	isFresh := lifetime > age
	if cc.has("max-age") && age > cc["max-age"] && !(m.cc.has("immutable") && isFresh && cc["max-age"] == 0) {
		// The directive max-stale also extends max-age (section 5.2.1.2).
		if !isFresh || !cc.has("max-stale") || age-cc["max-age"] > cc["max-stale"] {
			return mustValidate
		}
	}
	if isFresh {
		if cc.has("min-fresh") && lifetime-age < cc["min-fresh"] {
			return mustValidate
		}
		return fresh
	}
	if m.isStrict() || cc.has("min-fresh") {
		return mustValidate
	}
	if cc.has("max-stale") && age-lifetime <= cc["max-stale"] {
		return staleAccepted
	}
	if m.cc.has("stale-while-revalidate") && age-lifetime <= m.cc["stale-while-revalidate"] && !cc.has("max-age") {
		return staleRevalidate
	}
	return mustValidate
}

// isStrict reports whether the store must not use the response when it is stale (RFC 9111 section
// 4.2.4; section 5.2.2.10 for s-maxage).
func (m *meta) isStrict() bool {
	return m.cc.has("must-revalidate") || m.cc.has("proxy-revalidate") || m.cc.has("s-maxage") || m.cc.has("no-cache")
}

// mayReplaceError reports whether the stale response may replace an error (RFC 5861 section
// 4).
func (m *meta) mayReplaceError(cc directives, now time.Time) bool {
	if m.isStrict() || cc.has("no-cache") || m.isFuture(now) {
		return false
	}
	allowed := max(cc["stale-if-error"], m.cc["stale-if-error"])
	if !m.isHTTP {
		allowed = max(allowed, outageAge)
	} else if !cc.has("stale-if-error") && !m.cc.has("stale-if-error") {
		return false
	}
	return m.currentAge(now)-m.lifetime <= allowed
}

// updateMeta returns a copy of m with the header fields of resp, the response that validated m.
// Usually resp has the status 304 (RFC 9111 section 3.2). For schemes other than http and https,
// resp may repeat the stored response.
func (s *Store) updateMeta(u locus.URL, m *meta, req *http.Request, resp *http.Response, sentAt, receivedAt time.Time) *meta {
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
		n.header.Set("Date", receivedAt.UTC().Format(http.TimeFormat))
	}
	n.received = receivedAt
	n.derive()
	n.setAge(sentAt, receivedAt)
	n.lifetime = s.lifetime(u, &n)
	n.vary = s.selectors(u, req.Header, &n)
	return &n
}

// selectors returns the request fields on which the response depends.
func (s *Store) selectors(u locus.URL, h http.Header, m *meta) []varyField {
	lines := m.header["Vary"]
	if lines == nil && !m.isHTTP && !s.registry.Freshness(u).Fixed {
		lines = []string{"Accept, Accept-Language"}
	}
	var list []varyField
	for _, line := range lines {
		for name := range strings.SplitSeq(line, ",") {
			name = http.CanonicalHeaderKey(strings.TrimSpace(name))
			switch {
			case name == "*":
				return []varyField{{name: "*"}}
			case name == "" || slices.ContainsFunc(list, func(s varyField) bool { return s.name == name }):
			default:
				list = append(list, varyField{name, fieldValue(h, name)})
			}
		}
	}
	if m.isHTTP {
		if value := otherFields(h); value != "" {
			list = append(list, varyField{otherName, value})
		}
	}
	return list
}

// otherName represents all request fields without cache rules. It is not a valid field name.
const otherName = "\x00others"

// knownFields lists the request fields with cache rules, and the hop-by-hop fields. A response
// depends on such a field only if Vary contains the name of the field.
var knownFields = map[string]bool{
	"Accept": true, "Accept-Charset": true, "Accept-Encoding": true, "Accept-Language": true, "Authorization": true, "Cookie": true,
	"Cache-Control": true, "Pragma": true, "Range": true, "If-Range": true,
	"If-Match": true, "If-None-Match": true, "If-Modified-Since": true, "If-Unmodified-Since": true,
	"Host": true, "Content-Length": true, "Via": true,
	"Connection": true, "Keep-Alive": true, "Proxy-Connection": true, "Te": true, "Trailer": true, "Transfer-Encoding": true, "Upgrade": true, "Proxy-Authorization": true,
}

// otherFields returns all fields of the header h that are not in knownFields. A server may repeat
// such a field, for example X-Forwarded-Host, in its response without naming the field in Vary. So
// the store uses the response only for requests with the same fields. Otherwise one client could
// influence the responses for other clients.
func otherFields(h http.Header) string {
	var names []string
	for name := range h {
		if !knownFields[name] {
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

// fieldValue returns the normalized value of a header field for comparison (RFC 9111
// section 4.1). It joins lines and removes insignificant spaces. A missing field differs
// from an empty field.
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

// matches reports whether the store may use the response for a request with the header h.
func (m *meta) matches(h http.Header) bool {
	others := ""
	for _, s := range m.vary {
		switch {
		case s.name == otherName:
			others = s.value
		case s.name == "*" || fieldValue(h, s.name) != s.value:
			return false
		}
	}
	return !m.isHTTP || otherFields(h) == others
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
