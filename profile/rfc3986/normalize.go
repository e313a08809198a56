package rfc3986

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// Rules holds the scheme-specific normalization rules (RFC 3986 section 6.2.3). The zero Rules
// means that the scheme defines no such rules.
type Rules struct {
	// Port is the default port, which Normalize removes. Zero means that the scheme has no
	// default port.
	Port uint16
	// Root means that an empty path after an authority is equivalent to "/".
	Root bool
}

// Normalize normalizes u as in RFC 3986 sections 6.2.2 and 6.2.3. Normalize writes scheme and
// host in lower case, escapes in upper case, and an IPv6 address as in RFC 5952. Normalize
// decodes unreserved characters, and removes dot segments and a default or empty port. rules must
// return the rules for a scheme name in lower case, and may be nil. The URI should conform,
// because Normalize does not change invalid parts.
func (u URI) Normalize(rules func(scheme string) Rules) URI {
	var b strings.Builder
	b.Grow(len(u.text) + 1)
	var r Rules
	scheme, absolute := u.Scheme()
	if absolute {
		scheme = strings.ToLower(scheme)
		if rules != nil {
			r = rules(scheme)
		}
		b.WriteString(scheme + ":")
	}
	if host, ok := u.Host(); ok {
		b.WriteString("//")
		if text, ok := u.Userinfo(); ok {
			writeEscapes(&b, text)
			b.WriteByte('@')
		}
		writeHost(&b, host)
		if port := u.plainPort(); port != "" && port != strconv.Itoa(int(r.Port)) {
			b.WriteString(":" + port)
		}
	}
	var path strings.Builder
	writeEscapes(&path, u.Path())
	text := path.String()
	if absolute {
		text = removeDots(text)
	}
	if text == "" && r.Root && u.hasAuthority() {
		text = "/"
	}
	if !u.hasAuthority() && strings.HasPrefix(text, "//") {
		b.WriteString("/.") // otherwise, "//" would begin an authority (section 3.3)
	}
	b.WriteString(text)
	if text, ok := u.Query(); ok {
		b.WriteByte('?')
		writeEscapes(&b, text)
	}
	if text, ok := u.Fragment(); ok {
		b.WriteByte('#')
		writeEscapes(&b, text)
	}
	return Parse(b.String())
}

// plainPort returns the port without leading zeros.
func (u URI) plainPort() string {
	port, _ := u.Port()
	if plain := strings.TrimLeft(port, "0"); plain != "" {
		return plain
	}
	return port[:min(len(port), 1)]
}

// writeHost writes a host in lower case.
func writeHost(b *strings.Builder, host string) {
	switch a, err := netip.ParseAddr(strings.Trim(host, "[]")); {
	case err == nil && a.Is4In6(): // RFC 5952 section 5
		b.WriteString("[::ffff:" + a.Unmap().String())
	case err == nil && a.Is6():
		b.WriteString("[" + a.String())
	default:
		var plain strings.Builder
		writeEscapes(&plain, host)
		b.WriteString(toLower(plain.String()))
		return
	}
	b.WriteByte(']')
}

// toLower returns text in lower case, except for escapes.
func toLower(text string) string {
	out := []byte(text)
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '%':
			i += 2
		case 'A' <= c && c <= 'Z':
			out[i] += 'a' - 'A'
		}
	}
	return string(out)
}

// writeEscapes writes text with its escapes in upper case. writeEscapes decodes unreserved
// characters (sections 6.2.2.1 and 6.2.2.2).
func writeEscapes(b *strings.Builder, text string) {
	for {
		i := strings.IndexByte(text, '%')
		if i < 0 {
			b.WriteString(text)
			return
		}
		b.WriteString(text[:i])
		text = text[i:]
		if !octet.IsEscape(text, 0) {
			b.WriteByte('%')
			text = text[1:]
			continue
		}
		if n := octet.Unescape(text, 0); classes[n]&unreserved != 0 {
			b.WriteByte(n)
		} else {
			b.WriteString(strings.ToUpper(text[:3]))
		}
		text = text[3:]
	}
}

// removeDots removes dot segments (section 5.2.4). removeDots does not change a path that does
// not begin with "/", because such a path is not hierarchical.
func removeDots(path string) string {
	if !strings.HasPrefix(path, "/") {
		return path
	}
	var out []string
	segments := strings.Split(path[1:], "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch {
		case s == "." || s == "..":
			if s == ".." && len(out) > 0 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, s)
		}
	}
	return "/" + strings.Join(out, "/")
}

// Equal reports whether two URIs are equal after [URI.Normalize] (section 6).
func Equal(a, b URI, rules func(scheme string) Rules) bool {
	return a.Normalize(rules).text == b.Normalize(rules).text
}
