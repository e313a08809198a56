package lens

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
)

// Confusion names a part or construct of a URL that parsers read differently.
type Confusion string

const (
	SchemeName  Confusion = "scheme"       // the name of the scheme, or its absence
	Slashes     Confusion = "slashes"      // fewer or more than two "/" before the host
	Backslash   Confusion = "backslash"    // "\" read as "/", or as any character
	Userinfo    Confusion = "userinfo"     // the end of the login
	Percent     Confusion = "percent"      // escapes that only some parsers decode
	HostName    Confusion = "host"         // the name of the host, or its absence
	HostChars   Confusion = "host-chars"   // characters that end the host, are rejected or are escaped, depending on the parser
	Punycode    Confusion = "punycode"     // labels that only look like A-labels
	IPv4        Confusion = "ipv4"         // octal, hexadecimal or short addresses
	IPv6        Confusion = "ipv6"         // brackets, zones, IPv4 addresses in IPv6 addresses
	UnicodeHost Confusion = "unicode-host" // characters that some parsers map to others
	Control     Confusion = "control"      // control characters and spaces
	PortNumber  Confusion = "port"         // more than one ":", a number out of range
	Fragment    Confusion = "fragment"     // "#" before the path
	DotSegments Confusion = "dot-segments" // "." and ".." in the path
	Query       Confusion = "query"        // "?" as the end of the path or a part of it
	TrailingDot Confusion = "trailing-dot" // a dot at the end of the host
)

// Confusions returns all confusions, each with a sentence that explains the disagreement.
func Confusions() []ConfusionText { return slices.Clone(confusions) }

// ConfusionText explains a Confusion.
type ConfusionText struct {
	Confusion Confusion
	Text      string
}

var confusions = []ConfusionText{
	{SchemeName, "Parsers disagree on the scheme."},
	{Slashes, `Some parsers want exactly two "/" before the host, others skip or add some.`},
	{Backslash, `Some parsers take "\" for "/".`},
	{Userinfo, `Parsers disagree where user and password end and the host begins.`},
	{Percent, "Some parsers decode escapes that others keep."},
	{HostName, "Parsers disagree on the host."},
	{HostChars, "Parsers disagree which characters a host may have."},
	{Punycode, `Parsers disagree which labels that begin with "xn--" are valid.`},
	{IPv4, "Some parsers take the host for an IPv4 address in another spelling, others for a name."},
	{IPv6, "Parsers disagree on the IPv6 address."},
	{UnicodeHost, "Some parsers replace characters of the host with others."},
	{Control, "Some parsers remove or replace a control character or blank, others keep it."},
	{PortNumber, "Parsers disagree on the port."},
	{Fragment, `Parsers disagree where "#" ends the host or the path.`},
	{DotSegments, `Some parsers remove "." and ".." from the path, others keep them.`},
	{Query, `Some parsers begin a query at "?", others keep it in another part.`},
	{TrailingDot, "Some parsers remove the dot at the end of the host."},
}

func (c Confusion) text() string {
	i := slices.IndexFunc(confusions, func(t ConfusionText) bool { return t.Confusion == c })
	if i < 0 {
		return "Readers differ."
	}
	return confusions[i].Text
}

// confusion returns the cause of differences between the results for url.
func confusion(url string, differences []string, accepted []meaning) Confusion {
	colon := strings.IndexByte(url, ':')
	rest := url[colon+1:]
	head, tail := splitHead(rest)
	inContact := slices.ContainsFunc(differences, func(part string) bool {
		return slices.Index(PartNames(), part) < slices.Index(PartNames(), "path")
	})
	if !inContact {
		return tailConfusion(tail, differences)
	}
	at := strings.LastIndexByte(head, '@')
	hosts := hostsOf(accepted)
	switch {
	case hasControl(url[:colon+1]+head) || hasControl(trimmedText(url)):
		return Control
	case strings.Contains(url[:len(url)-len(tail)], `\`):
		return Backslash
	case slices.Contains(differences, "scheme"):
		return SchemeName
	case slashes(rest) != 2 && slices.Contains(differences, "host"):
		return Slashes
	case strings.Contains(head, "#"):
		return Fragment
	case strings.ContainsAny(head[:at+1], "?;") || strings.Count(head, "@") > 1:
		return Userinfo
	case strings.Contains(head[at+1:], "["), slices.ContainsFunc(hosts, func(h string) bool { return strings.Count(h, ":") > 1 }):
		return IPv6
	case !isASCII(head[at+1:]):
		return UnicodeHost
	case strings.Contains(head[at+1:], "%"):
		return Percent
	case slices.Contains(differences, "host") && differOnlyInDots(hosts):
		return TrailingDot
	case slices.Contains(differences, "host") && slices.ContainsFunc(hosts, isNumeric):
		return IPv4
	case slices.Contains(differences, "host") && hasOddCharacter(head[at+1:]):
		return HostChars
	case slices.Contains(differences, "host") && strings.Contains(lowerASCII(head[at+1:]), "xn--"):
		return Punycode
	case slices.Contains(differences, "port"):
		return PortNumber
	case at >= 0:
		return Userinfo
	case strings.Contains(head, "?"):
		return Query
	case strings.Contains(head, ":"):
		return PortNumber
	case slices.Contains(differences, "host"):
		return HostName
	}
	return ""
}

// hasOddCharacter reports whether text contains an unusual character for a hostname. An
// unusual character is "_", or a character that is neither valid in a hostname nor a delimiter
// after a hostname.
func hasOddCharacter(text string) bool {
	text, _, _ = strings.Cut(text, "?")
	return strings.ContainsFunc(text, func(r rune) bool { return r < 0x80 && !isAlphanumeric(byte(r)) && !strings.ContainsRune(".-:", r) })
}

// tailConfusion returns the cause of differences after the host.
func tailConfusion(tail string, differences []string) Confusion {
	switch {
	case hasControl(tail):
		return Control
	case strings.Contains(tail, `\`):
		return Backslash
	case hasDotSegment(tail):
		return DotSegments
	case slices.Contains(differences, "query") && strings.Contains(tail, "?"):
		return Query
	case strings.Contains(tail, "#") && slices.Contains(differences, "fragment"):
		return Fragment
	case strings.Contains(tail, "%"):
		return Percent
	case strings.HasPrefix(tail, "//"):
		return Slashes
	}
	return ""
}

// splitHead splits the text after the scheme at the first "/" after its leading slashes.
// head has no leading slashes.
func splitHead(rest string) (head, tail string) {
	start := len(rest) - len(strings.TrimLeft(rest, "/\\\t\r\n"))
	end := strings.IndexByte(rest[start:], '/')
	if end < 0 {
		return rest[start:], ""
	}
	return rest[start : start+end], rest[start+end:]
}

func slashes(rest string) int { return len(rest) - len(strings.TrimLeft(rest, "/")) }

// trimmedText returns the text that a parser that trims a URL removes.
func trimmedText(url string) string {
	inner := strings.TrimFunc(url, isControl)
	before, after, _ := strings.Cut(url, inner)
	return before + after
}

func isControl(r rune) bool { return r <= ' ' || r == 0x7F }

func hasControl(text string) bool { return strings.ContainsFunc(text, isControl) }

// hasDotSegment reports whether a segment of the path is "." or "..", possibly escaped.
func hasDotSegment(path string) bool {
	path, _, _ = strings.Cut(path, "#")
	path, _, _ = strings.Cut(path, "?")
	for segment := range strings.SplitSeq(unescape(path), "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

func hostsOf(list []meaning) (hosts []string) {
	for _, m := range list {
		if !slices.Contains(hosts, m.parts["host"]) {
			hosts = append(hosts, m.parts["host"])
		}
	}
	return hosts
}

// differOnlyInDots reports whether the hosts differ only in a dot at their end.
func differOnlyInDots(hosts []string) bool {
	for _, h := range hosts {
		if strings.TrimSuffix(h, ".") != strings.TrimSuffix(hosts[0], ".") {
			return false
		}
	}
	return true
}

// isNumeric reports whether a program may read host as an IPv4 address: its last label
// is a number (URL Standard section 3.5).
func isNumeric(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if digits, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// explain explains the differences in r. If two parsers accept the URL and have different
// targets, targetPair holds their indexes; otherwise it is nil. If the scheme of the URL needs no
// host, hostless is that scheme; otherwise hostless is "".
func (l *Lens) explain(r *Report, targetPair []int, hostless string) string {
	cause := r.Confusion.text()
	if hostless != "" {
		return fmt.Sprintf("%s Harmless: a URL of the scheme %s needs no host, and a filter sees the scheme.", cause, hostless)
	}
	byScheme := slices.Contains(r.Differences, "scheme")
	var names, targets []string
	some, none := "", false // a target with a host; whether any parser finds no host
	for _, a := range r.Masked().Results {
		if !a.OK {
			continue
		}
		m := l.meaning(a.ParseResult)
		names, targets = append(names, a.Name), append(targets, m.target(byScheme))
		none = none || m.hasNoHost()
		if some == "" && m.parts["host"] != "" {
			some = m.target(byScheme)
		}
	}
	switch {
	case targetPair != nil:
	case some == "":
		return cause + " Harmless: no parser contacts a host."
	case none:
		return fmt.Sprintf("%s Harmless: each that finds a host contacts %s.", cause, some)
	default:
		return fmt.Sprintf("%s Harmless: each contacts %s.", cause, some)
	}
	a, b := targetPair[0], targetPair[1]
	return fmt.Sprintf("%s Dangerous: %s contacts %s, %s contacts %s.", cause, names[a], targets[a], names[b], targets[b])
}

// target describes the target of m for a message.
func (m meaning) target(withScheme bool) string {
	text := "no host"
	if host := m.parts["host"]; host != "" {
		if text = host; len(host) > locus.MaxHost {
			text = strings.ToValidUTF8(host[:locus.MaxLabel], "") + "..."
		}
		if port := m.parts["port"]; port != "" {
			text += " port " + port
		}
	}
	switch {
	case !withScheme:
		return text
	case m.parts["scheme"] == "":
		return text + " without a scheme"
	}
	return text + " by " + m.parts["scheme"]
}
