package extract

import (
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// kind is a set of bits that describe the meaning of a byte in a bare URL.
type kind uint8

const (
	needsContext kind = 1 << iota // may end the URL, depending on the surrounding text
	ends                          // ends the URL
	inHost                        // part of a host and port
	noHost                        // can't be part of a host and port, or is not US-ASCII
	trims                         // punctuation that at the end of a URL belongs to the surrounding text
	passes                        // ends a URL unless mayGoOn returns true
)

// kinds maps each byte to its kind. The table must not be modified.
var kinds = makeKinds()

func makeKinds() (k [256]kind) {
	for _, set := range []struct {
		kind   kind
		octets string
	}{
		{ends, "\"<>\\^`|"},
		{needsContext, "()[]{}'%&?#"},
		{inHost, "._:"},
		{trims, ".,;:!?'([{*_~"},
		{passes, "<\\^|"},
	} {
		for i := range len(set.octets) {
			k[set.octets[i]] |= set.kind
		}
	}
	for c := range k {
		switch class := octet.Of(byte(c)); {
		case class&octet.High != 0:
			k[c] = needsContext | inHost | noHost
		case class&octet.Label != 0:
			k[c] |= inHost
		case class&octet.Control != 0:
			k[c] |= ends
		}
		if k[c]&ends != 0 {
			k[c] |= needsContext
		}
		if k[c]&inHost == 0 {
			k[c] |= noHost
		}
	}
	return k
}

// indexKind searches text between the offsets i and limit. It returns the offset of the first byte
// whose kind includes a wanted bit. If there is no such byte, it returns limit.
func indexKind(text string, i, limit int, wanted kind) int {
	for i < limit && kinds[text[i]]&wanted == 0 {
		i++
	}
	return i
}

// readBare searches for a URL without a wrapper. The scheme of the URL begins at the offset start.
func (s *scanner) readBare(text string, start, colon int, part Part, final bool, m *Match) (next int, v verdict) {
	var r run
	switch {
	case len(text) < colon+len("://") && !final:
		return 0, needsMore
	case strings.HasPrefix(text[colon+1:], "//"):
		r = run{text: text, start: start, i: colon + len("://"), final: final}
		r.readLogin()
	case !isFree(text, start, "") && text[start-1] != '.' && !strings.EqualFold(text[max(0, start-len("URL:")):start], "URL:"):
		// In a text such as "x/mailto:a@b", the scheme is not the start of a URL.
		return colon + 1, noURL
	default:
		r = run{text: text, start: start, i: colon + 1, final: final}
		r.readOpaque(part)
	}
	if r.v != foundURL {
		return max(r.i, colon+1), r.v
	}
	end := r.trimmedEnd(colon)
	if isOmitted(text[start:end], text[end:r.i]) {
		return r.i, noURL
	}
	if !s.parse(r.urlText(end), start, end, Bare, part, m) {
		return r.i, noURL
	}
	return end, foundURL
}

// urlText returns the text of the URL that ends at the offset end. It removes backslashes that are
// escapes.
func (r *run) urlText(end int) string {
	if r.escaped {
		return strings.ReplaceAll(r.text[r.start:end], `\`, "")
	}
	return r.text[r.start:end]
}

// run is the state of the scanner while it reads a bare URL.
type run struct {
	text  string
	start int
	final bool
	i     int     // end of the text that was read, or the offset at which the search continues after the verdict noURL
	v     verdict // the current verdict

	foreign              bool // the host contains ideographs, symbols or dashes
	quoteKnown, inQuote  bool // if quoteKnown is true, inQuote reports whether an apostrophe before the URL opens a quotation
	round, square, curly int  // numbers of open brackets of each kind

	path      int // start of the path, or of the text after the scheme
	ideograph int // offset after the first byte of the path's last ideograph
	sure      int // ideographs and symbols before this offset belong to the path

	query, fragment bool // whether a "?" and a "#" were read
	escapable       bool // whether a backslash may be an escape
	escapedRound    int  // number of open brackets that follow a backslash
	escaped         bool // whether the URL contains backslashes that are escapes
}

// stopAt stops reading at the offset i with the verdict v.
func (r *run) stopAt(i int, v verdict) { r.i, r.v = i, v }

func (r *run) readLogin() {
	limit := min(len(r.text), r.start+locus.MaxLen+1)
	stop := indexKind(r.text, r.i, limit, noHost)
	if stop == limit || !endsLogin(r.text[stop]) {
		// The authority contains more than a host, or the end of the host is unknown.
		var ok bool
		if stop, ok = r.loginEnd(); !ok {
			return
		}
	}
	r.i, r.escapable = stop, stop < len(r.text) && strings.IndexByte("/?#", r.text[stop]) >= 0
	r.readRest()
}

// endsLogin reports whether the US-ASCII character c ends the userinfo.
func endsLogin(c byte) bool {
	return c == '/' || kinds[c]&ends != 0 || c == '?' || c == '#'
}

// loginEnd returns the end of the authority at the offset r.i. If the URL ends in the authority or
// is invalid, loginEnd stops r and returns false.
func (r *run) loginEnd() (end int, ok bool) {
	host, end, ok := r.hostAndEnd()
	if !ok {
		return end, false
	}
	stop := hostEnd(r.text, host, end)
	if r.foreign {
		cut, ok := foreignEnd(r.text, host, stop)
		if !ok {
			r.stopAt(stop, noURL)
			return stop, false
		}
		if cut < stop {
			r.stopAt(cut, foundURL)
			return cut, false
		}
	}
	switch {
	case stop < end:
		r.decideNoHost(host, stop)
	case r.v == foundURL:
		r.stopAt(end, foundURL)
	case end < len(r.text) && strings.IndexByte("[]{}", r.text[end]) >= 0:
		r.decideNoHost(host, end)
	default:
		return end, true
	}
	return stop, false
}

// decideNoHost decides about an authority. The text at the offset i can't be part of a host and
// port.
func (r *run) decideNoHost(host, i int) {
	if !r.hasBytes(i, len("[/")) {
		r.stopAt(i, needsMore)
		return
	}
	switch c := r.text[i]; {
	case strings.IndexByte(",;!'()*=&}]", c) >= 0, c == '~' && r.isAfter('~'):
		r.stopAt(i, foundURL)
	case (c == '$' || c == '~') && (i+1 == len(r.text) || closesText(r.text[i+1])):
		// A "$" or "~" before text that can't continue the URL ends the URL, as in "^http://h$".
		r.stopAt(i, foundURL)
	case c == '{':
		switch ok, known := r.isBalanced(i, "{}"); {
		case !known:
			r.stopAt(i, needsMore)
		case ok:
			r.stopAt(i, noURL)
		default:
			r.stopAt(i, r.endsAt(i))
		}
	case c == '[' && (isDotted(r.text[host:i]) || strings.HasPrefix(r.text[i:], "[/")):
		// The "[" begins a remark or a BBCode tag.
		r.stopAt(i, foundURL)
	default:
		// The text is a URL template, such as "http://$host/", "http://{host}/" or
		// "http://host[:port]".
		r.stopAt(i, noURL)
	}
}

// closesText reports whether the byte c, which follows a symbol, belongs to the text around a URL.
func closesText(c byte) bool { return kinds[c]&ends != 0 || strings.IndexByte(".,;:!?)]}'", c) >= 0 }

// separators lists the punctuation that a user name or password may contain (RFC 1738 section 5),
// but that ends a host in running text.
const separators = ",;!'("

// hostAndEnd returns the offsets of the host and port in the authority at the offset r.i. If the
// text ends before the authority ends, hostAndEnd stops r and returns false. If the URL ends in the
// authority, hostAndEnd sets r.v to the verdict foundURL.
//
// The text before an "@" is not userinfo if a character in this text ends the URL for a human
// reader. Such a character is a delimiter, punctuation after a complete host, or the closing mark
// of a bracket or quotation that opened before the URL.
func (r *run) hostAndEnd() (host, end int, ok bool) {
	host = r.i
	i, first := r.i, -1
	plain := true // whether text[host:i] may be a host and port
	for limit := min(len(r.text), r.start+locus.MaxLen+1); i < limit; i++ {
		switch c := r.text[i]; {
		case c == '@':
			if r.foreign {
				r.v = foundURL
				return host, i, true
			}
			if r.round > 0 {
				// The "@" is in a remark in brackets, which is not part of the URL.
				r.v = foundURL
				return host, first, true
			}
			host, plain = i+1, true
		case endsLogin(c):
			return host, i, true
		case c >= utf8.RuneSelf:
			n := r.characterSize(i, true)
			if n == 0 {
				return host, i, r.v != needsMore
			}
			i += n - 1
		case c == '[' && i == host && addressEnd(r.text[:limit], i) > i:
			i = addressEnd(r.text[:limit], i)
		case kinds[c]&inHost != 0:
			if c == '_' && plain && r.isAfter('_') && isDotted(r.text[host:i]) {
				if !r.hasBytes(i, len("_a")) {
					r.stopAt(i, needsMore)
					return host, i, false
				}
				if !letterAt(r.text, i+1) {
					r.v = foundURL
					return host, i, true
				}
			}
		default:
			switch r.judgeLogin(i, plain && isDotted(r.text[host:i])) {
			case foundURL:
				r.v = foundURL
				return host, i, true
			case noURL:
				return host, i, true
			case needsMore:
				r.stopAt(i, needsMore)
				return host, i, false
			}
			plain = false
			if r.round == 1 && c == '(' {
				first = i
			}
		}
	}
	return host, i, r.isURLEnd(i)
}

// inURL is the verdict on a byte that is part of the URL.
const inURL verdict = needsMore + 1

// judgeLogin decides about the byte at the offset i in a userinfo, which a host can't contain. The
// verdict is foundURL if the URL ends before the byte, noURL if the userinfo ends, and otherwise
// inURL or needsMore. The parameter complete reports whether the text before the byte is a complete
// host.
func (r *run) judgeLogin(i int, complete bool) verdict {
	c := r.text[i]
	switch c {
	case '(':
		r.round++
	case ')':
		if r.round--; r.round < 0 {
			return foundURL
		}
		return inURL
	case '[', ']', '{', '}':
		// In a user name, these characters must be escaped.
		return noURL
	case '\'':
		if r.isAfter('\'') || r.isQuoted() {
			return foundURL
		}
	case '&':
		if !r.hasBytes(i, maxEntity) {
			return needsMore
		}
		if isDelimiter(r.text[i:]) {
			return foundURL
		}
	case '*', '~':
		if complete && r.isAfter(c) {
			return foundURL
		}
	}
	if complete && strings.IndexByte(separators, c) >= 0 {
		return foundURL
	}
	return inURL
}

// addressEnd returns the offset of the "]" that ends the IP address in brackets at the offset i.
// If the address extends beyond text, addressEnd returns the offset of the last byte of text. If
// there is no address, addressEnd returns i.
func addressEnd(text string, i int) int {
	end := i + 1
	for end < len(text) && (octet.Is(text[end], octet.Hex) || strings.IndexByte(":.vV%", text[end]) >= 0) {
		end++
	}
	switch {
	case end == len(text):
		// The end of the address is not in text.
		return end - 1
	case text[end] == ']':
		return end
	}
	return i
}

// isURLEnd reports whether a URL ends at the offset i, which is the end of the text or the maximum
// length of a URL. If the URL is too long or may continue in later text, isURLEnd stops r and
// returns false.
func (r *run) isURLEnd(i int) bool {
	switch {
	case i-r.start > locus.MaxLen:
		r.stopAt(r.start+locus.MaxLen, noURL)
	case !r.final:
		r.stopAt(i, needsMore)
	default:
		return true
	}
	return false
}

// hostEnd returns the end of the host and port between the offsets i and end.
func hostEnd(text string, i, end int) int {
	if i < end && text[i] == '[' {
		i += strings.IndexByte(text[i:end], ']') + 1
	}
	for i < end && kinds[text[i]]&inHost != 0 {
		i++
	}
	return i
}

// readRest reads the rest of the URL, including punctuation at the end of the URL.
func (r *run) readRest() {
	i := r.i
	r.path = i
	for limit := min(len(r.text), r.start+locus.MaxLen+1); ; {
		i = indexKind(r.text, i, limit, needsContext)
		if i >= limit {
			if r.isURLEnd(i) {
				r.stopAt(i, foundURL)
			}
			return
		}
		n := r.countBytes(i)
		if n == 0 {
			return
		}
		i += n
	}
}

// countBytes returns the number of bytes at the offset i that belong to the URL. The kind of the
// first byte includes needsContext. If the first byte does not belong to the URL, countBytes stops
// r and returns 0.
func (r *run) countBytes(i int) int {
	c := r.text[i]
	if kinds[c]&ends != 0 {
		return r.countDelimiter(i)
	}
	goes, known := true, true
	switch c {
	case '?':
		r.query = true
	case '#':
		r.fragment = true
	case '(':
		goes, known = r.openBracket(i, &r.round, "()")
	case '{':
		goes, known = r.openBracket(i, &r.curly, "{}")
	case '[':
		// A "[/" is BBCode, as in "[url]http://h/a[/url]".
		if known = r.hasBytes(i, len("[/")); known {
			if goes = !strings.HasPrefix(r.text[i:], "[/"); goes {
				goes, known = r.openBracket(i, &r.square, "[]")
			}
		}
	case ')':
		goes = closeBracket(&r.round)
	case '}':
		goes = closeBracket(&r.curly)
	case ']':
		goes = closeBracket(&r.square)
	case '\'':
		known = r.hasBytes(i, len("'a"))
		goes = !r.isAfter('\'') && (r.round+r.square+r.curly > 0 || letterAt(r.text, i+1) || !r.isQuoted())
	case '&':
		known = r.hasBytes(i, maxEntity)
		goes = !isDelimiter(r.text[i:])
	case '%':
		if known = r.hasBytes(i, len("%00")); known && !octet.IsEscape(r.text, i) {
			if known = r.hasBytes(i, maxFollow); known && isFormat(r.text[i:]) {
				// The text is a URL template, such as "http://h/%s".
				r.stopAt(i+1, noURL)
				return 0
			}
		}
	default:
		n := r.characterSize(i, false)
		if n == 0 && r.v != needsMore {
			r.stopAt(i, r.endsAt(i))
		}
		return n
	}
	switch {
	case !known:
		r.stopAt(i, needsMore)
	case !goes:
		r.stopAt(i, r.endsAt(i))
	default:
		return 1
	}
	return 0
}

// countDelimiter is like countBytes, but for a byte that ends nearly all URLs.
func (r *run) countDelimiter(i int) int {
	n, known := 0, true
	switch c := r.text[i]; {
	case c == '\\':
		n, known = r.escapeSize(i)
	case c == '^' && r.fragment || c == '|' && r.query && mayGoOn(r.text, i) && !r.isAfter('|'):
		// The URL may continue, as in "#state.Plugin^options" or "?a=-1:|b".
		known = r.hasBytes(i, len("^a"))
		if letterAt(r.text, i+1) && (c == '|' || letterAt(r.text, i-1)) {
			n = 1
		}
	}
	switch {
	case !known:
		r.stopAt(i, needsMore)
		return 0
	case n == 0:
		r.stopAt(i, r.endsAt(i))
	}
	return n
}

// hasBytes reports whether the text contains n bytes after the offset i, or is final.
func (r *run) hasBytes(i, n int) bool { return r.final || len(r.text)-i >= n }

// openBracket reports whether the opening bracket at the offset i belongs to the URL, because the
// closing bracket follows in the URL. If so, openBracket increments count.
func (r *run) openBracket(i int, count *int, pair string) (ok, known bool) {
	ok, known = true, true
	if *count == 0 {
		// A nested bracket also belongs to the URL.
		ok, known = r.isBalanced(i, pair)
	}
	*count++
	return ok, known
}

// closeBracket decrements the number of open brackets in count. If no bracket is open, it returns
// false.
func closeBracket(count *int) bool {
	*count--
	return *count >= 0
}

// isAfter reports whether the byte before the URL is c.
func (r *run) isAfter(c byte) bool { return r.start > 0 && r.text[r.start-1] == c }

func letterAt(text string, i int) bool {
	return i < len(text) && octet.Is(text[i], octet.Alpha|octet.Digit)
}

// maxEntity is the length of the longest HTML entity that can end a URL.
const maxEntity = len("&quot;")

// isDelimiter reports whether text begins with an HTML entity for a character that ends a URL.
func isDelimiter(text string) bool {
	for _, entity := range [...]string{"&lt;", "&gt;", "&quot;", "&apos;", "&nbsp;", "&#34;", "&#39;", "&#60;", "&#62;", "&#160;"} {
		if strings.HasPrefix(text, entity) {
			return true
		}
	}
	return false
}

// readOpaque reads the text after a scheme without "//". The URL must contain the [Part] that the
// scheme requires, because texts such as "news: today" and "mid:day" are not URLs.
func (r *run) readOpaque(want Part) {
	ahead := r.i
	for limit := min(len(r.text), r.start+locus.MaxLen+1); ahead < limit && octet.Is(r.text[ahead], octet.User); ahead++ {
	}
	if (ahead == len(r.text) || ahead-r.start > locus.MaxLen) && !r.isURLEnd(ahead) {
		return
	}
	part := r.text[r.i:ahead]
	at := strings.HasPrefix(r.text[ahead:], "@")
	colon := strings.HasPrefix(r.text[ahead:], ":")
	ok := false
	switch want {
	case Address:
		ok = at
	case Group:
		if group := strings.IndexAny(part, ",;()"); at && group > 0 && isGroup(part[:group]) {
			// A message-id can't contain these characters (RFC 822 section 3.3, "specials").
			r.stopAt(r.i+group, foundURL)
			return
		}
		ok = at || !colon && strings.Contains(part, ".")
	case Namespace:
		ok = colon && isNID(part)
	case HostOrPath:
		// A file URL needs no "//", as in "file:/etc/motd" (RFC 8089 section 2).
		ok = strings.HasPrefix(r.text[ahead:], "/") && part == ""
	case Any:
		ok = true
	}
	if !ok {
		r.stopAt(ahead, noURL)
		return
	}
	if at && want != Any && !r.readDomain(ahead+1) {
		return
	}
	r.readRest()
}

// readDomain reads the domain in an address. The domain begins at the offset i. If the URL ends in
// the domain, readDomain returns false.
func (r *run) readDomain(i int) bool {
	start := i
	for limit := min(len(r.text), r.start+locus.MaxLen+1); i < limit; {
		c := r.text[i]
		if c < utf8.RuneSelf {
			if kinds[c]&inHost == 0 {
				break
			}
			i++
			continue
		}
		n := r.characterSize(i, true)
		if r.v == needsMore {
			r.stopAt(i, needsMore)
			return false
		}
		if n == 0 {
			break
		}
		i += n
	}
	if !r.foreign {
		// The caller reads a plain US-ASCII domain as a part of the rest of the URL.
		return true
	}
	if i == len(r.text) && !r.isURLEnd(i) {
		return false
	}
	switch stop, ok := foreignEnd(r.text, start, i); {
	case !ok:
		r.stopAt(i, noURL)
	case stop < i:
		r.stopAt(stop, foundURL)
	default:
		r.i = i
		return true
	}
	return false
}

// trimmedEnd returns the end of the URL. It excludes punctuation before the offset r.i that belongs
// to the surrounding text.
func (r *run) trimmedEnd(colon int) int {
	end := r.i
	for end > colon+1 {
		switch c := r.text[end-1]; {
		case kinds[c]&trims == 0, strings.IndexByte("_~", c) >= 0 && !r.isAfter(c):
			return end
		case c == '*':
			stars := strings.TrimRight(r.text[colon+1:end], "*")
			if strings.HasSuffix(stars, "=") {
				// A "*" is a value, as in "?q=*".
				return end
			}
			end = colon + 1 + len(stars)
		case c == '\'' && strings.Count(r.text[colon+1:end], "'")%2 == 0:
			// The apostrophe closes a quotation in the URL.
			return end
		default:
			end = beforeEntity(r.text, colon+1, end)
		}
	}
	return end
}

// beforeEntity returns the start of the character reference, such as "&amp;", that ends at the
// offset end. If there is no character reference, beforeEntity returns end-1.
func beforeEntity(text string, start, end int) int {
	if text[end-1] != ';' {
		return end - 1
	}
	i := end - 1
	for i > start && end-i <= maxName && letterAt(text, i-1) {
		i--
	}
	if i < end-1 && i > start && text[i-1] == '&' {
		return i - 1
	}
	return end - 1
}

// isPlausible reports whether the URL u looks like a URL to a human reader, because it contains a
// host, an address or a name. In running text without the prefix "URL:", other valid URLs are not
// reported.
func isPlausible(u locus.URL, want Part) bool {
	facts := u.Facts()
	if facts.Has(locus.Internet) {
		if facts&(locus.HostName|locus.HostNumber) != 0 {
			return true
		}
		host := u.Host()
		if host == "" {
			path, _ := u.Path()
			return path != "" && want == HostOrPath
		}
		return host[0] != '.' && host[0] != '-' && host[0] != ':' && hostEnd(host, 0, len(host)) == len(host)
	}
	part := u.SchemePart()
	before, _, _ := strings.Cut(part, "?")
	local, domain, at := strings.Cut(before, "@")
	address := at && local != "" && domain != "" && (letterAt(domain, 0) || domain[0] >= utf8.RuneSelf)
	switch want {
	case Address:
		return address
	case Group:
		return address || !at && isGroup(part)
	case Namespace:
		nid, nss, _ := strings.Cut(part, ":")
		return isNID(nid) && nss != ""
	case HostOrPath:
		return len(part) > 1 && part[0] == '/'
	}
	return want == Any && part != ""
}

// isGroup reports whether text is the name of a newsgroup and contains a dot. A single word after
// "news:" is prose.
func isGroup(text string) bool {
	return text != "" && octet.Is(text[0], octet.Alpha) && octet.All(text)&octet.Group != 0 &&
		strings.Contains(text, ".") && !strings.Contains(text, "..")
}

// isNID reports whether text is the name of a URN namespace (RFC 8141 section 2).
func isNID(text string) bool {
	return len(text) >= 2 && len(text) <= 32 && letterAt(text, 0) && octet.All(text)&octet.Label != 0
}

// readCommon is a fast path for common bare URLs. Such a URL consists of a host, an optional port,
// and a path and query of US-ASCII characters without brackets. It returns the end of the URL, or 0
// if readBare must read the URL. For common URLs, readBare returns the same result, but takes 1.5
// times as long (BenchmarkDense).
func (s *scanner) readCommon(text string, start, colon int, m *Match) (end int) {
	i := colon + len("://")
	if i >= len(text) || text[colon+1] != '/' || text[colon+2] != '/' {
		return 0
	}
	text = text[:min(len(text), start+locus.MaxLen+1)]
	// A byte that is invalid in both hosts and paths may belong to a userinfo, which only readBare
	// reads.
	host := i
	if i = octet.Plain(text, i); i >= len(text) || kinds[text[i]]&ends == 0 && strings.IndexByte(text[host:i], '/') < 0 {
		return 0
	}
	entity := false
	for {
		if i = octet.Plain(text, i); i >= len(text) {
			return 0
		}
		c := text[i]
		k := kinds[c]
		if k&needsContext != 0 {
			if k&ends != 0 || c == ')' || c == ']' || c == '}' {
				if k&passes != 0 && mayGoOn(text, i) {
					return 0
				}
				break
			}
			switch c {
			case '?', '#':
			case '%':
				if !octet.IsEscape(text, i) {
					return 0
				}
			case '&':
				if len(text)-i < maxEntity || isDelimiter(text[i:]) {
					return 0
				}
				entity = true
			default:
				return 0
			}
		}
		i++
	}
	end = i
	for kinds[text[end-1]]&trims != 0 {
		if end--; entity || strings.IndexByte(".,;:!?", text[end]) < 0 {
			return 0
		}
	}
	if strings.HasPrefix(text[end:i], "...") {
		return 0
	}
	written := text[start:end]
	if s.Clone {
		written = strings.Clone(written)
	}
	u, err := locus.Parse(written)
	if err != nil {
		return 0
	}
	facts := u.Facts()
	switch {
	case facts&(locus.HostName|locus.HostNumber) == 0 || !facts.Has(locus.NoUser):
		return 0
	case !facts.Has(locus.Slash) && end != i:
		// The removed punctuation may be part of a userinfo.
		return 0
	}
	m.URL, m.Alternative = u, locus.URL{}
	m.Start, m.End, m.Form, m.IRI, m.Assumed, m.Escaped = int64(start), int64(end), Bare, false, false, false
	return end
}

// mayGoOn reports whether a URL may continue with the byte at the offset i, although the byte ends
// most URLs. mayGoOn also returns true if a placeholder may follow the URL.
func mayGoOn(text string, i int) bool {
	switch text[i] {
	case '^':
		return true
	case '|':
		return strings.IndexByte("=:,", text[i-1]) >= 0
	case '<':
		return i+1 == len(text) || octet.Is(text[i+1], octet.Alpha) || text[i+1] == '%' || text[i+1] == '?'
	case '\\':
		// Most backslashes begin an escape such as "\n" in a string literal.
		return i+1 == len(text) || text[i-1] == ':' || strings.IndexByte("nrtu\"\\", text[i+1]) < 0
	}
	return false
}
