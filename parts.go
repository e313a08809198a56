package locus

import (
	"fmt"
	"strconv"

	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
)

// Parts are the parts of a URL as URL text, already encoded. [Parts.URL] builds and checks the
// URL. A nil pointer means that the part is absent, and a pointer to "" that the part is
// empty.
type Parts struct {
	Scheme   string
	User     *string
	Password *string // requires a User
	Host     string
	Port     uint16  // 0 if absent
	Path     *string // url-path, without the "/" before it
	Fragment *string

	// SchemePart is the whole scheme-specific part of a URL without "//". User,
	// Password, Host, Port and Path must then be absent.
	SchemePart *string
}

// URL returns the URL with these parts. URL returns a [*SyntaxError] about the joined text if
// parsing that text would not return each part unchanged. For example, a "/" in the host or a
// "#" in the path is an error.
func (p Parts) URL() (URL, error) {
	b := make([]byte, 0, 128)
	b = append(append(b, p.Scheme...), ':')
	if p.SchemePart != nil {
		if p.User != nil || p.Password != nil || p.Host != "" || p.Port != 0 || p.Path != nil {
			return URL{}, NewSyntaxError(string(b), len(b), "schemepart", fmt.Errorf("%w: a URL with SchemePart has no other parts than Scheme and Fragment", ErrForm))
		}
		b = append(b, *p.SchemePart...)
	} else {
		b = append(b, "//"...)
		if p.User == nil && p.Password != nil {
			return URL{}, NewSyntaxError(string(b), len(b), "user", fmt.Errorf("%w: a password needs a user", ErrForm))
		}
		if p.User != nil {
			b = append(b, *p.User...)
			if p.Password != nil {
				b = append(append(b, ':'), *p.Password...)
			}
			b = append(b, '@')
		}
		b = append(b, p.Host...)
		if p.Port != 0 {
			b = strconv.AppendUint(append(b, ':'), uint64(p.Port), 10)
		}
		if p.Path != nil {
			b = append(append(b, '/'), *p.Path...)
		}
	}
	if p.Fragment != nil {
		b = append(append(b, '#'), *p.Fragment...)
	}
	text := string(b)
	u, err := Parse(text)
	if err == nil {
		part, ok := p.differs(u)
		if !ok {
			return u, nil
		}
		err = u.Errorf(0, part, "%w: the %s would be read as another part: encode the delimiters in it", ErrForm, partNames[part])
	}
	err.(*SyntaxError).Input = truncateInput(p.maskedText(text), err)
	return URL{}, err
}

// maskedText returns text, which was built from p, with each octet of the password as "*". The
// offset of the password follows from p, even if text parses differently.
func (p Parts) maskedText(text string) string {
	if p.Password == nil {
		return text
	}
	start := len(p.Scheme) + len("://") + len(*p.User) + len(":")
	return maskSpans(text, []span{{start, start + len(*p.Password)}})
}

// partNames maps each part name that [Parts.differs] returns to the name of a field of Parts.
var partNames = map[string]string{
	"scheme": "Scheme", "fragmentid": "Fragment", "schemepart": "SchemePart", "user": "User", "password": "Password",
	"host": "Host", "port": "Port", "urlpath": "Path",
}

// differs returns the first part of u that differs from p.
func (p Parts) differs(u URL) (part string, ok bool) {
	same := func(want *string, got string, has bool) bool {
		return has == (want != nil) && (want == nil || *want == got)
	}
	user, hasUser := u.User()
	password, hasPassword := u.Password()
	path, hasPath := u.Path()
	fragment, hasFragment := u.Fragment()
	port, _ := u.Port()
	switch {
	case u.text[:u.colon()] != p.Scheme:
		return "scheme", true
	case !same(p.Fragment, fragment, hasFragment):
		return "fragmentid", true
	case p.SchemePart != nil:
		return "schemepart", u.SchemePart() != *p.SchemePart || u.Facts().Has(Internet)
	case !same(p.User, user, hasUser):
		return "user", true
	case !same(p.Password, password, hasPassword):
		return "password", true
	case u.Host() != p.Host:
		return "host", true
	case port != p.Port:
		return "port", true
	case !same(p.Path, path, hasPath):
		return "urlpath", true
	}
	return "", false
}

// Parts returns the parts of u.
func (u URL) Parts() Parts {
	if u.IsZero() {
		return Parts{}
	}
	present := func(text string, ok bool) *string {
		if !ok {
			return nil
		}
		return &text
	}
	p := Parts{Scheme: u.text[:u.colon()], Fragment: present(u.Fragment())}
	if !u.Facts().Has(Internet) {
		p.SchemePart = present(u.SchemePart(), true)
		return p
	}
	p.User, p.Password = present(u.User()), present(u.Password())
	p.Host = u.Host()
	p.Port, _ = u.Port()
	p.Path = present(u.Path())
	return p
}

// EncodeUser returns octets as the text of a user or password. EncodeUser encodes ":", "@" and
// "/" (section 3.1), and also ";", "?", "&" and "=", because some parsers read them as
// delimiters.
func EncodeUser(octets string) string { return escape.Encode(octets, escape.Unreserved()) }

// IsHost reports whether text is a hostname, an IPv4 address (section 5), or an IPv6 address
// in brackets. IsHost does not resolve the host.
func IsHost(text string) bool {
	if text != "" && text[0] == '[' {
		return addressEnd(text, 0) == len(text)
	}
	end, shape := octet.Host(text, 0)
	return end == len(text) && hostFacts(text, 0, end, shape) != 0
}

// IsScheme reports whether text is the name of a scheme in lower case.
func IsScheme(text string) bool {
	return text != "" && octet.All(text)&octet.Scheme != 0 && octet.ToLower(text) == text
}
