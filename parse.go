package locus

import (
	"fmt"

	"github.com/locus-url/locus/internal/octet"
)

// Parse reads text as a URL. It changes nothing: String gives text back. The
// error is a [*SyntaxError].
func Parse(text string) (URL, error) {
	p := parser{text: text}
	if !p.parse() {
		return URL{}, p.error()
	}
	return p.url, nil
}

// MustParse is [Parse] for texts that are known to be URLs. It panics if text is
// not one.
func MustParse(text string) URL {
	u, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return u
}

// parser holds what Parse knows so far. It makes no error value before one is
// needed, so that the good way allocates nothing.
type parser struct {
	text   string
	url    URL
	offset int
	part   string
	err    error
}

func (p *parser) fail(offset int, part string, err error) bool {
	p.offset, p.part, p.err = offset, part, err
	return false
}

func (p *parser) error() error {
	return &SyntaxError{Input: maskGuess(p.text), Offset: p.offset, Part: p.part, Err: p.err}
}

func (p *parser) parse() bool {
	s := p.text
	if len(s) > MaxLen {
		return p.fail(MaxLen, "genericurl", fmt.Errorf("%w: %d octets, and %d are the most", ErrTooLong, len(s), MaxLen))
	}
	// scheme = 1*[ lowalpha | digit | "+" | "-" | "." ]
	u := &p.url
	all, any := ^octet.Class(0), octet.Class(0)
	i := 0
	for i < len(s) && octet.Table[s[i]]&octet.Scheme != 0 {
		any |= octet.Table[s[i]]
		i++
	}
	if i == len(s) || s[i] != ':' || i == 0 {
		return p.failScheme(i)
	}
	u.text = s
	u.colon = uint16(i)
	facts := LoginPlain | HostLower | PortPlain | FragmentXchar | NoEscape
	if any&octet.Upper == 0 {
		facts |= SchemeLower
	}
	i++
	if i+1 < len(s) && s[i] == '/' && s[i+1] == '/' {
		facts |= Internet
		end, hostFacts, ok := hostAhead(s, i+2)
		if ok {
			facts = facts&^HostLower | hostFacts
			i = end
		} else {
			u.facts = facts
			if i, ok = p.login(i + 2); !ok {
				return false
			}
			facts = u.facts
		}
		if i < len(s) && s[i] != '#' {
			u.slash = uint16(i)
			if s[i] == '/' {
				i++
			}
		}
	}
	// What is left is the url-path, or the scheme-specific part, to the "#".
	for ; i < len(s); i++ {
		class := octet.Table[s[i]]
		if class&octet.Stop != 0 {
			switch {
			case s[i] == '#':
				u.hash = uint16(i)
				xchars, ok := p.fragment(i + 1)
				if !xchars {
					facts &^= FragmentXchar
				}
				u.facts = facts | classFacts(all)
				return ok
			case class&octet.Control != 0:
				return p.fail(i, p.pathPart(), ErrControl)
			case !tripletAt(s, i):
				return p.fail(i, "escape", ErrEscape)
			}
			facts &^= NoEscape
		}
		all &= class
	}
	u.facts = facts | classFacts(all)
	return true
}

// failScheme says why no scheme ends at i.
func (p *parser) failScheme(i int) bool {
	switch {
	case i == 0 || i == len(p.text):
		return p.fail(0, "scheme", ErrNoScheme)
	case octet.Is(p.text[i], octet.Control):
		return p.fail(i, "scheme", ErrControl)
	default:
		return p.fail(i, "scheme", fmt.Errorf("%w: %q can't be in it", ErrNoScheme, p.text[i]))
	}
}

// hostAhead reads the login at i if it is a plain host of section 5 with
// nothing beside it, which nearly every one is, and returns where it ends. ok is
// false if there is more to it.
func hostAhead(s string, i int) (end int, facts Facts, ok bool) {
	start := i
	any := octet.Class(0)
	for i < len(s) {
		class := octet.Table[s[i]]
		if class&octet.Label == 0 && s[i] != '.' {
			break
		}
		any |= class
		i++
	}
	if i < len(s) && s[i] != '/' && s[i] != '#' {
		return 0, 0, false
	}
	facts = hostFacts(s[start:i])
	if any&octet.Upper == 0 {
		facts |= HostLower
	}
	return i, facts, true
}

// hostFacts tells which production of host the text is of:
//
//	hostname    = *[ domainlabel "." ] toplabel
//	domainlabel = alphadigit | alphadigit *[ alphadigit | "-" ] alphadigit
//	toplabel    = alpha | alpha *[ alphadigit | "-" ] alphadigit
//	hostnumber  = digits "." digits "." digits "." digits
func hostFacts(host string) Facts {
	if host == "" {
		return 0
	}
	label, dots, digits, octets, canBe := 0, 0, true, true, true
	for i := 0; ; i++ {
		if i < len(host) && host[i] != '.' {
			class := octet.Table[host[i]]
			if class&octet.Label == 0 {
				return 0
			}
			if class&octet.Digit == 0 {
				digits = false
			}
			continue
		}
		if i == label || host[label] == '-' || host[i-1] == '-' {
			return 0
		}
		octets = octets && isOctet(host[label:i])
		canBe = canBe && i-label <= MaxLabel
		if i == len(host) {
			break
		}
		dots++
		label = i + 1
	}
	switch {
	case !canBe || len(host) > MaxHost:
		return 0
	case octet.Is(host[label], octet.Alpha):
		return HostName
	case digits && dots == 3 && octets:
		return HostNumber
	}
	return 0
}

// MaxLabel and MaxHost are the most octets that a label and a whole name can
// have (RFC 1034 section 3.1).
const (
	MaxLabel = 63
	MaxHost  = 253
)

// isOctet reports whether digits are an octet as it is commonly written.
func isOctet(digits string) bool {
	switch len(digits) {
	case 1:
		return true
	case 2:
		return digits[0] != '0'
	case 3:
		return digits[0] == '1' || digits[0] == '2' && (digits[1] < '5' || digits[1] == '5' && digits[2] <= '5')
	}
	return false
}

// login reads the login that begins at i and returns where it ends:
//
//	login    = [ user [ ":" password ] "@" ] hostport
//	hostport = host [ ":" port ]
func (p *parser) login(start int) (end int, ok bool) {
	s, u := p.text, &p.url
	end = len(s)
	question, at := 0, 0
scan:
	for i := start; i < len(s); i++ {
		class := octet.Table[s[i]]
		switch c := s[i]; {
		case c == '/' || c == '#':
			end = i
			break scan
		case class&octet.Control != 0:
			return 0, p.fail(i, "login", ErrControl)
		case c == '%' && !tripletAt(s, i):
			return 0, p.fail(i, "escape", ErrEscape)
		case c == '\\':
			return 0, p.fail(i, "login", ErrBackslash)
		case c == '@' && at != 0:
			return 0, p.fail(at, "user", ErrAt)
		case c == '@':
			at, question = i, 0
		case c == '?' && question == 0:
			question = i
		}
	}
	// user and password may hold a "?"; a host can't, so behind the "@" it ends
	// the login.
	if question != 0 {
		end = question
	}
	host := start
	if at != 0 {
		u.at = uint16(at)
		host = at + 1
		for i := start; i < at; i++ {
			switch {
			case s[i] == ':' && u.pass == 0:
				u.pass = uint16(i)
			case octet.Table[s[i]]&octet.User == 0:
				u.facts &^= LoginPlain
			}
		}
	}
	hostEnd := host
	if host < end && s[host] == '[' {
		if hostEnd = addressEnd(s, host, end); hostEnd < 0 {
			return 0, p.fail(host, "host", fmt.Errorf("%w: an IPv6 address is in \"[\" and \"]\", and a port may follow", ErrHost))
		}
	}
	for hostEnd < end && s[hostEnd] != ':' {
		hostEnd++
	}
	for i := host; i < hostEnd; i++ {
		if octet.Table[s[i]]&octet.Upper != 0 {
			u.facts &^= HostLower
			break
		}
	}
	u.facts |= hostFacts(s[host:hostEnd])
	if hostEnd < end {
		u.port = uint16(hostEnd)
		return end, p.portNumber(hostEnd+1, end)
	}
	return end, true
}

// addressEnd returns the place behind the "]" of the IPv6 address at i, or -1
// if something else than such an address, and perhaps a port, is there.
func addressEnd(s string, i, end int) int {
	for i++; i < end; i++ {
		switch {
		case s[i] == ']' && (i+1 == end || s[i+1] == ':'):
			return i + 1
		case s[i] != ':' && s[i] != '.' && !octet.Is(s[i], octet.Hex):
			return -1
		}
	}
	return -1
}

// portNumber reads the digits from i to end.
func (p *parser) portNumber(i, end int) bool {
	u, n := &p.url, 0
	if i == end || i+1 < end && p.text[i] == '0' {
		u.facts &^= PortPlain
	}
	for j := i; j < end; j++ {
		if !octet.Is(p.text[j], octet.Digit) {
			return p.fail(j, "port", ErrPort)
		}
		if n = n*10 + int(p.text[j]-'0'); n > 65535 {
			return p.fail(i, "port", ErrPortRange)
		}
	}
	if n == 0 {
		u.facts &^= PortPlain
	}
	u.num = uint16(n)
	return true
}

// fragment reads what follows the "#" and tells whether it is made of xchars.
func (p *parser) fragment(i int) (xchars, ok bool) {
	s := p.text
	all := ^octet.Class(0)
	for ; i < len(s); i++ {
		class := octet.Table[s[i]]
		switch {
		case class&octet.Stop == 0:
		case class&octet.Control != 0:
			return false, p.fail(i, "fragmentid", ErrControl)
		case s[i] == '%' && !tripletAt(s, i):
			return false, p.fail(i, "escape", ErrEscape)
		}
		all &= class
	}
	return all&octet.Xchar != 0, true
}

func (p *parser) pathPart() string {
	if p.url.slash != 0 {
		return "urlpath"
	}
	return "schemepart"
}

func tripletAt(s string, i int) bool {
	return i+2 < len(s) && octet.Table[s[i+1]]&octet.Hex != 0 && octet.Table[s[i+2]]&octet.Hex != 0
}
