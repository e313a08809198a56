package extract

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/locus-url/locus"
)

// This file contains a slow and simple implementation of All, which follows the rules in the
// package comment. The implementation reads the whole text as often as necessary, and uses regular
// expressions.

// slowAll returns the URLs in text.
func slowAll(text string, o *Options) (list []Match) {
	s := slowScanner{text: text}
	if o != nil {
		s.Options = *o
	}
	if s.Schemes == nil {
		s.Schemes = NewSchemes(Standard()...)
	}
	for colon := 0; colon < len(text); colon++ {
		if s.Schemeless && !s.NoBare {
			if m, ok := s.schemeless(colon); ok && (len(list) == 0 || m.Start >= list[len(list)-1].End) {
				list = append(list, m)
				colon = int(m.End) - 1
				continue
			}
		}
		if text[colon] != ':' {
			continue
		}
		m, next, ok := s.at(colon)
		if ok {
			list = append(list, m)
		}
		colon = max(next, colon+1) - 1
	}
	return list
}

type slowScanner struct {
	Options
	text string
}

func (s *slowScanner) wants(name string) bool {
	_, ok := s.Schemes.byName[name]
	return ok
}

var (
	nameAtEnd   = regexp.MustCompile(`[A-Za-z0-9+.-]*$`)
	openAtEnd   = regexp.MustCompile(`<[ \t\r\n]*$`)
	apartAtEnd  = regexp.MustCompile("(?:^|[\\x00- (\\[{<>\"'`=,;|*_~.]|(?i:URL:)|[^\\x00-\\x7f])$")
	userAtStart = regexp.MustCompile(`^[A-Za-z0-9$\-_.+!*'(),%;?&=]*`)
	hostAtStart = regexp.MustCompile(`^(?:\[[^\]]*\])?(?:[A-Za-z0-9._:-]|[^\x00-\x7f])*`)
	entity      = regexp.MustCompile(`^&(?:lt|gt|quot|apos|nbsp|#34|#39|#60|#62|#160);`)
	triplet     = regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)
	alnum       = regexp.MustCompile(`^[A-Za-z0-9]`)
)

func (s *slowScanner) at(colon int) (m Match, next int, ok bool) {
	name := nameAtEnd.FindString(s.text[max(0, colon-maxName-1):colon])
	before := s.text[max(0, colon-len(name)-maxName) : colon-len(name)]
	if strings.EqualFold(name, "URL") {
		if !openAtEnd.MatchString(before) {
			return Match{}, 0, false
		}
		return s.wrapped(colon-len(name)-len(before)+strings.LastIndexByte(before, '<'), colon+1, Wrapped)
	}
	wanted := func(name string) bool { return len(name) <= maxName && s.wants(strings.ToLower(name)) }
	if !wanted(name) {
		// The text before a dot, or before two hyphens, is not part of the URL.
		pieces := afterDots.FindAllStringIndex(name, -1)
		i := slices.IndexFunc(pieces, func(p []int) bool { return startsName.MatchString(name[p[1]:]) && wanted(name[p[1]:]) })
		if i < 0 {
			return Match{}, 0, false
		}
		name = name[pieces[i][1]:]
	}
	start := colon - len(name)
	before = s.text[max(0, start-maxName):start]
	open := start - len(before) + strings.LastIndexByte(before, '<')
	bracketed := openAtEnd.MatchString(before)
	if bracketed {
		if m, next, ok := s.wrapped(open, start, Bracketed); ok || next > 0 {
			return m, next, ok
		}
	}
	r, _ := utf8.DecodeLastRuneInString(s.text[:start])
	if s.NoBare || r >= utf8.RuneSelf && (letterOf(r) == word) {
		return Match{}, 0, false
	}
	return s.bare(start, colon)
}

// bare reads a bare URL.
func (s *slowScanner) bare(start, colon int) (m Match, next int, ok bool) {
	u := slowURL{text: s.text, start: start, opened: s.text[max(0, start-1):start]}
	tooLong := func(end int) bool { return end-start > locus.MaxLen }
	from, rest := colon+1, colon+1
	end := -1
	if strings.HasPrefix(s.text[from:], "//") {
		from += 2
		host, login, isEnd := u.login(from)
		if tooLong(login) {
			return Match{}, start + locus.MaxLen, false
		}
		stop := host + len(hostAtStart.FindString(s.text[host:login]))
		cut, ok := u.foreign(host, stop)
		u.escapable = strings.ContainsAny(s.text[stop:min(stop+1, len(s.text))], "/?#")
		switch follows := s.text[stop:]; {
		case !ok:
			return Match{}, stop, false
		case cut < stop:
			end = cut
		case stop == login && isEnd:
			end = stop
		case stop == login && (follows == "" || !strings.Contains("[]{}", follows[:1])):
			rest = stop
		case strings.ContainsRune(",;!'()*=&}]", rune(follows[0])), follows[0] == '~' && u.opened == "~",
			follows[0] == '[' && (slowDotted(s.text[host:stop]) || strings.HasPrefix(follows, "[/")),
			signAtEnd.MatchString(follows), follows[0] == '{' && !u.closes(stop, "{}") && !u.isCut(stop):
			end = stop
		default:
			return Match{}, stop, false
		}
	} else if !apartAtEnd.MatchString(s.text[:start]) {
		return Match{}, 0, false
	} else {
		ahead, found := 0, false
		end, ahead, found = u.readOpaque(strings.ToLower(s.text[start:colon]), from)
		if !found {
			if tooLong(ahead) {
				ahead = start + locus.MaxLen
			}
			return Match{}, ahead, false
		}
		rest = max(rest, ahead)
	}
	if u.rest = rest; end < 0 {
		for end = rest; end < len(s.text) && u.belongsToURL(rest, end); {
			if formatAt.MatchString(s.text[end:]) && !triplet.MatchString(s.text[end:]) {
				if tooLong(end) {
					return Match{}, start + locus.MaxLen, false
				}
				return Match{}, end + 1, false
			}
			_, n := utf8.DecodeRuneInString(s.text[end:])
			if s.text[end] == '\\' {
				n = 2
			}
			end += n
		}
		if tooLong(end) {
			return Match{}, start + locus.MaxLen, false
		}
		if end < len(s.text) && u.isCut(end) {
			return Match{}, end, false
		}
	}
	cut := end
	for end > colon+1 {
		tail := s.text[colon+1 : end]
		n := len(slowEntity.FindString(tail))
		last := tail[len(tail)-1:]
		switch {
		case n > 0 && n <= maxName+1:
		case last == "'" && strings.Count(tail, "'")%2 == 0:
			n = 0
		case strings.Contains(`.,;:!?'([{`, last), last == "*" && !starsAfter.MatchString(tail), strings.Contains("_~", last) && u.opened == last:
			n = 1
		default:
			n = 0
		}
		if n == 0 {
			break
		}
		end -= n
	}
	if strings.HasPrefix(s.text[end:cut], "...") && openEnd.MatchString(s.text[start:end]) {
		return Match{}, cut, false
	}
	found, escaped, err := slowParse(strings.ReplaceAll(s.text[start:end], `\`, ""))
	if err != nil || !slowPlausible(found) {
		return Match{}, cut, false
	}
	return Match{URL: found, Start: int64(start), End: int64(end), Form: Bare, IRI: !isASCII.MatchString(found.String()), Escaped: escaped}, end, true
}

// slowParse parses text. It escapes each "%" in the path that does not begin an escape.
func slowParse(text string) (u locus.URL, escaped bool, err error) {
	if u, err = locus.Parse(text); err == nil || !pathWithPercent.MatchString(text) {
		return u, false, err
	}
	before := pathWithPercent.FindStringSubmatch(text)[1]
	parts := strings.SplitAfter(text[len(before):], "%")
	for i, part := range parts[:len(parts)-1] {
		switch after := "%" + strings.Join(parts[i+1:], ""); {
		case triplet.MatchString(after):
		case formatAt.MatchString(after):
			return u, false, err
		default:
			parts[i] = part + "25"
		}
	}
	if u, other := locus.Parse(before + strings.Join(parts, "")); other == nil {
		return u, true, nil
	}
	return u, false, err
}

var (
	pathWithPercent = regexp.MustCompile(`^([A-Za-z0-9+.-]*:(?://[^/?#]*)?)(?s:[^/].*|/[^/].*|/)?$`)
	formatAt        = regexp.MustCompile(`^%(?:[%@({]|\+?[0-9](?:[^A-Za-z0-9.$]|$)|(?:[+]?|[+-]?[0-9][0-9.$]{0,7})(?:(?:ll|hh|[lhz])[diouxXs]|[A-Za-z])(?:[^A-Za-z0-9]|$))`)
	signAtEnd       = regexp.MustCompile("^[$~](?:$|[\\x00- \\x7f\"<>\\\\^`|.,;:!?)\\]}'])")
	openEnd         = regexp.MustCompile(`[/=?#&@$+%~._:-]$|^[^:]*://(?:[^/?#]*@)?(?:[^@/?#\[.]|\.$)*$`)
)

// isCut reports whether the text at the offset i continues the URL with a placeholder.
func (u *slowURL) isCut(i int) bool {
	before, after := u.text[u.start:i], u.text[i:min(len(u.text), i+maxFollow)]
	joint := jointAtEnd.MatchString(before)
	if m := placeholder.FindStringSubmatch(after); m != nil {
		name, rest := m[1]+m[2], after[len(m[0]):]
		return !element.MatchString(name) && (joint || goesOnAt.MatchString(rest))
	}
	if strings.HasPrefix(after, "{") {
		m := braces.FindString(after)
		return strings.HasPrefix(after, "{{") || strings.HasPrefix(after, "{%") || joint ||
			m != "" && (goesOnAt.MatchString(after[len(m):]) || alnum.MatchString(after[len(m):]))
	}
	if rest, ok := strings.CutPrefix(after, "…"); ok {
		return openEnd.MatchString(before) && (joint || !slowDotted(hostOf.ReplaceAllString(before, ""))) || goesOnAt.MatchString(rest) || alnum.MatchString(rest)
	}
	return program.MatchString(after) || strings.HasPrefix(after, "(") && strings.HasSuffix(before, "$") ||
		strings.HasPrefix(after, `\`) && (drive.MatchString(before) || joint && strings.HasPrefix(after, `\{`)) || pattern.MatchString(after) ||
		strings.HasPrefix(after, `\_`) && alnum.MatchString(after[2:]) && hostAlone.MatchString(before)
}

var (
	jointAtEnd  = regexp.MustCompile(`[/=?#&@$+%~._:-]$`)
	placeholder = regexp.MustCompile(`^(?:<([A-Za-z][A-Za-z0-9 _.:|-]*)>|&lt;([A-Za-z][A-Za-z0-9 _.:|-]*)&gt;)`)
	element     = regexp.MustCompile(`^(?i:a|b|br|d[dlt]|div|em|font|h[1-6]|hr|i|img|li|ol|p|pre|span|t[dhr]|table|ul?|wbr)$`)
	goesOnAt    = regexp.MustCompile(`^(?:[/?=&#_-]|\.[A-Za-z0-9])`)
	braces      = regexp.MustCompile(`^\{[^\n}]*\}`)
	program     = regexp.MustCompile(`^<(?:%|\?=|\?php)`)
	drive       = regexp.MustCompile(`/[A-Za-z]:$`)
	hostAlone   = regexp.MustCompile(`^(?:[^:]*://)?[^/?#]*$`)
	pattern     = regexp.MustCompile(`^\\(?:[.-][A-Za-z0-9]|[dswDSW][+*{])`)
	hostOf      = regexp.MustCompile(`^[^:]*://(?:.*@)?`)
	escapeAt    = regexp.MustCompile(`^\\[_#%&~?=][A-Za-z0-9/_=%~+\\-]`)
	escapedPair = regexp.MustCompile("^\\\\\\((?:[^\\x00- \"<>^`|()]|\\))*?\\\\\\)")
)

// escape reports whether the backslash at the offset i is an escape in the URL.
func (u *slowURL) escape(rest, i int) bool {
	open := strings.Count(u.text[rest:i], `\(`) - strings.Count(u.text[rest:i], `\)`)
	follows := u.text[i:]
	return u.escapable && (escapeAt.MatchString(follows) && (follows[1] != '_' || u.opened == "{") || strings.HasPrefix(follows, `\)`) && open > 0 ||
		strings.HasPrefix(follows, `\(`) && (open > 0 || escapedPair.MatchString(follows[:min(len(follows), maxBracket)])))
}

// inPath reports whether the ideograph or symbol at the offset i is part of the path.
func (u *slowURL) inPath(i int, kind letter) bool {
	text := u.text[:min(len(u.text), u.start+locus.MaxLen+1)]
	first := i
	for k := i; k > u.rest; {
		r, n := utf8.DecodeLastRuneInString(text[:k])
		if of := letterOf(r); r < utf8.RuneSelf || runEnd(text, k-n, kind) <= i && of != joiner && of != word {
			break
		} else if of == kind {
			first = k - n
		} else if kind == symbol && of == word && !unicode.IsMark(r) || kind == ideograph && of != inner {
			break
		}
		k -= n
	}
	end := runEnd(text, first, kind)
	before := u.text[u.rest:first]
	begins := first > u.rest && strings.ContainsAny(u.text[first-1:first], "/-_(=#&+~@")
	if r, _ := utf8.DecodeRuneInString(u.text[first:]); kind == symbol {
		begins = begins && unicode.In(r, unicode.So, unicode.Sc)
	} else {
		segment := before[strings.LastIndexAny(before, "/?#&=)")+1:]
		begins = begins || strings.Contains(shape(segment), anIdeograph) || pathAt(u.text, end)
	}
	return (begins || u.inBrackets(before)) && !otherURL.MatchString(u.text[end:])
}

// inBrackets reports whether brackets are open after text.
func (u *slowURL) inBrackets(text string) bool {
	open := func(pair string) int { return strings.Count(text, pair[:1]) - strings.Count(text, pair[1:]) }
	text = strings.NewReplacer(`\(`, "", `\)`, "").Replace(text)
	return open("()")+open("[]")+open("{}") > 0
}

// slowURL is a bare URL and the surrounding text. The field opened is the byte before the URL.
type slowURL struct {
	text   string
	start  int
	opened string

	rest      int  // start of the text after the authority
	escapable bool // whether a backslash may be an escape
}

// These characters represent characters outside US-ASCII in the result of shape.
const (
	aWord, anIdeograph, aJoiner, anInner, anApostrophe, aSymbol, aMark, anEnding = "\uE000", "\uE001", "\uE002", "\uE003", "\uE004", "\uE005", "\uE006", "\uE007"
	wordPart                                                                     = "A-Za-z0-9_" + aWord + aMark + aJoiner
)

// shape returns text with one character for each kind of character outside US-ASCII.
func shape(text string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return r
		}
		name := map[letter]string{word: aWord, ideograph: anIdeograph, joiner: aJoiner, inner: anInner, symbol: aSymbol, ending: anEnding}[letterOf(r)]
		switch {
		case r == '\u2019':
			name = anApostrophe
		case unicode.IsMark(r) && letterOf(r) == word:
			name = aMark // other characters are like the adjacent characters
		}
		r, _ = utf8.DecodeRuneInString(name)
		return r
	}, text)
}

var (
	joinable     = regexp.MustCompile(`[` + wordPart + aSymbol + `]$`)
	inWordBefore = regexp.MustCompile(`[` + wordPart + `]$`)
	inWordAfter  = regexp.MustCompile(`^[` + wordPart + `]`)
	inHostAfter  = regexp.MustCompile(`^[` + wordPart + anIdeograph + `]`)
	moreOfPath   = regexp.MustCompile(`^[` + aSymbol + aJoiner + aMark + `]*([/%=&+#-]|[.:?!,;][` + wordPart + `]|[A-Za-z0-9_` + aWord + `])`)
	moreOfHost   = regexp.MustCompile(`^[` + aSymbol + aJoiner + aMark + `]*(?:\.` + aSymbol + `[` + aSymbol + aJoiner + aMark + `]*)*(-|\.[` + wordPart + anIdeograph + `]|[A-Za-z0-9_` + aWord + anIdeograph + `])`)
	quoteAtEnd   = regexp.MustCompile("[\u2018\u2019\u201A\u201B\u2039\u203A]$")
	otherURL     = regexp.MustCompile(`^[A-Za-z0-9+.-]{1,65}://`)
	slowEntity   = regexp.MustCompile(`&[A-Za-z0-9]+;$`)
	isASCII      = regexp.MustCompile(`^[\x00-\x7f]*$`)
	never        = regexp.MustCompile("[\x00- \x7f\"<>\\\\^`|]")
	afterDots    = regexp.MustCompile(`\.|--|^-`)
	startsName   = regexp.MustCompile(`^[A-Za-z]`)
	hostChars    = regexp.MustCompile(`^(?:[A-Za-z0-9._:-]|[^\x00-\x7f])*$`)
	dottedHost   = regexp.MustCompile(`^(?:\[.*\]|(?i:localhost)|(?:[A-Za-z0-9_-]|[^\x00-\x7f])*(?:\.+(?:[A-Za-z0-9_-]|[^\x00-\x7f])+)+\.*)(?::\d*)?$`)
	slowAddress  = regexp.MustCompile(`^\[[0-9A-Fa-f:.vV%]*\]`)
)

// letter reports whether the character at the offset i, which is not US-ASCII, is a part of a URL.
func (u *slowURL) letter(i int, host bool) bool {
	r, n := utf8.DecodeRuneInString(u.text[i:])
	before, after := shape(u.text[u.start:i]), shape(u.text[i+n:min(len(u.text), i+n+200)])
	switch kind := shape(string(r)); kind {
	case aWord:
		return true
	case anIdeograph:
		return host || u.inPath(i, ideograph)
	case anEnding:
		last, _ := utf8.DecodeLastRuneInString(u.text[u.start:i])
		return !host && i > u.rest && letterOf(last) == ideograph && last >= utf8.RuneSelf && isEastAsian(r) && unicode.Is(unicode.Po, r) && fileGoesOn.MatchString(u.text[i+n:])
	case aMark:
		return host || (letterOf(r) == word)
	case aJoiner:
		return joinable.MatchString(before)
	case anInner, anApostrophe:
		follows := inWordAfter.MatchString(after) || host && inHostAfter.MatchString(after)
		if !host && i > u.rest && strings.HasSuffix(before, anIdeograph) && strings.HasPrefix(after, anIdeograph) {
			return true
		}
		return inWordBefore.MatchString(before) && follows && !otherURL.MatchString(after) &&
			!(kind == anApostrophe && quoteAtEnd.MatchString(u.text[:u.start]))
	case aSymbol:
		near := u.text[i:min(len(u.text), i+maxFollow/2)]
		more := moreOfPath
		if host {
			more = moreOfHost
		}
		if !host && u.inPath(i, symbol) {
			return true
		}
		m := more.FindStringSubmatchIndex(shape(near))
		if m == nil {
			return false
		}
		// This is the start of the next text, after an optional ".".
		follows := shape(near)[m[2]:]
		_, size := utf8.DecodeRuneInString(follows)
		if strings.ContainsAny(follows[:size], ".:?!,;") {
			follows = follows[1:]
		} else if strings.ContainsAny(follows[:size], "/%-=&+#") {
			return true
		}
		skipped := utf8.RuneCountInString(shape(near)) - utf8.RuneCountInString(follows)
		rest := u.text[i:]
		for range skipped {
			_, n := utf8.DecodeRuneInString(rest)
			rest = rest[n:]
		}
		return !otherURL.MatchString(rest)
	}
	return false
}

var starsAfter = regexp.MustCompile(`=\*+$`)

var fileGoesOn = regexp.MustCompile(`^[._/=-][A-Za-z0-9]`)

var (
	wwwAtEnd     = regexp.MustCompile("(?i)(?:^|[\\x00- (\\[{<>\"'`=,;|*_~]|[^\\x00-\\x7f]|(?:^|[\\x00- .])\\.)(www)$")
	localAtEnd   = regexp.MustCompile(`[A-Za-z0-9.+_-]+$`)
	localDots    = regexp.MustCompile(`^[.-]+`)
	mayPrecede   = regexp.MustCompile("(?:^|[\\x00- (\\[{<>\"'`=,;|*_~:!)\\]}-]|[^\\x00-\\x7f]|(?:^|[\\x00- .])\\.)$")
	domainStart  = regexp.MustCompile(`^\.?(?:[A-Za-z0-9_-]+\.?)*`)
	mailDomain   = regexp.MustCompile(`^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.[A-Za-z0-9_-]*[A-Za-z]$`)
	serverDomain = regexp.MustCompile(`^(?:(?:[^./:@]+\.)*[^./:@_]+\.[^./:@_]+)\.?(?::|$)`)
)

// schemeless searches for a URL without a scheme around the offset i.
func (s *slowScanner) schemeless(i int) (m Match, ok bool) {
	inWord := func(start int) bool {
		r, _ := utf8.DecodeLastRuneInString(s.text[:start])
		return r >= utf8.RuneSelf && (letterOf(r) == word)
	}
	switch start := i - 3; {
	case s.text[i] == '.' && wwwAtEnd.MatchString(s.text[max(0, i-8):i]) && (i-8 <= 0 || wwwAtEnd.MatchString(s.text[:i])) && !inWord(start) && s.wants("http"):
		// This is the text after a scheme and "//", except the user.
		other := slowScanner{text: s.text[:start] + "http://" + s.text[start:], Options: s.Options}
		m, _, ok = other.bare(start, start+len("http"))
		login := authority.FindString(strings.TrimPrefix(m.URL.SchemePart(), "//"))
		if !ok || strings.Contains(login, "@") || !serverDomain.MatchString(login) {
			return Match{}, false
		}
		m.End -= int64(len("http://"))
	case s.text[i] == '@' && s.wants("mailto"):
		local := localAtEnd.FindString(s.text[:i])
		if len(local) > maxLocal {
			return Match{}, false
		}
		local = local[len(localDots.FindString(local)):]
		start := i - len(local)
		domain := domainStart.FindString(s.text[i+1:])
		if len(domain) > maxHost {
			return Match{}, false
		}
		follows := s.text[i+1+len(domain):]
		if r, n := utf8.DecodeRuneInString(follows); r >= utf8.RuneSelf {
			switch letterOf(r) {
			case word, joiner:
				return Match{}, false
			case ideograph:
				if cut, ok := (&slowURL{text: s.text}).foreign(i+1, i+1+len(domain)+n); !ok || cut != i+1+len(domain) {
					return Match{}, false
				}
			}
		}
		domain = strings.TrimSuffix(domain, ".")
		if end := i + 1 + len(domain); strings.HasPrefix(s.text[end:], ":") {
			if _, _, ok := s.at(end); ok {
				return Match{}, false
			}
		}
		if strings.HasPrefix(local, "_") && strings.HasSuffix(domain, "_") {
			local, domain, start = local[1:], domain[:len(domain)-1], start+1
		}
		before := s.text[:i-len(localAtEnd.FindString(s.text[:i]))] + localDots.FindString(localAtEnd.FindString(s.text[:i]))
		if local == "" || strings.HasPrefix(follows, "@") || !mailDomain.MatchString(domain) || !mayPrecede.MatchString(before) || inWord(len(before)) {
			return Match{}, false
		}
		u, err := locus.Parse("mailto:" + local + "@" + domain)
		if err != nil || !slowPlausible(u) {
			return Match{}, false
		}
		m = Match{URL: u, Start: int64(start), End: int64(start + len(local) + 1 + len(domain))}
	default:
		return Match{}, false
	}
	m.Assumed = true
	return m, true
}

var authority = regexp.MustCompile(`^[^/?#]*`)

// quoted reports whether the URL is in a quotation that a preceding apostrophe opens.
func (u *slowURL) quoted() bool {
	line := u.text[max(0, u.start-maxQuote):u.start]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	at := u.start - len(line)
	for k := len(line) - 1; k >= 0; k-- {
		if line[k] != '\'' {
			continue
		}
		before, after := at+k > 0 && isWordOctet(u.text[at+k-1]), isWordOctet(u.text[at+k+1])
		if !before {
			return u.text[at+k+1] > ' '
		}
		if !after {
			return false
		}
	}
	return false
}

func isWordOctet(c byte) bool { return c >= utf8.RuneSelf || alnum.MatchString(string(c)) }

// slowDotted reports whether text is a complete host.
func slowDotted(text string) bool {
	return len(text) <= maxHost && dottedHost.MatchString(text)
}

// login reads the authority at the offset from. It returns the start and end of the host. The
// result isEnd reports whether the URL ends at the end of the host.
func (u *slowURL) login(from int) (host, end int, isEnd bool) {
	foreign := false
	for i := from; i < len(u.text); {
		c, n := utf8.DecodeRuneInString(u.text[i:])
		login := u.text[from:i]
		host = from + strings.LastIndexByte(login, '@') + 1
		since := u.text[host:i]
		complete := (hostChars.MatchString(since) || slowAddress.MatchString(since)) && slowDotted(since)
		open := strings.Count(login, "(") - strings.Count(login, ")")
		address := slowAddress.FindString(u.text[host:])
		switch {
		case c >= utf8.RuneSelf || c == utf8.RuneError:
			if !u.letter(i, true) {
				return host, i, false
			}
			foreign = foreign || isForeign(c)
		case strings.ContainsRune("/?#", c) || never.MatchString(string(c)):
			return host, i, false
		case address != "" && i < host+len(address):
		case c == '@' && foreign:
			return host, i, true
		case c == '@' && open > 0:
			for k := i; ; k-- {
				if u.text[k] == '(' && strings.Count(u.text[from:k], "(") == strings.Count(u.text[from:k], ")") {
					return host, k, true
				}
			}
		case c == ')' && open == 0,
			c == '\'' && (u.opened == "'" || u.quoted()),
			entity.MatchString(u.text[i:]),
			complete && strings.ContainsRune(",;!'(", c),
			complete && (c == '~' || c == '*') && u.opened == string(c),
			complete && c == '_' && u.opened == "_" && !alnum.MatchString(u.text[i+1:]):
			return host, i, true
		case strings.ContainsRune("[]{}", c):
			return host, i, false
		}
		i += n
	}
	return from + strings.LastIndexByte(u.text[from:], '@') + 1, len(u.text), false
}

// foreign returns the end of a host that contains letters of other scripts. If the end is
// uncertain, ok is false.
func (u *slowURL) foreign(host, end int) (stop int, ok bool) {
	before, after, found := "", "", false
	for k, r := range u.text[host:end] {
		if r >= utf8.RuneSelf && isForeign(r) {
			before, after, found = u.text[host:host+k], strings.TrimRight(u.text[host+k:end], ".:"), true
			break
		}
	}
	after, _, _ = strings.Cut(after, ":")
	switch {
	case !found:
		return end, true
	case strings.Contains(before, ":"):
		return host + len(before), true
	case strings.Contains(after, "."), strings.HasSuffix(before, "."):
		return end, true
	case wholeName.MatchString(before):
		return host + len(before), true
	}
	return end, false
}

var wholeName = regexp.MustCompile(`^(?:(?s:.*)\.[A-Za-z]{2,}|\d+\.\d+\.\d+\.\d+)$`)

// belongsToURL reports whether the character at the offset i is a part of the URL. The rest of the
// URL begins at the offset rest.
func (u *slowURL) belongsToURL(rest, i int) bool {
	before, follows := strings.NewReplacer(`\(`, "", `\)`, "").Replace(u.text[rest:i]), u.text[i:]
	open := func(pair string) int { return strings.Count(before, pair[:1]) - strings.Count(before, pair[1:]) }
	inBrackets := open("()")+open("[]")+open("{}") > 0
	switch c := follows[0]; {
	case c >= utf8.RuneSelf:
		return u.letter(i, false)
	case c == '\\':
		return u.escape(rest, i)
	case c == '^':
		return strings.Contains(before, "#") && alnum.MatchString(u.text[i-1:]) && alnum.MatchString(follows[1:])
	case c == '|':
		return strings.Contains(before, "?") && strings.ContainsAny(u.text[i-1:i], "=:,") && alnum.MatchString(follows[1:]) && u.opened != "|"
	case never.MatchString(follows[:1]):
		return false
	case c == '(':
		return open("()") > 0 || u.closes(i, "()")
	case c == '{':
		return open("{}") > 0 || u.closes(i, "{}")
	case c == '[':
		return !strings.HasPrefix(follows, "[/") && (open("[]") > 0 || u.closes(i, "[]"))
	case c == ')':
		return open("()") > 0
	case c == '}':
		return open("{}") > 0
	case c == ']':
		return open("[]") > 0
	case c == '\'':
		return u.opened != "'" && (inBrackets || alnum.MatchString(follows[1:]) || !u.quoted())
	case c == '&':
		return !entity.MatchString(follows)
	}
	return true
}

// closes reports whether the bracket at the offset i is closed before the URL ends.
func (u *slowURL) closes(i int, pair string) bool {
	depth, apart := 0, false
	for k, r := range u.text[i:] {
		kind := letterOf(r)
		switch {
		case k >= maxBracket:
			return true
		case r == rune(pair[0]):
			depth++
		case r == rune(pair[1]):
			if depth--; depth == 0 {
				after := u.text[i+k+1:]
				return !apart || strings.ContainsAny(u.text[i-1:i], "_-=") || goesOnAt.MatchString(after) || alnum.MatchString(after)
			}
		case r < utf8.RuneSelf && never.MatchString(string(r)), r >= utf8.RuneSelf && kind == ending:
			return false
		case r >= utf8.RuneSelf:
			apart = apart || kind == ideograph || kind == symbol
		}
	}
	return false
}

// readOpaque reads the text after a scheme without "//", beginning at the offset from. If the text
// is invalid, ok is false, and examinedEnd is the end of the examined text. Otherwise examinedEnd
// is the start of the rest. If the URL ends before the rest, end is not negative.
func (u *slowURL) readOpaque(name string, from int) (end, examinedEnd int, ok bool) {
	run := u.text[from:]
	next := slowOpaque(name, run)
	if next >= 0 {
		return -1, from + next, false
	}
	part := userAtStart.FindString(run)
	address := strings.HasPrefix(run[len(part):], "@")
	if group := groupBefore.FindStringSubmatch(part); (name == "news" || name == "snews") && address && group != nil && plausibleGroup.MatchString(group[1]) && strings.Contains(group[1], ".") {
		return from + len(group[1]), 0, true
	}
	if !address || !isStandard(name) {
		return -1, from, true
	}
	domain := from + len(part) + 1
	stop, foreign := domain, false
	for stop < len(u.text) {
		r, n := utf8.DecodeRuneInString(u.text[stop:])
		if r < utf8.RuneSelf && !hostChars.MatchString(string(r)) || (r >= utf8.RuneSelf) && !u.letter(stop, true) {
			break
		}
		foreign = foreign || r >= utf8.RuneSelf && isForeign(r)
		stop += n
	}
	if !foreign {
		return -1, from, true
	}
	switch cut, ok := u.foreign(domain, stop); {
	case !ok:
		return -1, stop, false
	case cut < stop:
		return cut, 0, true
	}
	return -1, stop, true
}

var groupBefore = regexp.MustCompile(`^([^,;()]+)[,;()]`)

// slowOpaque returns -1 if the text after a scheme without "//" is valid. Otherwise it returns the
// length of the examined text.
func slowOpaque(name, run string) int {
	part := userAtStart.FindString(run)
	follows := run[len(part):]
	switch name {
	case "mailto", "mid", "cid":
		if strings.HasPrefix(follows, "@") {
			return -1
		}
	case "news", "snews":
		if strings.HasPrefix(follows, "@") || strings.Contains(part, ".") && !strings.HasPrefix(follows, ":") {
			return -1
		}
	case "urn":
		if nidAlone.MatchString(part) && strings.HasPrefix(follows, ":") {
			return -1
		}
	case "file":
		if part == "" && strings.HasPrefix(follows, "/") {
			return -1
		}
	default:
		if !isStandard(name) {
			return -1
		}
	}
	return len(part)
}

var (
	plausibleHost    = regexp.MustCompile(`^(?:\[[^\]]*\]|[A-Za-z0-9_]|[^\x00-\x7f])(?:[A-Za-z0-9._:-]|[^\x00-\x7f])*$`)
	plausibleAddress = regexp.MustCompile(`^[^@?]+@(?:[A-Za-z0-9]|[^\x00-\x7f])`)
	plausibleGroup   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+_-]*(?:\.[A-Za-z0-9+_-]+)*\.?[A-Za-z0-9+_-]*$`)
	nidAlone         = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{1,31}$`)
	plausibleURN     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{1,31}:[^\x00]`)
)

func slowPlausible(u locus.URL) bool {
	part := u.SchemePart()
	switch name := u.Scheme(); {
	case strings.HasPrefix(part, "//"):
		path, _ := u.Path()
		return plausibleHost.MatchString(u.Host()) || u.Host() == "" && name == "file" && path != ""
	case slices.Contains([]string{"mailto", "mid", "cid"}, name):
		return plausibleAddress.MatchString(part)
	case slices.Contains([]string{"news", "snews"}, name):
		return plausibleAddress.MatchString(part) ||
			!strings.Contains(strings.SplitN(part, "?", 2)[0], "@") && plausibleGroup.MatchString(part) && strings.Contains(part, ".")
	case name == "urn":
		return plausibleURN.MatchString(part)
	case name == "file":
		return strings.HasPrefix(part, "/") && part != "/"
	default:
		return !isStandard(name) && part != ""
	}
}

const blank = `[\t-\r \x{85}\x{a0}\x{ad}\x{1680}\x{2000}-\x{200b}\x{2028}\x{2029}\x{202f}\x{205f}\x{2060}\x{3000}\x{feff}]`

var (
	blanks     = regexp.MustCompile(blank + `+`)
	blanksLine = regexp.MustCompile(`^` + blank + `*`)
	footerLine = regexp.MustCompile(`(?:\[Page` + blank + `+\d{1,4}\]|` + blank + `{3}\d{1,4})` + blank + `*$`)
	headerLine = regexp.MustCompile(blank + `{3}` + notBlank + `+(?:` + blank + `+` + notBlank + `+)*` + blank + `+(?:19|20)\d\d` + blank + `*$`)
	numbered   = regexp.MustCompile(`^` + blank + `*(\d{1,6})[.:](` + blank + `|$)`)
	markAt     = regexp.MustCompile(`^` + blank + `*([>|]|[*#;/%!-]{1,8}(?:` + blank + `|$))`)
	notBlank   = strings.Replace(blank, "[", "[^", 1)
)

// wrapped reads a wrapper. If the text ends in the wrapper, next is the end of the text.
func (s *slowScanner) wrapped(open, inner int, form Form) (m Match, next int, ok bool) {
	limit := min(len(s.text), open+maxWrapper)
	lines := strings.Split(s.text[inner:limit], "\n")
	margin := s.margin(open)
	var b strings.Builder // "\x00" represents a hyphen at the end of a line
	start, end := -1, 0
	begun, feed, footer, header := false, false, false, false
	for k, pos := 0, inner; k < len(lines); k++ {
		line, at := lines[k], pos
		pos += len(line) + 1
		last := k == len(lines)-1
		if k > 0 {
			n := margin.strip(line)
			line, at = line[n:], at+n
			lead := blanksLine.FindString(line)
			feed = feed || strings.Contains(lead, "\f")
			line, at = line[len(lead):], at+len(lead)
			switch {
			case line == "" && last:
				continue
			case line == "":
				begun = true
				continue
			case !begun && !feed:
			case last && limit < len(s.text):
				return Match{}, 0, false
			case !footer && !feed && footerLine.MatchString(line):
				footer = true
				feed = strings.Contains(line, "\f")
				continue
			case (footer || feed) && !header && headerLine.MatchString(line):
				header = true
				continue
			case !feed && !(footer && header):
				return Match{}, 0, false
			}
			begun, feed, footer, header = false, false, false, false
		}
		for i := 0; i < len(line); {
			r, n := utf8.DecodeRuneInString(line[i:])
			switch {
			case r == '>':
				return s.closed(b.String(), start, end, at+i+1, form)
			case blanks.MatchString(line[i : i+n]):
			case r == '<', r < ' ', r == 0x7F:
				return Match{}, 0, false
			case form == Bracketed && k == 0 && start >= 0 && end < at+i:
				return Match{}, 0, false
			default:
				if start < 0 {
					start = at + i
				}
				b.WriteString(line[i : i+n])
				end = at + i + n
				if b.Len() > locus.MaxLen {
					return Match{}, 0, false
				}
			}
			i += n
		}
		if written := b.String(); !last && strings.HasSuffix(written, "-") {
			b.Reset()
			b.WriteString(written[:len(written)-1] + "\x00")
		}
	}
	if limit < len(s.text) {
		return Match{}, 0, false
	}
	return Match{}, limit, false
}

func (s *slowScanner) closed(read string, start, end, next int, form Form) (Match, int, bool) {
	u, escaped, err := slowParse(strings.ReplaceAll(read, "\x00", "-"))
	if err != nil || form == Bracketed && (!slowPlausible(u) || strings.ContainsAny(read, `"|`)) {
		return Match{}, 0, false
	}
	m := Match{URL: u, Start: int64(start), End: int64(end), Form: form, IRI: !isASCII.MatchString(read), Escaped: escaped}
	if strings.Contains(read, "\x00") {
		m.Alternative, _ = locus.Parse(strings.ReplaceAll(read, "\x00", ""))
	}
	return m, next, true
}

// slowMargin is a margin at the start of lines.
type slowMargin struct {
	number int // number of the last line, or -1
	marks  []string
}

func (s *slowScanner) margin(open int) *slowMargin {
	m := &slowMargin{number: -1}
	start := strings.LastIndexByte(s.text[:open], '\n') + 1
	if start > 0 && open-start >= maxMargin || start == 0 && open > maxMargin {
		return m
	}
	line := s.text[start:open]
	if n := numbered.FindStringSubmatch(line); n != nil {
		m.number, _ = strconv.Atoi(n[1])
		line = line[len(n[0])-len(n[2]):]
	}
	for len(m.marks) < 8 {
		n := markAt.FindStringSubmatch(line)
		if n == nil {
			return m
		}
		mark := blanks.ReplaceAllString(n[1], "")
		line = line[strings.Index(line, mark)+len(mark):]
		if comment := strings.TrimLeft(mark, "/"); strings.HasPrefix(comment, "*") {
			mark = "*"
		}
		m.marks = append(m.marks, mark)
	}
	return m
}

// strip returns the length of the margin at the start of line.
func (m *slowMargin) strip(line string) int {
	length := 0
	if n := numbered.FindStringSubmatch(line); n != nil && m.number >= 0 {
		if number, _ := strconv.Atoi(n[1]); number == m.number+1 {
			m.number = number
			length = len(n[0]) - len(n[2])
		}
	}
	for _, mark := range m.marks {
		follows := blank + `|$`
		if mark == ">" || mark == "|" {
			follows = ``
		}
		n := regexp.MustCompile(`^` + blank + `*` + regexp.QuoteMeta(mark) + `(` + follows + `)`).FindStringSubmatch(line[length:])
		if n == nil {
			break
		}
		length += len(n[0]) - len(n[1])
	}
	return length
}

func isStandard(name string) bool {
	return slices.ContainsFunc(Standard(), func(s Scheme) bool { return s.Name == name })
}
