package locus_test

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
)

// This file is a slow, readable parser that tests compare with Parse: the productions of
// RFC 1738 section 5 as regular expressions, and the splitting of section 3.1 with package
// strings.

// Miscellaneous definitions of section 5.
const (
	alpha      = `[A-Za-z]`
	digit      = `[0-9]`
	digits     = digit + `+`
	alphadigit = `[A-Za-z0-9]`
	hex        = `[0-9A-Fa-f]`
	escaped    = `%` + hex + hex
	safe       = `$\-_.+`
	extra      = `!*'(),`
	reserved   = `;/?:@&=`
	unreserved = `A-Za-z0-9` + safe + extra
	uchar      = `(?:[` + unreserved + `]|` + escaped + `)`
	xchar      = `(?:[` + unreserved + reserved + `]|` + escaped + `)`
)

// The generic form of a URL.
const (
	// scheme = 1*[ lowalpha | digit | "+" | "-" | "." ]
	schemeName = `[a-z0-9+\-.]+`
	// hostname    = *[ domainlabel "." ] toplabel
	// domainlabel = alphadigit | alphadigit *[ alphadigit | "-" ] alphadigit
	// toplabel    = alpha | alpha *[ alphadigit | "-" ] alphadigit
	hostname    = `(?:` + domainlabel + `\.)*` + toplabel
	domainlabel = `(?:` + alphadigit + `(?:[A-Za-z0-9-]*` + alphadigit + `)?)`
	toplabel    = `(?:` + alpha + `(?:[A-Za-z0-9-]*` + alphadigit + `)?)`
	// hostnumber = digits "." digits "." digits "." digits
	hostnumber = digits + `\.` + digits + `\.` + digits + `\.` + digits
	// user = *[ uchar | ";" | "?" | "&" | "=" ], and password is the same
	user = `(?:` + uchar + `|[;?&=])*`
	// login         = [ user [ ":" password ] "@" ] hostport
	// hostport      = host [ ":" port ]
	// ip-schemepart = "//" login [ "/" urlpath ]
	login        = `(?:` + user + `(?::` + user + `)?@)?` + hostport
	hostport     = `(?:` + hostname + `|` + hostnumber + `)(?::` + digits + `)?`
	ipSchemepart = `//` + login + `(?:/` + xchar + `*)?`
	// schemepart = *xchar | ip-schemepart
	// genericurl = scheme ":" schemepart
	genericurl = schemeName + `:(?:` + xchar + `*|` + ipSchemepart + `)`
)

// Sequences of one class, for the productions of url-paths.
const (
	fsegments = `(?:` + uchar + `|[?:@&=/])*`
	hsegments = `(?:` + uchar + `|[;:@&=/])*`
)

// fullPattern returns the pattern that a whole text must match.
func fullPattern(pattern string) *regexp.Regexp { return regexp.MustCompile(`\A(?:` + pattern + `)\z`) }

var (
	isHostname   = fullPattern(hostname)
	isHostnumber = fullPattern(hostnumber)
	isUser       = fullPattern(user)
	isFsegments  = fullPattern(fsegments)
	isHsegments  = fullPattern(hsegments)
	isPathSearch = fullPattern(hsegments + `(?:\?(?:` + uchar + `|[;:@&=])*)?`)
	isUchars     = fullPattern(uchar + `*`)
	isXchars     = fullPattern(xchar + `*`)
	isGenericurl = fullPattern(genericurl)
	isEscape     = fullPattern(escaped)

	controlEscape = regexp.MustCompile(`%(?:[01]` + hex + `|7[Ff])`)
	isGroup       = fullPattern(hex + `{1,4}`)
)

// slowURL holds the parts of a text.
type slowURL struct {
	scheme, schemePart             string
	user, password, path, fragment *string
	host                           string
	portText                       *string
	internet, missingSlash         bool
}

// slowFault is a reason why Parse rejects a text.
type slowFault struct {
	offset int
	err    error
}

// schemeChars contains the characters of scheme in either case.
const schemeChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."

// slowParse splits text, or returns every reason to reject it.
func slowParse(text string) (u slowURL, faults []slowFault) {
	fault := func(offset int, err error) { faults = append(faults, slowFault{offset, err}) }
	if len(text) > locus.MaxLen {
		return u, []slowFault{{locus.MaxLen, locus.ErrTooLong}}
	}

	name, rest, ok := strings.Cut(text, ":")
	if !ok || name == "" || strings.Trim(name, schemeChars) != "" {
		first := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune(schemeChars, r) })
		switch {
		case strings.HasPrefix(text, `\\`):
			fault(0, locus.ErrWindowsPath)
		case first < 0:
			fault(0, locus.ErrNoScheme)
		case text[first] <= ' ' || text[first] == 0x7F:
			fault(first, locus.ErrControl)
			fault(0, locus.ErrNoScheme)
		default:
			fault(first, locus.ErrNoScheme)
		}
		return u, faults
	}
	if len(name) == 1 && strings.ContainsAny(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") && strings.HasPrefix(rest, `\`) {
		fault(0, locus.ErrWindowsPath)
	}
	start := len(name) + 1
	for i := start; i < len(text); i++ {
		if text[i] <= ' ' || text[i] == 0x7F {
			fault(i, locus.ErrControl)
		}
		if text[i] == '%' && !isEscape.MatchString(text[i:min(i+3, len(text))]) {
			fault(i, locus.ErrEscape)
		}
	}

	u.scheme = strings.ToLower(name)
	u.schemePart = rest
	if before, after, ok := strings.Cut(rest, "#"); ok {
		u.schemePart, u.fragment = before, &after
	}
	after, internet := strings.CutPrefix(u.schemePart, "//")
	if !internet {
		return u, faults
	}
	u.internet = true
	start += 2

	// "/" ends the login, and so does "?" in the host. User and password may contain "?".
	login, path, hasPath := strings.Cut(after, "/")
	if i := strings.IndexByte(login, '\\'); i >= 0 {
		fault(start+i, locus.ErrBackslash)
	}
	if strings.Count(login, "@") > 1 {
		return u, append(faults, slowFault{start + strings.IndexByte(login, '@'), locus.ErrAt})
	}
	hostStart := strings.IndexByte(login, '@') + 1
	if i := strings.IndexByte(login[hostStart:], '?'); i >= 0 {
		login = login[:hostStart+i]
		path, hasPath, u.missingSlash = after[len(login):], true, true
	}
	if hasPath {
		u.path = &path
	}
	if hostStart > 0 {
		name, password, hasPassword := strings.Cut(login[:hostStart-1], ":")
		u.user = &name
		if hasPassword {
			u.password = &password
		}
	}
	host, port, hasPort := strings.Cut(login[hostStart:], ":")
	if strings.HasPrefix(host, "[") {
		// The colons of an IPv6 address are in brackets.
		end := hostStart + strings.IndexByte(login[hostStart:], ']') + 1
		if end == hostStart || !isSlowIPv6(login[hostStart+1:end-1]) || end < len(login) && login[end] != ':' {
			return u, append(faults, slowFault{start + hostStart, locus.ErrHost})
		}
		host = login[hostStart:end]
		port, hasPort = strings.CutPrefix(login[end:], ":")
	}
	u.host = host
	if hasPort {
		u.portText = &port
		portStart := start + len(login) - len(port)
		for i := range len(port) {
			if port[i] < '0' || port[i] > '9' {
				fault(portStart+i, locus.ErrPort)
				break
			}
		}
		leading := strings.TrimLeft(port, "0")
		leading = leading[:len(leading)-len(strings.TrimLeft(leading, "0123456789"))]
		if n, err := strconv.ParseUint(leading, 10, 64); leading != "" && (err != nil || n > 65535) {
			fault(portStart, locus.ErrPortRange)
		}
	}
	return u, faults
}

// isSlowIPv6 reports whether text is an IPv6 address as spelled in RFC 3986
// section 3.2.2: it expands "::" and counts eight groups.
func isSlowIPv6(text string) bool {
	front, back, elided := strings.Cut(text, "::")
	groups := func(text string) []string {
		if text == "" {
			return nil
		}
		return strings.Split(text, ":")
	}
	all := append(groups(front), groups(back)...)
	n := len(all)
	if n == 0 {
		return elided
	}
	// The last 32 bits may be written as an IPv4 address.
	if last := all[n-1]; strings.HasSuffix(text, last) && strings.Contains(last, ".") {
		if !isSlowIPv4(last) {
			return false
		}
		all, n = all[:n-1], n+1
	}
	for _, g := range all {
		if !isGroup.MatchString(g) {
			return false
		}
	}
	if elided {
		return n <= 7
	}
	return n == 8
}

// isSlowIPv4 reports whether text is four numbers from 0 to 255 without leading zeros.
func isSlowIPv4(text string) bool {
	if !isHostnumber.MatchString(text) {
		return false
	}
	for n := range strings.SplitSeq(text, ".") {
		if v, err := strconv.Atoi(n); err != nil || v > 255 || strconv.Itoa(v) != n {
			return false
		}
	}
	return true
}

// facts returns the Facts from the parts.
func (u slowURL) facts(text string) locus.Facts {
	var f locus.Facts
	set := func(has bool, fact locus.Facts) {
		if has {
			f |= fact
		}
	}
	lower := func(s string) bool { return !strings.ContainsAny(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") }
	plain := func(s *string) bool { return s == nil || isUser.MatchString(*s) }
	path := u.schemePart
	if u.internet {
		path = ""
		if u.path != nil {
			path = *u.path
		}
	}
	set(u.internet, locus.Internet)
	set(lower(text[:len(u.scheme)]), locus.SchemeLower)
	set(plain(u.user) && plain(u.password), locus.LoginPlain)
	set(isHostname.MatchString(u.host) && canBeName(u.host), locus.HostName)
	set(isSlowIPv4(u.host), locus.HostNumber)
	set(lower(u.host), locus.HostLower)
	set(u.portText == nil || *u.portText != "" && (*u.portText)[0] != '0', locus.PortPlain)
	set(isFsegments.MatchString(path), locus.PathFsegment)
	set(isHsegments.MatchString(path), locus.PathHsegment)
	set(isPathSearch.MatchString(path), locus.PathSearch)
	set(u.portText == nil, locus.NoPort)
	set(u.internet && u.host == "", locus.NoHost)
	set(isUchars.MatchString(path), locus.PathUchar)
	set(isXchars.MatchString(path), locus.PathXchar)
	set(!strings.Contains(path, "%"), locus.NoEscape)
	set(!controlEscape.MatchString(path), locus.NoControl)
	set(u.user == nil, locus.NoUser)
	set(u.path != nil && !u.missingSlash, locus.Slash)
	set(u.fragment == nil || isXchars.MatchString(*u.fragment), locus.FragmentXchar)
	return f
}

// canBeName tests a name against the limits of RFC 1034 section 3.1.
func canBeName(host string) bool {
	for label := range strings.SplitSeq(host, ".") {
		if len(label) > 63 {
			return false
		}
	}
	return len(host) <= 253
}

// hasFault reports whether err is one of faults.
func hasFault(faults []slowFault, err *locus.SyntaxError) bool {
	for _, f := range faults {
		if f.offset == err.Offset && errors.Is(err, f.err) {
			return true
		}
	}
	return false
}
