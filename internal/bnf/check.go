// Package bnf implements the productions of RFC 1738 section 5 that schemes share. The package
// reports findings about login, host, port and characters, and writes the canonical form of
// these parts. The package for a scheme adds its own production.
package bnf

import (
	"slices"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// Clean holds facts about a URL with "//". If these facts hold, only the url-path, the host
// and the user remain to be checked.
const Clean = locus.Internet | locus.SchemeLower | locus.LoginPlain | locus.PortPlain | locus.FragmentXchar

// CleanHostPort is like [Clean], but for a scheme that allows hostport instead of login and
// has a url-path.
const CleanHostPort = Clean | locus.NoUser | locus.Slash

// Sound reports whether u contains a host, and whether the scheme, login, port and fragment
// conform to RFC 1738. Sound uses only the facts about u. The caller must check the url-path,
// and whether the scheme allows a user.
func Sound(u locus.URL) bool {
	f := u.Facts()
	return f.Has(Clean) && f&(locus.HostName|locus.HostNumber) != 0 && !u.MissingSlash()
}

// SoundHostPort is like [Sound], but for a scheme that allows hostport instead of login. The
// caller must check the url-path.
func SoundHostPort(u locus.URL) bool {
	return u.Facts().Has(locus.NoUser) && Sound(u)
}

// Findings collects the findings about one URL.
type Findings struct {
	URL     locus.URL
	Profile locus.Profile
	NoDraft bool // the URI draft has no production for the scheme, so the rules of RFC 1738 apply
	list    []locus.Violation
}

// List returns the findings in order of offset, or nil if no problem was found.
func (f *Findings) List() []locus.Violation {
	slices.SortStableFunc(f.list, func(a, b locus.Violation) int { return a.Offset - b.Offset })
	return f.list
}

// Add adds a finding about text, which the grammar does not allow. If the profile is the URI
// draft, Add replaces a section of RFC 1738 with the draft's BNF.
func (f *Findings) Add(rule, section string, offset int, text, help string) {
	if strings.HasPrefix(section, "RFC 1738") {
		section = f.Section(section, "BNF")
	}
	f.add(rule, locus.Ungrammatical, section, offset, text, help)
}

// Impossible adds a finding about a grammatical value that can't exist.
func (f *Findings) Impossible(rule, section string, offset int, text, help string) {
	f.add(rule, locus.Impossible, section, offset, text, help)
}

// Note adds a finding about a URL that conforms.
func (f *Findings) Note(rule, section string, offset int, text, help string) {
	f.add(rule, locus.Note, section, offset, text, help)
}

func (f *Findings) add(rule string, kind locus.Kind, section string, offset int, text, help string) {
	switch start, end := f.password(); {
	case offset >= end || offset+len(text) <= start:
	case offset < start:
		text = text[:start-offset]
	default:
		text = "*"
	}
	f.list = append(f.list, locus.Violation{Rule: rule, Kind: kind, Section: section, Offset: offset, Text: text, Help: help})
}

// password returns the start and end of the password, which findings must not show.
func (f *Findings) password() (start, end int) {
	if password, ok := f.URL.Password(); ok {
		end = f.URL.HostOffset() - len("@")
		start = end - len(password)
	}
	return start, end
}

// Error adds a finding for an error from a scheme's Parse, unless another finding has the same
// offset.
func (f *Findings) Error(err error, section string) {
	e, ok := err.(*locus.SyntaxError)
	if !ok {
		return
	}
	if slices.ContainsFunc(f.list, func(v locus.Violation) bool { return v.Offset == e.Offset && v.Kind == locus.Ungrammatical }) {
		return
	}
	text := f.URL.String()[min(e.Offset, f.URL.Len()):]
	f.Add("form", section, e.Offset, text, e.Err.Error())
}

// Scheme checks the scheme's name and the fragment.
func (f *Findings) Scheme() {
	text := f.URL.String()
	if name, _, _ := strings.Cut(text, ":"); name != "" && !f.URL.Facts().Has(locus.SchemeLower) {
		f.Add("scheme-case", "RFC 1738 2.1", 0, name, "write "+f.URL.Scheme())
	}
	f.AnyCase()
}

// AnyCase is like [Findings.Scheme], but for a scheme that may be written in upper case. The
// URI draft allows this for schemes without a production.
func (f *Findings) AnyCase() {
	text := f.URL.String()
	switch {
	case f.URL.IsZero():
		f.Add("no-scheme", "RFC 1738 2.1", 0, "", locus.ErrZero.Error())
	case octet.Is(text[0], octet.Alpha):
	case f.Profile == locus.RFC1630:
		f.Add("scheme-letter", "URI draft, scheme", 0, text[:1], "a scheme begins with a letter")
	default:
		f.Note("scheme-letter", "RFC 2396 3.1", 0, text[:1], "later standards require a letter first")
	}
	if fragment, ok := f.URL.Fragment(); ok {
		f.Xchars("fragmentid", f.URL.Len()-len(fragment), fragment)
	}
}

// Section returns the section for a finding. For RFC 1738, Section returns rfc1738. For the URI
// draft, Section returns a text that names the draft and the given production.
func (f *Findings) Section(rfc1738, production string) string {
	if f.Profile == locus.RFC1630 && !f.NoDraft {
		return "URI draft, " + production
	}
	return rfc1738
}

// Empty adds a finding at offset if text is empty and the profile is the URI draft, because
// the draft requires xalphas there.
func (f *Findings) Empty(production string, offset int, text string) {
	if text == "" && f.Profile == locus.RFC1630 {
		f.Add("empty", "URI draft, "+production, offset, "", production+" has at least one character")
	}
}

// Xchars is like [Findings.Chars], but checks for xchars or, in the URI draft, for xalphas.
func (f *Findings) Xchars(production string, offset int, text string) {
	set := octet.Xchar
	if f.Profile == locus.RFC1630 {
		set = octet.Xalpha
	}
	f.Chars(production, offset, text, set)
}

// Chars adds a finding for each octet of the text that is not in the given set. The argument offset
// is the position of the text in the URL. The argument production is the name of the production in
// RFC 1738.
func (f *Findings) Chars(production string, offset int, text string, set octet.Class) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		class := octet.Of(c)
		if class&set != 0 {
			continue
		}
		write := f.octetFix(offset+i, c)
		plain := set&(octet.Group|octet.Label|octet.Digit) != 0
		if plain { // in this case, text contains no escapes
			write = f.quoteOctet(offset+i, c) + " can't be in " + production
		}
		switch {
		case class&octet.High != 0:
			f.Add("not-us-ascii", f.Section("RFC 1738 2.2", unsafeSection), offset+i, text[i:i+1], write)
		case class&octet.Unsafe != 0:
			f.Add("unsafe-character", f.Section("RFC 1738 2.2", unsafeSection), offset+i, text[i:i+1], write)
		case plain:
			f.Add("character", "RFC 1738 5", offset+i, text[i:i+1], write)
		default:
			f.Add("reserved-character", f.Section("RFC 1738 2.2", `"Reserved characters"`), offset+i, text[i:i+1], write+" within "+production)
		}
	}
}

// quoteOctet returns the octet c at offset in quotes, for a finding. If the octet is part of a
// password, quoteOctet hides it.
func (f *Findings) quoteOctet(offset int, c byte) string {
	if start, end := f.password(); start <= offset && offset < end {
		return "this character"
	}
	return strconv.Quote(string([]byte{c}))
}

// unsafeSection is the section of the URI draft about characters that must be encoded.
const unsafeSection = `"Unsafe characters"`

// octetFix returns the fix for the octet c at offset. If the octet is part of a password,
// octetFix hides it.
func (f *Findings) octetFix(offset int, c byte) string {
	if start, end := f.password(); start <= offset && offset < end {
		return "write it as an escape"
	}
	return "write %" + string([]byte{octet.UpperHex[c>>4], octet.UpperHex[c&15]})
}

// Login describes the login that a scheme's production allows.
type Login struct {
	Section string // section of the standard
	User    bool   // whether a user and a password are allowed
	NoHost  bool   // whether the host may be empty
	NoSlash bool   // whether "?" may follow the host directly
}

// Internet checks the text from "//" to the url-path, and reports whether u contains "//".
func (f *Findings) Internet(rule Login) bool {
	u := f.URL
	if !u.Facts().Has(locus.Internet) {
		f.Add("form", rule.Section, len(u.Scheme())+1, u.SchemePart(), `write "//" and a host after "`+u.Scheme()+`:"`)
		return false
	}
	f.user(rule)
	f.host(rule)
	f.port()
	if u.MissingSlash() && !rule.NoSlash {
		f.Add("missing-slash", "RFC 1738 5", u.PathOffset(), "?", `write "/" before "?"`)
	}
	return true
}

func (f *Findings) user(rule Login) {
	u := f.URL
	user, ok := u.User()
	if !ok {
		return
	}
	start := len(u.Scheme()) + 3
	password, hasPassword := u.Password()
	if !rule.User {
		f.Add("no-user", rule.Section, start, user, "no user name or password is allowed: remove the text before the host")
		return
	}
	set := octet.User
	if f.Profile == locus.RFC1630 {
		set = octet.Group // the draft's alphanum2, which is alpha digit - _ . +
		if user == "" {
			f.Add("user", "URI draft, user", start, "", `write a user before "@", or leave out the "@"`)
		}
	}
	f.Chars("user", start, user, set)
	if hasPassword {
		f.Empty("password", start+len(user)+1, password)
		f.Chars("password", start+len(user)+1, password, set)
	}
}

func (f *Findings) host(rule Login) {
	facts, host := f.URL.Facts(), f.URL.Host()
	// In the draft, a hostname begins with a letter.
	sound := facts.Has(locus.HostNumber) ||
		facts.Has(locus.HostName) && (f.Profile == locus.RFC1738 || octet.Is(host[0], octet.Alpha))
	if sound || host == "" && rule.NoHost {
		return
	}
	f.Host(f.URL.HostOffset(), host)
}

// Host checks a host that begins at offset. The host may be in any part of the URL.
func (f *Findings) Host(offset int, host string) {
	// Such a delimiter can begin a path whose "/" is missing. Host checks only the host before
	// the delimiter.
	delimiters := ";=&"
	if f.Profile == locus.RFC1630 {
		delimiters = ";=" // in the draft, "&" is an xalpha
	}
	if i := strings.IndexAny(host, delimiters); i >= 0 && f.URL.Facts().Has(locus.Internet) && offset == f.URL.HostOffset() {
		text := host[i : i+1]
		f.Add("missing-slash", f.Section("RFC 1738 5", "hostname"), offset+i, text, `a host ends with "/": write one before "`+text+`"`)
		host = host[:i]
	}
	switch {
	case host == "":
		f.Add("empty-host", f.Section("RFC 1738 3.1", "host"), offset, "", "missing host: write its name or address")
		return
	case host[0] == '[':
		f.Add("ipv6-address", f.Section("RFC 1738 5", "host"), offset, host, "RFC 1738 has no IPv6 addresses (RFC 3986 3.2.2 has them): write the host's name")
		return
	case len(host) > locus.MaxHost:
		f.Impossible("long-host", "RFC 1034 3.1", offset, host, "a hostname has at most 253 octets")
	}
	labels := strings.Split(host, ".")
	numeric := true
	for _, label := range labels {
		numeric = numeric && label != "" && octet.All(label)&octet.Digit != 0
	}
	if numeric {
		f.hostNumber(labels, host, offset)
		return
	}
	if f.Profile == locus.RFC1630 {
		f.checkDraftHost(offset, host)
	} else {
		f.checkLabels(offset, labels)
	}
	for _, label := range labels {
		if len(label) > locus.MaxLabel {
			f.Impossible("long-label", "RFC 1034 3.1", offset, label, "a label of a host has at most 63 octets")
		}
		offset += len(label) + 1
	}
}

// checkLabels checks the labels of a host that begins at offset.
func (f *Findings) checkLabels(offset int, labels []string) {
	for i, label := range labels {
		last := i == len(labels)-1
		switch {
		case label == "" && last && i > 0:
			f.Add("host", "RFC 1738 5", offset-1, ".", "a host must not end with a dot: remove it")
		case label == "":
			f.Add("host", "RFC 1738 5", offset, "", "a label between the dots of a host can't be empty")
		case octet.All(label)&octet.Label == 0:
			f.hostChars(label, offset)
		case label[0] == '-' || label[len(label)-1] == '-':
			f.Add("host", "RFC 1738 5", offset, label, "a label of a host begins and ends with a letter or digit")
		case last && !octet.Is(label[0], octet.Alpha):
			f.Add("host", "RFC 1738 5", offset, label, "the last label of a host begins with a letter, unless the host is four numbers")
		}
		offset += len(label) + 1
	}
}

// checkDraftHost checks a host that begins at offset by the rules of the URI draft:
//
//	hostname = ialpha [ . hostname ]
//	ialpha   = alpha [ xalphas ]
//
// A dot is an xalpha, so a hostname consists of a letter and xalphas. However, most xalphas
// never occur in real hostnames.
func (f *Findings) checkDraftHost(offset int, host string) {
	if class := octet.Of(host[0]); class&octet.Alpha == 0 && class&octet.Xalpha != 0 {
		f.Add("host", "URI draft, hostname", offset, host[:1], "a host begins with a letter, unless it is four numbers")
	}
	for i := 0; i < len(host); {
		o, size := Octet(host, i)
		if at := offset + i; size > 1 && (o <= ' ' || o == 0x7F) {
			f.Impossible("host", "RFC 1034 3.1", at, host[i:i+size], "a hostname can't have a control character or a space")
		}
		if octet.Of(host[i])&octet.Xalpha == 0 {
			f.hostChars(host[i:i+1], offset+i)
		}
		i += size
	}
}

func (f *Findings) hostChars(label string, offset int) {
	for i := 0; i < len(label); i++ {
		c, text := label[i], label[i:i+1]
		class := octet.Of(c)
		switch {
		case class&octet.Label != 0:
		case class&octet.High != 0:
			f.Add("not-us-ascii", f.Section("RFC 1738 2.2", unsafeSection), offset+i, text, `a host is US-ASCII: write the name's "xn--" form`)
		default:
			f.Add("host", f.Section("RFC 1738 5", "hostname"), offset+i, text, strconv.Quote(text)+" can't be in a host")
		}
	}
}

func (f *Findings) hostNumber(numbers []string, host string, offset int) {
	if len(numbers) != 4 {
		f.Add("host", f.Section("RFC 1738 5", "hostnumber"), offset, host, "an IPv4 address is four numbers")
		return
	}
	for _, n := range numbers {
		switch significant := strings.TrimLeft(n, "0"); {
		case len(significant) > 3 || len(significant) == 3 && significant > "255":
			f.Impossible("address-octet", "RFC 1738 3.1", offset, n, "each number of an IPv4 address is at most 255")
		case len(n) > 1 && n[0] == '0':
			f.Note("address-zeros", "RFC 1738 5", offset, n, "leave out the leading zeros: the number is decimal, but some programs read it as octal")
		}
		offset += len(n) + 1
	}
}

func (f *Findings) port() {
	text, ok := f.URL.PortText()
	offset := f.URL.HostOffset() + len(f.URL.Host())
	n, _ := f.URL.Port()
	switch {
	case !ok:
	case text == "":
		f.Add("empty-port", f.Section("RFC 1738 3.1", "port"), offset, ":", `write a port after ":", or leave out the ":"`)
	case n == 0:
		f.Impossible("port-zero", "RFC 1738 3.1", offset+1, text, "a port is 1 to 65535")
	}
}

// IsGroup reports whether text is a newsgroup name as in the news and nntp URLs of section 5:
//
//	group = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
func IsGroup(text string) bool {
	return text != "" && octet.Is(text[0], octet.Alpha) && octet.All(text)&octet.Group != 0
}

// Group adds the findings about a newsgroup name that begins at offset. In the URI draft, a
// newsgroup name consists of a letter and xalphas.
func (f *Findings) Group(offset int, text string) {
	section, set := "RFC 1738 5", octet.Group
	if f.Profile == locus.RFC1630 {
		section, set = "URI draft, group", octet.Xalpha
	}
	if text == "" {
		f.Add("group", section, offset, "", "write the name of a newsgroup")
		return
	}
	isLetter := octet.Is(text[0], octet.Alpha)
	if !isLetter && (octet.Is(text[0], set) || f.Profile == locus.RFC1630) {
		f.Add("group", section, offset, text[:1], "a newsgroup's name begins with a letter, not with "+strconv.Quote(text[:1]))
	}
	if !isLetter && f.Profile == locus.RFC1630 { // RFC 1630 does not accept an escape as a letter
		offset, text = offset+1, text[1:]
	}
	f.Chars("group", offset, text, set)
}
