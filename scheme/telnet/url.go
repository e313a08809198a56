package telnet

import (
	"cmp"
	"fmt"
	"log/slog"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
)

// These constants are the default ports of the three schemes. They are defined in RFC 1738 section
// 3.8 or assigned to the protocols.
const (
	TelnetPort = 23
	RloginPort = 513
	TN3270Port = 23
)

// URL is a telnet, rlogin or tn3270 URL. URLs are comparable with ==, and the zero URL is invalid.
type URL struct {
	url            locus.URL
	user, password string
}

// Parse parses the URL u as a telnet, rlogin or tn3270 URL. It returns a [*locus.SyntaxError] if u
// has another scheme, or has no "//" and host.
func Parse(u locus.URL) (URL, error) {
	if err := form(u); err != nil {
		return URL{}, err
	}
	user, _ := u.User()
	password, _ := u.Password()
	return URL{url: u, user: bnf.Decode(user), password: bnf.Decode(password)}, nil
}

// form returns the error for Parse if u is not a valid URL of one of the three schemes.
func form(u locus.URL) error {
	switch u.Scheme() {
	case "telnet", "rlogin", "tn3270":
	default:
		return u.Errorf(0, "scheme", "%w: not a telnet, rlogin or tn3270 URL", locus.ErrForm)
	}
	switch {
	case !u.Facts().Has(locus.Internet):
		return u.Errorf(u.PathOffset(), "login", `%w: write "//" and a host after the ":"`, locus.ErrForm)
	case u.Host() == "":
		return u.Errorf(u.HostOffset(), "host", `%w: write a host after "//"`, locus.ErrForm)
	case u.MissingSlash():
		return u.Errorf(u.PathOffset(), "telneturl", `%w: only "/" may follow the host`, locus.ErrForm)
	}
	return nil
}

// URL returns the URL that was parsed.
func (t URL) URL() locus.URL { return t.url }

// Format writes the URL for every verb, and replaces a password with "***". See
// [github.com/locus-url/locus.Mask].
func (t URL) Format(s fmt.State, verb rune) { t.url.Format(s, verb) }

// LogValue returns the URL, in which "***" replaces a password.
func (t URL) LogValue() slog.Value { return slog.StringValue(t.url.Shown()) }

// User returns the decoded user name. The result ok reports whether the URL has a user name, which
// may be empty. The user name may contain any octets, so a program must use [URL.Advice] to show
// it.
func (t URL) User() (user string, ok bool) {
	_, ok = t.url.User()
	return t.user, ok
}

// Password returns the decoded password. The result ok reports whether the URL has a password,
// which may be empty. The password may contain any octets. A program must not send the password
// automatically.
func (t URL) Password() (password string, ok bool) {
	_, ok = t.url.Password()
	return t.password, ok
}

// Advice returns the suggested user name, or "" if there is none. The result is safe to show and
// to pass to a program. If the name begins with "-", or contains an octet outside 20 to 7E and A0
// to FE hexadecimal, Advice returns a [*locus.SyntaxError] that wraps [locus.ErrValue].
func (t URL) Advice() (user string, err error) {
	text, _ := t.url.User()
	offset := len(t.url.Scheme()) + len("://")
	if t.user != "" && t.user[0] == '-' {
		return "", t.url.Errorf(offset, "user", `%w: a user name that begins with "-" is read as an option`, locus.ErrValue)
	}
	if i := nextImpossible(text, 0); i < len(text) {
		return "", t.url.Errorf(offset+i, "user", "%w: a user name has only printable characters", locus.ErrValue)
	}
	return t.user, nil
}

// nextImpossible returns the index of the next octet that a user name cannot contain. The octet
// may be escaped. The search begins at the index i. If there is no such octet, nextImpossible
// returns len(text).
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

// Parts are the decoded parts of a telnet, rlogin or tn3270 URL.
type Parts struct {
	Scheme   string  // "telnet", "rlogin" or "tn3270"; empty means "telnet"
	User     *string // nil means no user
	Password *string // nil means no password; requires a User
	Host     string  // required
	Port     uint16  // 0 means the default port
}

// URL returns the URL with these parts and the final "/". It returns a [*locus.SyntaxError] if
// Scheme is unknown, if Host is invalid, or if there is a password without a user.
func (p Parts) URL() (URL, error) {
	slash := ""
	u, err := locus.Parts{
		Scheme:   cmp.Or(p.Scheme, "telnet"),
		User:     bnf.EncodeUser(p.User),
		Password: bnf.EncodeUser(p.Password),
		Host:     p.Host,
		Port:     p.Port,
		Path:     &slash,
	}.URL()
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}
