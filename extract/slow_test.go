package extract

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
)

// The slow twin of All: the rules of the package comment written for reading only.
// It sees the whole text, goes over it as often as it likes, and asks regular
// expressions.

// slowAll returns the URLs in text.
func slowAll(text string, o *Options) (list []Match) {
	s := slowScanner{text: text}
	if o != nil {
		s.Options = *o
	}
	if s.Schemes == nil {
		s.Schemes = Known
	}
	for colon := 0; colon < len(text); colon++ {
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

var (
	nameAtEnd   = regexp.MustCompile(`[A-Za-z0-9+.-]*$`)
	openAtEnd   = regexp.MustCompile(`<[ \t\r\n]*$`)
	apartAtEnd  = regexp.MustCompile("(?:^|[\\x00- (\\[{<>\"'`=,;|*_~]|(?i:URL:)|[^\\x00-\\x7f])$")
	userAtStart = regexp.MustCompile(`^[A-Za-z0-9$\-_.+!*'(),%;?&=]*`)
	hostAtStart = regexp.MustCompile(`^(?:\[[^\]]*\])?(?:[A-Za-z0-9._:-]|[^\x00-\x7f])*`)
	entity      = regexp.MustCompile(`^&(?:lt|gt|quot|apos|nbsp|#34|#39|#60|#62|#160);`)
	triplet     = regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)
	alnum       = regexp.MustCompile(`^[A-Za-z0-9]`)
	loginChars  = regexp.MustCompile(`^[^/?#]*`)
)

func (s *slowScanner) at(colon int) (m Match, next int, ok bool) {
	name := nameAtEnd.FindString(s.text[max(0, colon-maxName-1):colon])
	start := colon - len(name)
	before := s.text[max(0, start-maxName):start]
	open := start - len(before) + strings.LastIndexByte(before, '<')
	bracketed := openAtEnd.MatchString(before)
	if strings.EqualFold(name, "URL") {
		if !bracketed {
			return Match{}, 0, false
		}
		return s.wrapped(open, colon+1, Wrapped)
	}
	if name == "" || len(name) > maxName || !s.Schemes(strings.ToLower(name)) {
		return Match{}, 0, false
	}
	if bracketed {
		if m, next, ok := s.wrapped(open, start, Bracketed); ok || next > 0 {
			return m, next, ok
		}
	}
	r, _ := utf8.DecodeLastRuneInString(s.text[:start])
	if s.NoBare || r >= utf8.RuneSelf && isWordRune(r) {
		return Match{}, 0, false
	}
	return s.bare(start, colon)
}

// bare reads a bare URL.
func (s *slowScanner) bare(start, colon int) (m Match, next int, ok bool) {
	internet := strings.HasPrefix(s.text[colon+1:], "//")
	from := colon + 1
	if internet {
		from += 2
	} else if !apartAtEnd.MatchString(s.text[:start]) {
		return Match{}, 0, false
	}
	// The characters that may be in a URL at all.
	whole := from
	for whole < len(s.text) {
		r, n := utf8.DecodeRuneInString(s.text[whole:])
		if r <= ' ' || r == 0x7F || r == utf8.RuneError && n == 1 || r == utf8.RuneError ||
			strings.ContainsRune("\"<>\\^`|", r) || r >= utf8.RuneSelf && !isWordRune(r) {
			break
		}
		whole += n
	}
	run := s.text[from:whole]
	rest, cut := 0, -1
	if internet {
		rest = len(loginChars.FindString(run))
		if from+rest-start > locus.MaxLen {
			return Match{}, start + locus.MaxLen, false
		}
		host := strings.LastIndexByte(run[:rest], '@') + 1
		if n := host + len(hostAtStart.FindString(run[host:rest])); n < rest {
			if !strings.Contains(",;!'()*=&}]", run[n:n+1]) {
				return Match{}, from + n, false
			}
			cut = n
		}
	} else if next := slowOpaque(strings.ToLower(s.text[start:colon]), run); next >= 0 {
		if from+next-start > locus.MaxLen {
			return Match{}, start + locus.MaxLen, false
		}
		return Match{}, from + next, false
	}
	if cut < 0 {
		quoted := start > 0 && s.text[start-1] == '\''
		for cut = rest; cut < len(run) && !slowEnds(run[rest:cut], run[cut:]+s.text[whole:], quoted); cut++ {
			if run[cut] == '%' && !triplet.MatchString(run[cut:]) {
				if from+cut-start > locus.MaxLen {
					return Match{}, start + locus.MaxLen, false
				}
				return Match{}, from + cut + 1, false
			}
		}
		if from+cut-start > locus.MaxLen {
			return Match{}, start + locus.MaxLen, false
		}
	}
	end := from + cut
	for end > colon+1 {
		tail := s.text[colon+1 : end]
		n := len(tail) - len(strings.TrimSuffix(tail, "&amp;"))
		last := tail[len(tail)-1:]
		if n == 0 && (strings.Contains(`.,;:!?'([{`, last) || strings.Contains("*_~", last) && start > 0 && s.text[start-1:start] == last) {
			n = 1
		}
		if n == 0 {
			break
		}
		end -= n
	}
	u, err := locus.Parse(s.text[start:end])
	if err != nil || !slowPlausible(u) {
		return Match{}, from + cut, false
	}
	return Match{URL: u, Start: int64(start), End: int64(end), Form: Bare}, end, true
}

// slowEnds reports whether a URL of which before was read ends before what
// follows.
func slowEnds(before, follows string, quoted bool) bool {
	open := func(pair string) int { return strings.Count(before, pair[:1]) - strings.Count(before, pair[1:]) }
	switch follows[0] {
	case ')':
		return open("()") == 0
	case '}':
		return open("{}") == 0
	case ']':
		return open("[]") == 0
	case '[':
		return !strings.ContainsAny(before, "?#") || strings.HasPrefix(follows, "[/")
	case '\'':
		return quoted || open("()")+open("{}")+open("[]") == 0 && !alnum.MatchString(follows[1:])
	case '&':
		return entity.MatchString(follows)
	}
	return false
}

// slowOpaque returns -1 if what follows a scheme without "//" is what it must be,
// or else how far it was looked at.
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
	default:
		if !Known(name) {
			return -1
		}
	}
	return len(part)
}

var (
	plausibleHost    = regexp.MustCompile(`^(?:\[[^\]]*\]|[A-Za-z0-9_]|[^\x00-\x7f])(?:[A-Za-z0-9._:-]|[^\x00-\x7f])*$`)
	plausibleAddress = regexp.MustCompile(`^[^@?]+@[A-Za-z0-9]`)
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
	default:
		return !Known(name) && part != ""
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

// wrapped reads a wrapper. If the text ends in it, next is the end of the text.
func (s *slowScanner) wrapped(open, inner int, form Form) (m Match, next int, ok bool) {
	limit := min(len(s.text), open+maxWrapper)
	lines := strings.Split(s.text[inner:limit], "\n")
	margin := s.margin(open)
	var b strings.Builder // "\x00" for a hyphen at a line's end
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
	u, err := locus.Parse(strings.ReplaceAll(read, "\x00", "-"))
	if err != nil || form == Bracketed && (!slowPlausible(u) || strings.ContainsAny(read, `"|`)) {
		return Match{}, 0, false
	}
	m := Match{URL: u, Start: int64(start), End: int64(end), Form: form}
	if strings.Contains(read, "\x00") {
		m.Alternative, _ = locus.Parse(strings.ReplaceAll(read, "\x00", ""))
	}
	return m, next, true
}

// slowMargin is what lines begin with.
type slowMargin struct {
	number int // -1: none
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

// strip returns the length of the margin that line begins with.
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
