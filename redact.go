package locus

import (
	"sort"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// Shown returns the text with "***" for each password that is not empty. Programs
// must use it in messages, logs, traces and pages. [Mask] lists the hidden parts.
func (u URL) Shown() string {
	spans := secrets(u.text, u)
	if spans == nil {
		return u.text
	}
	return replaced(u.text, spans)
}

// replaced returns text with each of the spans replaced by "***".
func replaced(text string, spans []span) string {
	var b strings.Builder
	from := 0
	for _, s := range spans {
		b.WriteString(text[from:s.start])
		b.WriteString("***")
		from = s.end
	}
	b.WriteString(text[from:])
	return b.String()
}

// masked returns the text with each octet of a password as "*".
func (u URL) masked() string { return stars(u.text, secrets(u.text, u)) }

// Mask returns text with each octet of a password shown as "*", so that offsets stay valid.
// The text may be a URL, a mistyped URL, or a part of a URL. The text may include the wrapper
// that [RemoveWrapper] removes. In doubt, Mask hides a text, because errors quote mistyped
// URLs, which may contain passwords:
//
//	text                            hidden
//	ftp://u:PW@h/a@b                PW: the grammar says where the login ends
//	ftp://u:P@W@h/, ftp://u:P W@h/  all up to the last "@", if the text does not parse
//	ftp:/u:PW@h, ftp:u:PW@h         PW, also after "///" and "\\"
//	u:PW@h, ftp:PW@h                PW: a name that addressed does not list may be a user
//	ftp://u:PW, //u:PW/             PW: a port is digits
//	http://u%3APW@h/, ...PW%40h/    PW: escaped delimiters, even escaped repeatedly, and
//	                                those of other scripts (full-width ":" "@" "/") count
//	http://h/?v=ftp://u:PW@h2/      PW: a URL in a search, a path or a fragment
//	http://h/ftp:u:PW@h2            PW, the same
//	http://h/?v=u:PW@h2             PW: a value of a search
//	http://h/?//u:PW, [a](//u:PW    PW: "//" that is not in the middle of a path
//	http://h:8?q=PW@x               8, q=PW@: "?" stays, because it ends the host for browsers
//	x:y:z@h                         z: an unknown name may be a scheme and y a user
//	http://h:8080/a@b               nothing: the port is one
//	http://h:port/                  nothing: the word stands for one
//	http://h/a@b, http://h/a:b@c    nothing: within a path a login follows a scheme
//	ftp://u@h/, ssh:u@h             nothing: a user without a password
//	mailto:a@b, mid:x@y, news:x@y   nothing: addressed lists the name
//	sip:u:PW@h, ssh:u:PW@h          PW: before an address with a login
//	news:a:b@h, mailto:a:b@h        nothing: these schemes have no login
//	http://[::1/, http://::1/       nothing: an IPv6 address without its brackets
//	ftp:u:PW, u:PW                  nothing: without "@" and "//" it may be a name
func Mask(text string) string {
	return maskBoth(text, func(text string) string {
		u, _ := Parse(text)
		return stars(text, secrets(text, u))
	})
}

// maskGuess is like [Mask] for a text that is not a URL, with or without a wrapper.
func maskGuess(text string) string {
	return maskBoth(text, func(text string) string { return stars(text, secrets(text, URL{})) })
}

// maskBoth applies the function mask to text and to the content of its wrapper, because "<" or
// "URL:" may also belong to a login.
func maskBoth(text string, mask func(string) string) string {
	whole, w := mask(text), RemoveWrapper(text)
	if w.start == 0 && w.end == len(text) {
		return whole
	}
	b, inner := []byte(whole), mask(text[w.start:w.end])
	for i := range len(inner) {
		if inner[i] == '*' {
			b[w.start+i] = '*'
		}
	}
	return string(b)
}

// MaskText returns running text with "***" for each password that [Mask] hides in one of its
// words. White space, double quotes, "<" and ">" end a word. A tab within a login does not end
// a word, because browsers remove tabs from URLs.
func MaskText(text string) string {
	var all []span
	for start := 0; start < len(text); {
		end := wordEnd(text, start)
		// Closing brackets and punctuation are not part of the URL.
		word := strings.TrimRight(text[start:end], ").,;]}'")
		u, _ := Parse(word)
		for _, s := range secrets(word, u) {
			all = append(all, span{start + s.start, start + s.end})
		}
		start = end + 1
	}
	if all == nil {
		return text
	}
	return replaced(text, all)
}

// wordEnd returns the end of the word of running text that begins at start.
func wordEnd(text string, start int) int {
	end := start
	for end < len(text) && strings.IndexByte(" \t\r\n\"<>", text[end]) < 0 {
		end++
	}
	for end < len(text) && text[end] == '\t' && hasOpenLogin(text[start:end]) {
		n := strings.IndexAny(text[end:], "@/?# \r\n\"<>")
		if n < 0 || text[end+n] != '@' {
			break
		}
		for end += n; end < len(text) && strings.IndexByte(" \t\r\n\"<>", text[end]) < 0; end++ {
		}
	}
	return end
}

// hasOpenLogin reports whether word ends in a possible start of a login: a text after "//"
// that is not a host with a port.
func hasOpenLogin(word string) bool {
	i := strings.LastIndex(word, "//")
	if i < 0 || strings.ContainsAny(word[i+2:], "/?#@") {
		return false
	}
	_, port, hasPort := strings.Cut(word[i+2:], ":")
	return !hasPort || port == "" || !isDigits(port)
}

// stars returns text with "*" for each octet within the spans.
func stars(text string, spans []span) string {
	if spans == nil {
		return text
	}
	b := []byte(text)
	for _, s := range spans {
		for i := s.start; i < s.end; i++ {
			b[i] = '*'
		}
	}
	return string(b)
}

// addressed lists schemes whose scheme-specific part may contain an "@" that does not end a login.
// The schemes come from the RFCs and the IANA registry. After any other name, "name:x@y" may be a
// user, a password and a host. The value is false if "user:password@host" can follow the name.
var addressed = map[string]bool{
	"mailto": true, "mailserver": true, "mid": true, "cid": true, "im": true, "pres": true, "acct": true, "tag": true,
	"urn": true, "doi": true, "info": true, "data": true, "about": true, "javascript": true, "magnet": true, "pkg": true,
	"sms": true, "tel": true, "geo": true, "npm": true, "jsr": true,
	"news": true, "snews": true, "sip": false, "sips": false, "xmpp": false, "ssh": false,
}

// span is the part of a text between two offsets.
type span struct{ start, end int }

// mark is a delimiter in a text: plain, escaped, or a look-alike of another script.
type mark struct {
	start, end int
	octet      byte // the delimiter: " " means any white space, and "/" also means "\"
}

// otherScripts lists characters that look like a delimiter.
var otherScripts = [...]struct {
	text  string
	octet byte
}{
	{"\uff1a", ':'}, {"\ufe55", ':'}, {"\ufe13", ':'}, {"\u2236", ':'}, {"\ua789", ':'},
	{"\uff20", '@'}, {"\ufe6b", '@'},
	{"\uff0f", '/'}, {"\u2044", '/'}, {"\u2215", '/'}, {"\uff3c", '/'}, {"\ufe68", '/'},
}

func marks(text string) []mark {
	var list []mark
	for i := 0; i < len(text); {
		c, n := octetAt(text, i)
		switch c {
		case ':', '@', '/', '?', '#', '&', '=', ';':
			list = append(list, mark{i, i + n, c})
		case '\\':
			list = append(list, mark{i, i + n, '/'})
		case ' ', '\t', '\r', '\n', '"', '<', '>':
			list = append(list, mark{i, i + n, ' '})
		default:
			if c >= 0x80 {
				if o, size := otherScript(text, i); size > 0 {
					list = append(list, mark{i, i + size, o})
					n = size
				}
			}
		}
		i += n
	}
	return list
}

// octetAt returns the decoded octet at i and the length of its text. An escape may
// be escaped repeatedly ("%253A").
func octetAt(text string, i int) (c byte, n int) {
	if text[i] != '%' {
		return text[i], 1
	}
	j := i + 1
	for strings.HasPrefix(text[j:], "25") && j+3 < len(text) && octet.Is(text[j+2], octet.Hex) && octet.Is(text[j+3], octet.Hex) {
		j += 2
	}
	if !octet.IsEscape(text, j-1) {
		return '%', 1
	}
	return octet.Unescape(text, j-1), j + 2 - i
}

// otherScript returns the delimiter that the character at i looks like, and the
// length of its text, which is 0 if it does not look like a delimiter.
func otherScript(text string, i int) (c byte, n int) {
	for _, s := range otherScripts {
		at := i
		for k := 0; ; k++ {
			if k == len(s.text) {
				return s.octet, at - i
			}
			if at == len(text) {
				break
			}
			c, size := octetAt(text, at)
			if c != s.text[k] {
				break
			}
			at += size
		}
	}
	return 0, 0
}

// secrets returns the spans of the passwords in text, sorted and disjoint. The argument u is
// the URL of text, or the zero URL if text is not a URL.
func secrets(text string, u URL) []span {
	if hasNone(text, u) {
		return nil
	}
	f := &finder{text: text, marks: marks(text)}
	f.lastAt = f.lastIn('@', 0, len(f.marks))
	switch {
	case u.IsZero():
		f.guess()
	case u.Facts().Has(Internet) && u.colon()+3 < u.loginEnd():
		f.whole(u.colon()+3, u.loginEnd())
		f.embedded(f.from(u.loginEnd()))
	default:
		f.part()
	}
	return keepEnds(text, f.spans)
}

// hasNone is a fast test that text contains no password. hasNone has the same parameters as
// secrets. Most texts contain no ":" except after the scheme and before the port. The result
// may be false for a text without a password.
func hasNone(text string, u URL) bool {
	if octet.All(text)&octet.ASCII == 0 || strings.IndexByte(text, '%') >= 0 {
		return false
	}
	rest := text
	switch {
	case u.IsZero():
	case u.port() != 0 && u.at() == 0:
		rest = text[u.port()+1:]
	default:
		rest = text[u.colon()+1:]
	}
	return strings.IndexByte(rest, ':') < 0 && (u.Facts().Has(Internet) || strings.IndexByte(rest, '@') < 0)
}

// keepEnds returns spans without the octet that ends a host for some programs: a "/", "?", "#"
// or "\" in a span after "//" and a possible host. If that octet were hidden, the text would
// show the host after the "@" instead. keepEnds hides the "@" instead. A span that begins with
// that octet still contains it, because the octet may be the whole password.
func keepEnds(text string, spans []span) (kept []span) {
	from := 0 // end of the last span
	for _, s := range spans {
		end := hostEnd(text, from, s)
		from = s.end
		if end >= 0 && s.end < len(text) && text[s.end] == '@' {
			s.end++
		}
		if end > s.start {
			kept = append(kept, span{s.start, end})
			s.start = end + 1
		}
		if s.start < s.end {
			kept = append(kept, s)
		}
	}
	return kept
}

// hostEnd returns the offset of the octet in the span s at which some programs end a host, or
// -1 if s contains no such octet. The host begins after the offset from.
func hostEnd(text string, from int, s span) int {
	before := text[from:s.start]
	slashes := max(strings.LastIndex(before, "//"), strings.LastIndex(before, `\\`))
	n := strings.IndexAny(text[s.start:s.end], `/?#\`)
	if slashes < 0 || n < 0 || strings.ContainsAny(before[slashes+2:], `/?#\`) {
		return -1
	}
	host := text[from+slashes+2 : s.start+n]
	host = host[strings.LastIndexByte(host, '@')+1:]
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		if !isDigits(host[i+1:]) {
			return -1
		}
		host = host[:i]
	}
	if host == "" {
		return -1
	}
	return s.start + n
}

// finder finds passwords in a text in linear time: the fields lastAt and segments cache the
// results of searching ahead.
type finder struct {
	text  string
	marks []mark
	spans []span

	lastAt   int     // the index of the last "@", or -1
	segments segment // the last result of segment
}

// segment is a run of marks without a "/".
type segment struct {
	start, end int
	wide       bool // the segment may include spaces
	at         int  // the last "@", or -1
}

// segment returns the end of the segment that contains mark i, and the index of the segment's
// last "@". If no "@" is at or after mark i, the index is -1.
func (f *finder) segment(i int, wide bool) (end, at int) {
	s := &f.segments
	if i < s.start || i >= s.end || s.wide != wide {
		*s = segment{start: i, end: i, wide: wide, at: -1}
		for ; s.end < len(f.marks) && f.marks[s.end].octet != '/' && (wide || f.marks[s.end].octet != ' '); s.end++ {
			if f.marks[s.end].octet == '@' {
				s.at = s.end
			}
		}
	}
	if s.at < i {
		return s.end, -1
	}
	return s.end, s.at
}

// hide hides the text between the offsets start and end, unless that text is the placeholder
// "port", as in "http://localhost:port".
func (f *finder) hide(start, end int) {
	next := f.from(end)
	login := f.is(next, '@') && f.marks[next].start == end
	if start < end && (login || !strings.EqualFold(f.text[start:end], "port")) {
		f.spans = append(f.spans, span{start, end})
	}
}

// from returns the index of the first mark at or after the offset at.
func (f *finder) from(at int) int {
	return sort.Search(len(f.marks), func(i int) bool { return f.marks[i].start >= at })
}

// is reports whether mark i exists and its delimiter is c.
func (f *finder) is(i int, c byte) bool {
	return i >= 0 && i < len(f.marks) && f.marks[i].octet == c
}

// offset returns the offset of mark i, or the end of the text after the last mark.
func (f *finder) offset(i int) int {
	if i == len(f.marks) {
		return len(f.text)
	}
	return f.marks[i].start
}

// first returns the index of the first delimiter c among the marks from i up to end. If there
// is no such mark, first returns end.
func (f *finder) first(c byte, i, end int) int {
	for i < end && f.marks[i].octet != c {
		i++
	}
	return i
}

// lastIn returns the index of the last delimiter c among the marks from i up to end, or -1 if
// there is no such mark.
func (f *finder) lastIn(c byte, i, end int) int {
	for end--; end >= i; end-- {
		if f.marks[end].octet == c {
			return end
		}
	}
	return -1
}

// slashes returns the number of slashes directly after mark i.
func (f *finder) slashes(i int) int {
	n := 0
	for at := f.marks[i].end; f.is(i+1+n, '/') && f.marks[i+1+n].start == at; n++ {
		at = f.marks[i+1+n].end
	}
	return n
}

// name returns the scheme name that ends at mark i, or "".
func (f *finder) name(i int) string {
	least, end := 0, f.marks[i].start
	if i > 0 {
		least = f.marks[i-1].end
	}
	start := end
	for start > least && octet.Is(f.text[start-1], octet.Scheme) {
		start--
	}
	return strings.ToLower(f.text[start:end])
}

// last returns the index of the last "@" at or after mark i, or -1.
func (f *finder) last(i int) int {
	if f.lastAt < i {
		return -1
	}
	return f.lastAt
}

// whole finds the password of the login between the offsets start and end.
func (f *finder) whole(start, end int) {
	i, stop := f.from(start), f.from(end)
	colon, at := f.first(':', i, stop), f.lastIn('@', i, stop)
	switch {
	case colon == stop:
	case colon < at:
		f.hide(f.marks[colon].end, f.marks[at].start)
	case at < 0 && f.text[start] != '[' && !isDigits(f.text[f.marks[colon].end:end]):
		f.hide(f.marks[colon].end, end)
	}
}

// isDigits reports whether text can be a port, possibly broken across lines.
func isDigits(text string) bool { return strings.Trim(text, "0123456789"+blanks) == "" }

// login finds the password of a possible login that begins at start, before mark i, and returns the
// index of the next mark to read. If certain is true, the text is a login, and a port that is not
// digits is a password. If wide is true, the login may include spaces.
func (f *finder) login(start, i int, certain, wide bool) (next int) {
	end, at := f.segment(i, wide)
	colon := f.first(':', i, end)
	switch {
	case colon == end:
		return end
	case colon < at && !wide && f.hasPort(colon):
		return colon // h:80?a=b@c
	case colon < at:
		f.hide(f.marks[colon].end, f.marks[at].start)
		return at + 1
	case at >= 0 || !certain:
		return end
	}
	return f.openLogin(start, colon, end, wide)
}

// hasPort reports whether a port follows the ":" with the index colon. The text up to the next
// mark must be a port or empty, and that mark must be neither "@" nor ":".
func (f *finder) hasPort(colon int) bool {
	next := f.marks[colon+1]
	return next.octet != '@' && next.octet != ':' && isDigits(f.text[f.marks[colon].end:next.start])
}

// openLogin finds the password of a login that begins at the offset start and has no "@" before
// mark end. The password is the text after the first ":" of the login, unless that text is a port
// or part of an IPv6 address. openLogin returns the index of the next mark to read.
func (f *finder) openLogin(start, colon, end int, wide bool) (next int) {
	stop := f.offset(end)
	first := stop
	for i := colon + 1; i < end; i++ {
		if strings.IndexByte("&?#", f.marks[i].octet) >= 0 {
			first = f.marks[i].start
			break
		}
	}
	password := f.marks[colon].end
	if isDigits(f.text[password:first]) || strings.HasPrefix(f.text[start:], "[") || isBareIPv6(f.text[start:stop]) {
		return colon
	}
	// The password may contain a "/" if an "@" follows.
	if last := f.last(end); last >= 0 {
		f.hide(password, f.marks[last].start)
		return last + 1
	}
	if !wide {
		stop = first
	}
	f.hide(password, stop)
	return end
}

// isBareIPv6 reports whether text consists of the characters of an IPv6 address,
// with at least two ":".
func isBareIPv6(text string) bool {
	return strings.Count(text, ":") >= 2 && strings.Trim(text, "0123456789ABCDEFabcdef:.") == ""
}

// embedded finds the passwords of URLs in a path, a search and a fragment. The search begins
// at mark i.
func (f *finder) embedded(i int) {
	searching := false
	for i < len(f.marks) {
		m := f.marks[i]
		switch {
		case m.octet == '?', searching && (m.octet == '&' || m.octet == '=' || m.octet == ';' || m.octet == '#'):
			searching = true
			i = f.value(i)
		case m.octet == ':' && f.slashes(i) >= 2:
			n := f.slashes(i)
			i = f.login(f.marks[i+n].end, i+n+1, true, false)
		case m.octet == ':' && !isDigits(f.name(i)) && !addressed[f.name(i)]:
			n := f.slashes(i)
			i = f.login(f.marks[i+n].end, i+n+1, false, false)
		case m.octet == '/' && f.slashes(i) >= 1:
			n := f.slashes(i)
			i = f.login(f.marks[i+n].end, i+n+1, f.opens(i), false)
		default:
			i++
		}
	}
}

// opens reports whether a login may follow the "/" of mark i, because that "/" is not in the
// middle of a path. That "/" must be at the start, in a search, after a bracket, or after the
// ":" of another URL, as in "URL:ftp://u:PW".
func (f *finder) opens(i int) bool {
	at := f.marks[i].start
	return at == 0 || strings.IndexByte("?=&;([{,|'", f.text[at-1]) >= 0 || f.is(i-1, ':') && f.marks[i-1].end == at
}

// value finds a login at the start of a search value, after mark i, and returns the
// index of the next mark to read.
func (f *finder) value(i int) (next int) {
	end := i + 1
	for end < len(f.marks) && strings.IndexByte("&;#?/= ", f.marks[end].octet) < 0 {
		end++
	}
	colon, at := f.first(':', i+1, end), f.lastIn('@', i+1, end)
	switch {
	case colon == end:
		return end
	case f.slashes(colon) > 0:
		return colon
	}
	if never, known := addressed[f.name(colon)]; known && f.marks[colon-1].octet != '@' {
		if never {
			return end
		}
		colon = f.first(':', colon+1, end)
	}
	if colon < at {
		f.hide(f.marks[colon].end, f.marks[at].start)
		return at + 1
	}
	return end
}

// part finds passwords in a URL without a login.
func (f *finder) part() {
	i := f.from(0)
	for ; ; i++ {
		// Mark i is the ":" of a scheme.
		if n := f.slashes(i); n > 0 {
			f.embedded(f.login(f.marks[i+n].end, i+n+1, true, false))
			return
		}
		if !f.is(i+1, ':') || f.slashes(i+1) == 0 && f.name(i) != "url" || f.name(i+1) == "" {
			break
		}
	}
	never, known := addressed[f.name(i)]
	at := f.last(i + 1)
	if never || at < 0 {
		f.embedded(i + 1)
		return
	}
	if colon := f.first(':', i+1, at); colon < at {
		f.hide(f.marks[colon].end, f.marks[at].start)
	} else if !known {
		f.hide(f.marks[i].end, f.marks[at].start)
	}
	f.embedded(at + 1)
}

// guess finds a password in a text that is not a URL. The password is the text from the first ":"
// that does not end a scheme up to the last "@".
func (f *finder) guess() {
	at := f.last(0)
	if colon := f.opening(at); colon < at {
		f.hide(f.marks[colon].end, f.marks[at].start)
		f.embedded(at + 1)
		return
	}
	i, n := 0, 0
	if len(f.marks) > 0 {
		n = f.slashes(0)
	}
	switch {
	case n == 0:
	case f.is(0, '/') && f.marks[0].start == 0:
		i = f.login(f.marks[1].end, 2, true, true)
	case f.is(0, ':') && f.name(0) == strings.ToLower(f.text[:f.marks[0].start]):
		i = f.login(f.marks[n].end, n+1, true, true)
	}
	f.embedded(i)
}

// opening returns the index of the first ":" that does not end a scheme, among the marks before
// the index at. If there is none, opening returns at.
func (f *finder) opening(at int) int {
	start := 0 // the offset at which a scheme can begin
	for i := 0; i < at; i++ {
		m := f.marks[i]
		before := f.text[start:m.start]
		switch {
		case m.octet == ' ' && strings.Trim(before, blanks+"<") == "", m.octet == ':' && strings.EqualFold(before, "url"):
			start = m.end
		case m.octet == ':' && !f.endsScheme(i, at, before):
			return i
		}
	}
	return at
}

// endsScheme reports whether the ":" of mark i ends a scheme. A login follows the ":" and ends
// at the mark with index at. The argument before is the text that ends at the ":" and in which
// the scheme must begin.
func (f *finder) endsScheme(i, at int, before string) bool {
	n, name := f.slashes(i), f.name(i)
	never, known := addressed[name]
	switch {
	case n >= 2 && !(f.is(i-1, ':') && f.marks[i-1].end == f.marks[i].start), never:
		return true
	case name == "" || !strings.EqualFold(before, name):
		return false
	case n == 1, known:
		return true
	}
	// The name is a user, unless another ":" follows, which makes the name a scheme.
	return f.first(':', i+1, at) < at
}
