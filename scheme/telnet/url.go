package telnet

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
)

// Default ports of the three schemes (RFC 1738 section 3.8; the ports that are
// assigned to rlogin and Telnet).
const (
	TelnetPort = 23
	RloginPort = 513
	TN3270Port = 23
)

// URL is a telnet, rlogin or tn3270 URL. It is a comparable value; the zero URL
// is none.
type URL struct {
	url            locus.URL
	user, password string
}

// Parse reads u as a URL of one of the three schemes. The error is a
// [*locus.SyntaxError]: u has another scheme, or no "//" and host.
func Parse(u locus.URL) (URL, error) {
	switch u.Scheme() {
	case "telnet", "rlogin", "tn3270":
	default:
		return URL{}, u.Errorf(0, "scheme", "%w: it is no telnet, rlogin or tn3270 URL", locus.ErrForm)
	}
	switch {
	case !u.Facts().Has(locus.Internet):
		return URL{}, u.Errorf(u.PathOffset(), "login", `%w: "//" and a host follow the ":"`, locus.ErrForm)
	case u.Host() == "":
		return URL{}, u.Errorf(u.HostOffset(), "host", `%w: a host's name follows "//"`, locus.ErrForm)
	case u.MissingSlash():
		return URL{}, u.Errorf(u.PathOffset(), "telneturl", `%w: nothing but "/" follows the host`, locus.ErrForm)
	}
	user, _ := u.User()
	password, _ := u.Password()
	return URL{url: u, user: bnf.Decode(user), password: bnf.Decode(password)}, nil
}

// URL returns the URL as it was parsed.
func (t URL) URL() locus.URL { return t.url }

// User returns the user name, decoded. ok reports whether there is one, perhaps
// empty. It may hold any octets; [URL.Advice] is for use.
func (t URL) User() (user string, ok bool) {
	_, ok = t.url.User()
	return t.user, ok
}

// Password returns the password, decoded. ok reports whether there is one, perhaps
// empty. It may hold any octets, and is never sent by itself.
func (t URL) Password() (password string, ok bool) {
	_, ok = t.url.Password()
	return t.password, ok
}

// Advice returns the user name that the URL suggests, in a form that may be shown
// and given to a program; it is empty if there is none. The error is a
// [*locus.SyntaxError] that wraps [locus.ErrValue]: the name begins with "-", or
// an octet of it is outside 20 to 7E and A0 to FE hexadecimal.
func (t URL) Advice() (user string, err error) {
	text, _ := t.url.User()
	offset := len(t.url.Scheme()) + len("://")
	if t.user != "" && t.user[0] == '-' {
		return "", t.url.Errorf(offset, "user", `%w: a user name that begins with "-" is read as an option`, locus.ErrValue)
	}
	if i := nextImpossible(text, 0); i < len(text) {
		return "", t.url.Errorf(offset+i, "user", "%w: an octet that can't be in a user name", locus.ErrValue)
	}
	return t.user, nil
}

// nextImpossible returns where in text, from i on, the next octet is, escaped or
// not, that can't be in a user name, or the length of text.
func nextImpossible(text string, i int) int {
	for i < len(text) {
		c, size := bnf.Octet(text, i)
		if c < ' ' || c >= 0x7F && c < 0xA0 || c == 0xFF {
			return i
		}
		i += size
	}
	return i
}

// Parts are what a URL of the three schemes is made of, decoded.
type Parts struct {
	Scheme   string  // "telnet", "rlogin" or "tn3270"; empty: "telnet"
	User     *string // nil: none
	Password *string // nil: none; only with User
	Host     string  // needed
	Port     uint16  // 0: the default
}

// URL makes the URL, with the final "/". The error is a [*locus.SyntaxError]: the
// scheme is none of the three, Host is no host, or there is a password without a
// user.
func (p Parts) URL() (URL, error) {
	slash := ""
	parts := locus.Parts{
		Scheme:   p.Scheme,
		User:     bnf.EncodeUser(p.User),
		Password: bnf.EncodeUser(p.Password),
		Host:     p.Host,
		Port:     p.Port,
		Path:     &slash,
	}
	if p.Scheme == "" {
		parts.Scheme = "telnet"
	}
	u, err := parts.URL()
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}
