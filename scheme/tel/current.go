package tel

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

func inForce() scheme.CurrentStandard {
	return scheme.CurrentStandard{Check: checkCurrent, Clean: isClean, Normalize: normalizeCurrent}
}

const (
	separators = "-.()"
	digits     = "0123456789"
)

// isClean reports whether the URI u is in one of two simple forms. The first form is a global
// number without a parameter except an extension. The second form is a local number that consists
// only of digits, and whose context is a domain name of letters.
func isClean(u rfc3986.URI) bool {
	number, parameter, more := strings.Cut(u.Path(), ";")
	if !current.IsPath(u) {
		return false
	}
	number, global := strings.CutPrefix(number, "+")
	if global {
		ext, ok := strings.CutPrefix(parameter, "ext=")
		return consistsOf(number, digits+separators) && octet.Is(number[0], octet.Digit) && (!more || ok && consistsOf(ext, digits))
	}
	domain, ok := strings.CutPrefix(parameter, "phone-context=")
	return ok && consistsOf(number, digits) && bnf.IsWords(domain) && consistsOf(domain, ".abcdefghijklmnopqrstuvwxyz")
}

// consistsOf reports whether text is not empty and consists only of the octets in chars.
func consistsOf(text, chars string) bool {
	for i := range len(text) {
		if strings.IndexByte(chars, text[i]) < 0 {
			return false
		}
	}
	return text != ""
}

func checkCurrent(u rfc3986.URI) []locus.Violation {
	var f bnf.Findings
	if _, ok := u.Host(); ok {
		name, _ := u.Scheme()
		f.Add("slashes", "RFC 3966 3", len(name)+len(":"), "//", `leave out "//": a number follows "tel:"`)
		return f.List()
	}
	number, list, end := split(u)
	checkNumber(&f, u.PathOffset(), number)
	checkContext(&f, u.PathOffset(), number, list)
	checkList(&f, list)
	for _, p := range list {
		checkParameter(&f, p)
	}
	if _, ok := u.Query(); ok && end < u.QueryOffset() {
		help := "a number has no query: leave it out"
		if n := len(list); n > 0 && list[n-1].rank() == 2 && list[n-1].value != "" {
			help = "write %3F in a value: a number has no query"
		}
		f.Add("query", "RFC 3966 3", u.QueryOffset()-1, "?", help)
	}
	if _, ok := u.Fragment(); ok {
		f.Note("fragment", "RFC 3966 5.1.3", u.FragmentOffset()-1, "#", `"#" begins a fragment: write %23 for the telephone key`)
	}
	return f.List()
}

// isGlobal reports whether the number is a global number. Its "+" may be escaped.
func isGlobal(number string) bool {
	return strings.HasPrefix(number, "+") || strings.HasPrefix(strings.ToUpper(number), "%2B")
}

// checkNumber checks global-number-digits or local-number-digits. The argument offset is the
// position of the number in the URI.
func checkNumber(f *bnf.Findings, offset int, number string) {
	text, global := strings.CutPrefix(number, "+")
	offset += len(number) - len(text)
	global = global || isGlobal(number)
	hasDigit, start, last := false, 0, fault{}
	for i := 0; i <= len(text); {
		size, found := 1, fault{}
		if i < len(text) {
			size = tokenSize(text[i:])
			found = numberFault(text[i:i+size], global)
			hasDigit = hasDigit || found == fault{} && !strings.Contains(separators, text[i:i+1])
		}
		if found != last { // report consecutive octets with the same fault as one finding
			if last != (fault{}) {
				f.Add("number", last.section, offset+start, text[start:i], last.help)
			}
			start, last = i, found
		}
		i += size
	}
	if !hasDigit {
		f.Add("number", "RFC 3966 3", offset, text, "write at least one digit")
	}
}

// fault describes why a character is invalid. The zero fault means that the character is valid.
type fault struct{ section, help string }

// tokenSize returns the length of the first character or escape in text.
func tokenSize(text string) int {
	if text[0] != '%' {
		return 1
	}
	if _, err := escape.Decode(text[:min(3, len(text))]); err != nil {
		return 1
	}
	return 3
}

// numberFault returns the reason why a character or escape is invalid in a number.
func numberFault(token string, global bool) fault {
	c := token[0]
	switch {
	case strings.IndexByte(digits+separators, c) >= 0:
	case !global && (strings.IndexByte("*abcdefABCDEF", c) >= 0 || token == "%23"):
	case token == "%20" || c == ' ':
		return fault{"RFC 3966 5.1.1", `write "-" or "." instead of a space`}
	case len(token) == 3 && numberFault(bnf.Decode(token), global) == fault{}, token == "%2b", token == "%2B":
		return fault{"RFC 3966 3", "write it without an escape: " + bnf.Decode(token)}
	case c == '*' || token == "%23":
		return fault{"RFC 3966 5.1.3", `only local numbers can contain "*" and "#"`}
	case 'a' <= c|0x20 && c|0x20 <= 'z':
		return fault{"RFC 3966 5.1.2", "write digits instead of letters"}
	default:
		return fault{"RFC 3966 3", `a number has only digits, "-", ".", "(" and ")", after a "+" if it is global`}
	}
	return fault{}
}

// checkContext checks that a local number has a context, and that a global number has no context.
// The argument offset is the position of the number in the URI.
func checkContext(f *bnf.Findings, offset int, number string, list []parameter) {
	i := slices.IndexFunc(list, func(p parameter) bool { return p.is(phoneContext) })
	switch global := isGlobal(number); {
	case !global && i < 0:
		f.Add("phone-context", "RFC 3966 5.1.5", offset, number, `write "+" and the code of the country before the number, or ";phone-context=" and a domain after it`)
	case global && i >= 0:
		f.Note("phone-context", "RFC 3966 5.1.5", list[i].offset, list[i].name, "a global number needs no context")
	}
}

// checkList checks the order of the parameters, and that no parameter is repeated.
func checkList(f *bnf.Findings, list []parameter) {
	seen, ordered := map[string]bool{}, true
	for i, p := range list {
		name := strings.ToLower(p.name)
		switch {
		case seen[name]:
			f.Add("duplicate", "RFC 3966 3", p.offset, p.name, "write a parameter only once")
		case name == subaddress && seen[extension], name == extension && seen[subaddress]:
			f.Add("duplicate", "RFC 3966 5.3", p.offset, p.name, "write isub or ext, not both")
		case ordered && i > 0 && compare(list[i-1], p) > 0:
			f.Add("order", "RFC 3966 3", p.offset, p.name, "write isub or ext first, then phone-context, then other parameters in the order of their names")
			ordered = false // moving this parameter also corrects the order of the next parameters
		}
		seen[name] = true
	}
}

var (
	parameterName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9-]+$`) })
	globalDigits  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\+[0-9().-]*[0-9][0-9().-]*$`) })
	domainName    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)*[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.?$`)
	})
)

func checkParameter(f *bnf.Findings, p parameter) {
	value := p.offset + len(p.name) + len("=")
	switch {
	case !parameterName().MatchString(p.name):
		f.Add("parameter", "RFC 3966 3", p.offset, p.name, `the name of a parameter has only letters, digits and "-"`)
		return
	case p.value == "" && (p.hasValue || p.rank() < 2):
		f.Add("parameter", "RFC 3966 3", p.offset, p.name, `write "=" and a value`)
		return
	case p.is(extension):
		checkExtension(f, value, p.value)
	case p.is(phoneContext):
		if !globalDigits().MatchString(p.value) && !domainName().MatchString(p.value) {
			f.Add("phone-context", "RFC 3966 5.1.5", value, p.value, `a context is a domain, or "+" and the first digits of a global number`)
		}
	case p.is(subaddress): // the value may contain any uric
	default:
		checkValue(f, value, p.value, "=,@?")
	}
	if p.rank() == 2 && strings.HasPrefix(strings.ToLower(p.name), "m-") {
		f.Note("mandatory", "RFC 3966 5.4", p.offset, p.name, "a program that does not know this parameter must not use the number")
	}
	if lowerCase(p.name) != p.name || lowerCase(p.value) != p.value {
		f.Note("case", "RFC 3966 4", p.offset, p.name, "write parameters in lower case: some programs compare letter by letter")
	}
}

func checkExtension(f *bnf.Findings, offset int, text string) {
	if i := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune(digits+separators, r) }); i >= 0 {
		f.Add("extension", "RFC 3966 3", offset+i, text[i:], `an extension has only digits, "-", ".", "(" and ")"`)
	} else if !strings.ContainsAny(text, digits) {
		f.Impossible("extension", "RFC 3966 5.3", offset, text, "write at least one digit")
	}
}

// checkValue adds a finding for each character of text that must be escaped, unless the RFC 3986
// checks report the character. The argument offset is the position of text in the URI.
func checkValue(f *bnf.Findings, offset int, text, delimiters string) {
	for i := range len(text) {
		if strings.IndexByte(delimiters, text[i]) >= 0 {
			f.Add("parameter", "RFC 3966 3", offset+i, text[i:i+1], fmt.Sprintf("write %%%02X", text[i]))
		}
	}
}

// normalizeCurrent normalizes a URI by the comparison rules of section 4.
func normalizeCurrent(u rfc3986.URI) rfc3986.URI {
	if _, ok := u.Host(); ok {
		return u
	}
	number, list, end := split(u)
	slices.SortStableFunc(list, compare)
	var b strings.Builder
	b.WriteString("tel:" + plainNumber(number))
	for _, p := range list {
		b.WriteString(";" + lowerCase(p.name))
		if !p.hasValue {
			continue
		}
		b.WriteByte('=')
		if p.is(extension) || p.is(phoneContext) && strings.HasPrefix(p.value, "+") {
			b.WriteString(plainNumber(p.value))
		} else {
			b.WriteString(lowerCase(decodeMarks(p.value)))
		}
	}
	b.WriteString(u.String()[end:])
	return rfc3986.Parse(b.String())
}

// plainNumber returns text in lower case, without visual separators.
func plainNumber(text string) string {
	return lowerCase(strings.Map(func(r rune) rune {
		if strings.ContainsRune(separators, r) {
			return -1
		}
		return r
	}, text))
}

// decodeMarks decodes the escapes of characters that are unreserved in RFC 2396 but reserved in
// RFC 3986. RFC 3966 section 3 follows RFC 2396.
var decodeMarks = strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*").Replace

// lowerCase returns text in lower case, except for escapes.
func lowerCase(text string) string {
	b := []byte(text)
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '%':
			i += 2
		case 'A' <= c && c <= 'Z':
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}
