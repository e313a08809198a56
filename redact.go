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
	return replaceSpans(u.text, spans)
}

// replaceSpans returns text with each of the spans replaced by "***".
func replaceSpans(text string, spans []span) string {
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

// maskedText returns the text with each octet of a password as "*".
func (u URL) maskedText() string { return maskSpans(u.text, secrets(u.text, u)) }

// Mask returns text with each octet of a password shown as "*", so that offsets stay valid.
// The text may be a URL, a mistyped URL, or a part of a URL. The text may include the wrapper
// that [RemoveWrapper] removes. In doubt, Mask hides a text, because errors quote mistyped
// URLs, which may contain passwords:
//
//	text                            hidden
//	ftp://u:PW@h/a@b                PW: the grammar says where the login ends
//	ftp://u:P@W@h/, ftp://u:P W@h/  all up to the last "@", if the text does not parse
//	ftp:/u:PW@h, ftp:u:PW@h         PW, also after "///" and "\\"
//	u:PW@h, ftp:PW@h                PW: a name that addressSchemes does not list may be a user
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
//	mailto:a@b, mid:x@y, news:x@y   nothing: addressSchemes lists the name
//	sip:u:PW@h, ssh:u:PW@h          PW: before an address with a login
//	news:a:b@h, mailto:a:b@h        nothing: these schemes have no login
//	http://[::1/, http://::1/       nothing: an IPv6 address without its brackets
//	ftp:u:PW, u:PW                  nothing: without "@" and "//" it may be a name
func Mask(text string) string {
	return maskBoth(text, func(text string) string {
		u, _ := Parse(text)
		return maskSpans(text, secrets(text, u))
	})
}

// maskGuess is like [Mask] for a text that is not a URL, with or without a wrapper.
func maskGuess(text string) string {
	return maskBoth(text, func(text string) string { return maskSpans(text, secrets(text, URL{})) })
}

// maskBoth applies maskOne to text and to the content of its wrapper, because "<" or "URL:" may
// also belong to a login.
func maskBoth(text string, maskOne func(string) string) string {
	whole, w := maskOne(text), RemoveWrapper(text)
	if w.start == 0 && w.end == len(text) {
		return whole
	}
	b, inner := []byte(whole), maskOne(text[w.start:w.end])
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
	return replaceSpans(text, all)
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

// maskSpans returns text with "*" for each octet within the spans.
func maskSpans(text string, spans []span) string {
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

// addressSchemes lists schemes whose scheme-specific part may contain an "@" that does not end a
// login. The schemes come from the RFCs and the IANA registry. After any other name, "name:x@y"
// may be a user, a password and a host. The value is false if "user:password@host" can follow the
// name.
var addressSchemes = map[string]bool{
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

// secrets returns the spans of the passwords in text, sorted and disjoint. u is the URL of text,
// or the zero URL if text is not a URL.
func secrets(text string, u URL) []span {
	if hasNoPassword(text, u) {
		return nil
	}
	f := &finder{text: text, marks: marks(text)}
	f.lastAt = f.lastIn('@', 0, len(f.marks))
	switch {
	case u.IsZero():
		f.guessPassword()
	case u.Facts().Has(Internet) && u.colon()+3 < u.loginEnd():
		f.findPassword(u.colon()+3, u.loginEnd())
		f.findEmbedded(f.markFrom(u.loginEnd()))
	default:
		f.findInParts()
	}
	return keepEnds(text, f.spans)
}

// hasNoPassword is a fast test that text contains no password. hasNoPassword has the same
// parameters as secrets. Most texts contain no ":" except after the scheme and before the port.
// The result may be false for a text without a password.
func hasNoPassword(text string, u URL) bool {
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

// hostEnd returns the offset of the octet in the span s at which some programs end a host, or -1
// if s contains no such octet. The host begins after start.
func hostEnd(text string, start int, s span) int {
	before := text[start:s.start]
	slashes := max(strings.LastIndex(before, "//"), strings.LastIndex(before, `\\`))
	n := strings.IndexAny(text[s.start:s.end], `/?#\`)
	if slashes < 0 || n < 0 || strings.ContainsAny(before[slashes+2:], `/?#\`) {
		return -1
	}
	host := text[start+slashes+2 : s.start+n]
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
	start, end  int
	allowSpaces bool // the segment may include spaces
	at          int  // the last "@", or -1
}

// segment returns the end of the segment that contains mark i, and the index of the segment's
// last "@". If no "@" is at or after mark i, the index is -1.
func (f *finder) segment(i int, allowSpaces bool) (end, at int) {
	s := &f.segments
	if i < s.start || i >= s.end || s.allowSpaces != allowSpaces {
		*s = segment{start: i, end: i, allowSpaces: allowSpaces, at: -1}
		for ; s.end < len(f.marks) && f.marks[s.end].octet != '/' && (allowSpaces || f.marks[s.end].octet != ' '); s.end++ {
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
	next := f.markFrom(end)
	login := f.hasDelimiter(next, '@') && f.marks[next].start == end
	if start < end && (login || !strings.EqualFold(f.text[start:end], "port")) {
		f.spans = append(f.spans, span{start, end})
	}
}

// markFrom returns the index of the first mark at or after offset.
func (f *finder) markFrom(offset int) int {
	return sort.Search(len(f.marks), func(i int) bool { return f.marks[i].start >= offset })
}

// hasDelimiter reports whether mark i exists and its delimiter is c.
func (f *finder) hasDelimiter(i int, c byte) bool {
	return i >= 0 && i < len(f.marks) && f.marks[i].octet == c
}

// offset returns the offset of mark i, or the end of the text after the last mark.
func (f *finder) offset(i int) int {
	if i == len(f.marks) {
		return len(f.text)
	}
	return f.marks[i].start
}

// firstIn returns the index of the first delimiter c among the marks from i up to end. If there
// is no such mark, firstIn returns end.
func (f *finder) firstIn(c byte, i, end int) int {
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

// countSlashes returns the number of slashes directly after mark i.
func (f *finder) countSlashes(i int) int {
	n := 0
	for at := f.marks[i].end; f.hasDelimiter(i+1+n, '/') && f.marks[i+1+n].start == at; n++ {
		at = f.marks[i+1+n].end
	}
	return n
}

// schemeName returns the scheme name that ends at mark i, or "".
func (f *finder) schemeName(i int) string {
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

// lastAtFrom returns the index of the last "@" at or after mark i, or -1.
func (f *finder) lastAtFrom(i int) int {
	if f.lastAt < i {
		return -1
	}
	return f.lastAt
}

// findPassword finds the password of the login between the offsets start and end.
func (f *finder) findPassword(start, end int) {
	i, stop := f.markFrom(start), f.markFrom(end)
	colon, at := f.firstIn(':', i, stop), f.lastIn('@', i, stop)
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

// readLogin finds the password of a possible login that begins at start, before mark i, and
// returns the index of the next mark to read. If isLogin is true, the text is a login, and a port
// that is not digits is a password. If allowSpaces is true, the login may include spaces.
func (f *finder) readLogin(start, i int, isLogin, allowSpaces bool) (next int) {
	end, at := f.segment(i, allowSpaces)
	colon := f.firstIn(':', i, end)
	switch {
	case colon == end:
		return end
	case colon < at && !allowSpaces && f.hasPort(colon):
		return colon // h:80?a=b@c
	case colon < at:
		f.hide(f.marks[colon].end, f.marks[at].start)
		return at + 1
	case at >= 0 || !isLogin:
		return end
	}
	return f.readOpenLogin(start, colon, end, allowSpaces)
}

// hasPort reports whether a port follows the ":" with the index colon. The text up to the next
// mark must be a port or empty, and that mark must be neither "@" nor ":".
func (f *finder) hasPort(colon int) bool {
	next := f.marks[colon+1]
	return next.octet != '@' && next.octet != ':' && isDigits(f.text[f.marks[colon].end:next.start])
}

// readOpenLogin finds the password of a login that begins at the offset start and has no "@"
// before mark end. The password is the text after the first ":" of the login, unless that text is
// a port or part of an IPv6 address. readOpenLogin returns the index of the next mark to read.
func (f *finder) readOpenLogin(start, colon, end int, allowSpaces bool) (next int) {
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
	if last := f.lastAtFrom(end); last >= 0 {
		f.hide(password, f.marks[last].start)
		return last + 1
	}
	if !allowSpaces {
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

// findEmbedded finds the passwords of URLs in a path, a search and a fragment. The search begins
// at mark i.
func (f *finder) findEmbedded(i int) {
	searching := false
	for i < len(f.marks) {
		m := f.marks[i]
		switch {
		case m.octet == '?', searching && (m.octet == '&' || m.octet == '=' || m.octet == ';' || m.octet == '#'):
			searching = true
			i = f.readValue(i)
		case m.octet == ':' && f.countSlashes(i) >= 2:
			n := f.countSlashes(i)
			i = f.readLogin(f.marks[i+n].end, i+n+1, true, false)
		case m.octet == ':' && !isDigits(f.schemeName(i)) && !addressSchemes[f.schemeName(i)]:
			n := f.countSlashes(i)
			i = f.readLogin(f.marks[i+n].end, i+n+1, false, false)
		case m.octet == '/' && f.countSlashes(i) >= 1:
			n := f.countSlashes(i)
			i = f.readLogin(f.marks[i+n].end, i+n+1, f.mayOpenLogin(i), false)
		default:
			i++
		}
	}
}

// mayOpenLogin reports whether a login may follow the "/" of mark i, because that "/" is not in
// the middle of a path. That "/" must be at the start, in a search, after a bracket, or after the
// ":" of another URL, as in "URL:ftp://u:PW".
func (f *finder) mayOpenLogin(i int) bool {
	at := f.marks[i].start
	return at == 0 || strings.IndexByte("?=&;([{,|'", f.text[at-1]) >= 0 || f.hasDelimiter(i-1, ':') && f.marks[i-1].end == at
}

// readValue finds a login at the start of a search value, after mark i, and returns the
// index of the next mark to read.
func (f *finder) readValue(i int) (next int) {
	end := i + 1
	for end < len(f.marks) && strings.IndexByte("&;#?/= ", f.marks[end].octet) < 0 {
		end++
	}
	colon, at := f.firstIn(':', i+1, end), f.lastIn('@', i+1, end)
	switch {
	case colon == end:
		return end
	case f.countSlashes(colon) > 0:
		return colon
	}
	if never, known := addressSchemes[f.schemeName(colon)]; known && f.marks[colon-1].octet != '@' {
		if never {
			return end
		}
		colon = f.firstIn(':', colon+1, end)
	}
	if colon < at {
		f.hide(f.marks[colon].end, f.marks[at].start)
		return at + 1
	}
	return end
}

// findInParts finds passwords in a URL without a login.
func (f *finder) findInParts() {
	i := f.markFrom(0)
	for ; ; i++ {
		// Mark i is the ":" of a scheme.
		if n := f.countSlashes(i); n > 0 {
			f.findEmbedded(f.readLogin(f.marks[i+n].end, i+n+1, true, false))
			return
		}
		if !f.hasDelimiter(i+1, ':') || f.countSlashes(i+1) == 0 && f.schemeName(i) != "url" || f.schemeName(i+1) == "" {
			break
		}
	}
	never, known := addressSchemes[f.schemeName(i)]
	at := f.lastAtFrom(i + 1)
	if never || at < 0 {
		f.findEmbedded(i + 1)
		return
	}
	if colon := f.firstIn(':', i+1, at); colon < at {
		f.hide(f.marks[colon].end, f.marks[at].start)
	} else if !known {
		f.hide(f.marks[i].end, f.marks[at].start)
	}
	f.findEmbedded(at + 1)
}

// guessPassword finds a password in a text that is not a URL. The password is the text from the
// first ":" that does not end a scheme up to the last "@".
func (f *finder) guessPassword() {
	at := f.lastAtFrom(0)
	if colon := f.findOpening(at); colon < at {
		f.hide(f.marks[colon].end, f.marks[at].start)
		f.findEmbedded(at + 1)
		return
	}
	i, n := 0, 0
	if len(f.marks) > 0 {
		n = f.countSlashes(0)
	}
	switch {
	case n == 0:
	case f.hasDelimiter(0, '/') && f.marks[0].start == 0:
		i = f.readLogin(f.marks[1].end, 2, true, true)
	case f.hasDelimiter(0, ':') && f.schemeName(0) == strings.ToLower(f.text[:f.marks[0].start]):
		i = f.readLogin(f.marks[n].end, n+1, true, true)
	}
	f.findEmbedded(i)
}

// findOpening returns the index of the first ":" that does not end a scheme, among the marks
// before end. If there is none, findOpening returns end.
func (f *finder) findOpening(end int) int {
	start := 0 // the offset at which a scheme can begin
	for i := 0; i < end; i++ {
		m := f.marks[i]
		before := f.text[start:m.start]
		switch {
		case m.octet == ' ' && strings.Trim(before, blanks+"<") == "", m.octet == ':' && strings.EqualFold(before, "url"):
			start = m.end
		case m.octet == ':' && !f.endsScheme(i, end, before):
			return i
		}
	}
	return end
}

// endsScheme reports whether the ":" of mark i ends a scheme. A login follows the ":" and ends at
// the mark with the index loginEnd. prefix is the text that ends at the ":" and in which the
// scheme must begin.
func (f *finder) endsScheme(i, loginEnd int, prefix string) bool {
	n, name := f.countSlashes(i), f.schemeName(i)
	never, known := addressSchemes[name]
	switch {
	case n >= 2 && !(f.hasDelimiter(i-1, ':') && f.marks[i-1].end == f.marks[i].start), never:
		return true
	case name == "" || !strings.EqualFold(prefix, name):
		return false
	case n == 1, known:
		return true
	}
	// The name is a user, unless another ":" follows, which makes the name a scheme.
	return f.firstIn(':', i+1, loginEnd) < loginEnd
}
