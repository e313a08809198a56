package standards

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/profile/whatwg"
)

var (
	drive      = regexp.MustCompile(`/([A-Za-z])(?::|$)`)
	number     = regexp.MustCompile(`^(0[xX][0-9A-Fa-f]*|[0-9.]+)$`)
	dotSegment = regexp.MustCompile(`(^|/)\.\.?(/|$)`)
)

func isControl(text string) bool { return len(text) == 1 && (text < " " || text == "\x7f") }

// hasFault reports whether a reference violates the given rule of RFC 3986.
func hasFault(text, rule string) bool {
	for _, v := range rfc3986.Parse(text).CheckReference() {
		if v.Rule == rule {
			return true
		}
	}
	return false
}

// isIPv4 reports whether a host, after "//", is an IPv4 address.
func isIPv4(host string) bool {
	a, err := netip.ParseAddr(strings.TrimPrefix(host, "//"))
	return err == nil && a.Is4()
}

// extraDecoded decodes characters that need no escape by RFC 1738 section 2.2 (safe and extra).
func extraDecoded(text string) string {
	return strings.NewReplacer("%21", "!", "%24", "$", "%27", "'", "%28", "(", "%29", ")", "%2A", "*", "%2B", "+", "%2C", ",").Replace(text)
}

// inAuthority reports whether the fault is in the authority that the URL Standard reads.
func (d difference) inAuthority() bool {
	slashes := strings.IndexAny(d.Input, `/\`)
	end := strings.IndexAny(strings.TrimLeft(d.Input[max(slashes, 0):], `/\`), `/\?#`)
	after := len(d.Input) - len(strings.TrimLeft(d.Input[max(slashes, 0):], `/\`))
	return slashes >= 0 && d.fault.Offset >= after && (end < 0 || d.fault.Offset < after+end)
}

// withSlashes reports whether the URL Standard has the same result for the text with exactly "//"
// before the host, or for the text without the scheme if the base has the same scheme.
func (d difference) withSlashes() bool {
	rest, ok := d.slashless()
	if !ok {
		return false
	}
	scheme := d.schemeName()
	switch {
	case d.href == href(scheme+"://"+strings.TrimLeft(rest, "/"), ""):
		return true
	case d.Base != nil && strings.HasPrefix(*d.Base, scheme+":") && !d.isRelative() && d.href == d.hrefOf(rest):
		return true
	}
	path := "/" + strings.TrimPrefix(rest, "/")
	return scheme == "file" && (d.href == href("file://"+path, "") || d.Base != nil && d.href == d.hrefOf(path))
}

// hrefOf returns the URL Standard's result for another text with the same base, or "" if it
// fails.
func (o *outcome) hrefOf(text string) string {
	base := ""
	if o.Base != nil {
		base = *o.Base
	}
	return href(text, base)
}

// href returns the serialized URL of a text, or "" if the parser fails. If there is no base,
// base is "".
func href(text, base string) string {
	var b *whatwg.URL
	if base != "" {
		u, err := whatwg.Parse(base, nil)
		if err != nil {
			return ""
		}
		b = &u
	}
	u, err := whatwg.Parse(text, b)
	if err != nil {
		return ""
	}
	return u.Href()
}

// becomes reports whether the URL Standard treats the text of the fault as the given text. This is
// true if replacing one text with the other does not change the href.
func (d difference) becomes(text string) bool {
	if d.inBase {
		base := *d.Base
		return href(d.Input, base[:d.fault.Offset]+text+base[d.fault.Offset+len(d.fault.Text):]) == d.outcome.href
	}
	return d.hrefOf(d.Input[:d.fault.Offset]+text+d.Input[d.fault.Offset+len(d.fault.Text):]) == d.outcome.href
}

// escape returns the percent-encoded text of the fault.
func (d difference) escape() string {
	var b strings.Builder
	for i := range len(d.fault.Text) {
		fmt.Fprintf(&b, "%%%02X", d.fault.Text[i])
	}
	return b.String()
}

// isEscaped reports whether the URL Standard percent-encodes the text of the fault.
func (d difference) isEscaped() bool {
	return d.fault.Rule == "character" && d.becomes(d.escape()) && strings.Contains(d.outcome.href, d.escape())
}

// isKept reports whether the href contains the text of the fault unchanged: It replaces the text
// in the input with a letter, and checks that the href then contains the text one time fewer.
func (d difference) isKept() bool {
	text := d.Input[:d.fault.Offset] + "x" + d.Input[d.fault.Offset+len(d.fault.Text):]
	return !d.inBase && strings.Count(d.hrefOf(text), d.fault.Text) == strings.Count(d.outcome.href, d.fault.Text)-1
}

// hasNote reports whether the URL Standard reports the named validation error.
func (o *outcome) hasNote(name string) bool {
	for _, v := range o.notes {
		if v.Rule == name {
			return true
		}
	}
	return false
}

// schemeName returns the scheme of the href, or of the input if there is no href, in lower
// case.
func (o *outcome) schemeName() string {
	text := o.href
	if text == "" {
		text = o.Input
	}
	scheme, _ := rfc3986.Parse(text).Scheme()
	return strings.ToLower(scheme)
}

// isSpecial reports whether the URL Standard has rules for the given scheme (section 4.2).
func isSpecial(scheme string) bool {
	switch scheme {
	case "http", "https", "ws", "wss", "ftp", "file":
		return true
	}
	return false
}

// hostname returns the host that the URL Standard reads in a special URL; "" if it fails.
func hostname(host string) string {
	u, err := whatwg.Parse("http://"+host+"/", nil)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// trimmed returns the input without the characters that the URL Standard removes at its ends.
func (o *outcome) trimmed() string {
	return strings.TrimFunc(o.Input, func(r rune) bool { return r <= ' ' })
}

// joined returns the input without the tabs and line breaks that the URL Standard removes.
func (o *outcome) joined() string {
	return strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(o.Input)
}

// slashless returns the text after the scheme of the input. ok reports whether that is not
// exactly "//" and a host.
func (o *outcome) slashless() (rest string, ok bool) {
	u := rfc3986.Parse(o.Input)
	scheme, has := u.Scheme()
	rest = o.Input
	if has {
		rest = o.Input[len(scheme)+1:]
	}
	host, authority := u.Host()
	return rest, has && !authority || authority && host == ""
}
