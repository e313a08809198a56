package telnet

import (
	"cmp"
	"fmt"
	"log/slog"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
)

// Default ports of the three schemes (RFC 1738 section 3.8; the assigned ports
// of rlogin and Telnet).
const (
	TelnetPort = 23
	RloginPort = 513
	TN3270Port = 23
)

// URL is a telnet, rlogin or tn3270 URL. It is comparable. The zero URL is invalid.
type URL struct {
	url            locus.URL
	user, password string
}

// Parse reads u as a URL of one of the three schemes. The error is a
// [*locus.SyntaxError]: u has another scheme, or no "//" and host.
func Parse(u locus.URL) (URL, error) {
	if err := form(u); err != nil {
		return URL{}, err
	}
	user, _ := u.User()
	password, _ := u.Password()
	return URL{url: u, user: bnf.Decode(user), password: bnf.Decode(password)}, nil
}

// form returns the error of Parse.
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

// URL returns the URL from which t was parsed.
func (t URL) URL() locus.URL { return t.url }

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (t URL) Format(s fmt.State, verb rune) { t.url.Format(s, verb) }

// LogValue returns the URL with "***" for a password.
func (t URL) LogValue() slog.Value { return slog.StringValue(t.url.Shown()) }

// User returns the decoded user name. ok reports whether there is one, possibly empty.
// It may contain any octets, so a program must use [URL.Advice] to show it.
func (t URL) User() (user string, ok bool) {
	_, ok = t.url.User()
	return t.user, ok
}

// Password returns the decoded password. ok reports whether there is one, possibly empty.
// It may contain any octets. A program must not send it automatically.
func (t URL) Password() (password string, ok bool) {
	_, ok = t.url.Password()
	return t.password, ok
}

// Advice returns the suggested user name, or "", in a form that is safe to show and to
// pass to a program. The error is a [*locus.SyntaxError] that wraps [locus.ErrValue]: the
// name begins with "-", or contains an octet outside 20 to 7E and A0 to FE hexadecimal.
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

// nextImpossible returns the index of the next octet, escaped or not, that a user name
// cannot contain. The search begins at i. If there is no such octet, it returns len(text).
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

// Parts are the decoded parts of a URL of the three schemes.
type Parts struct {
	Scheme   string  // "telnet", "rlogin" or "tn3270"; empty means "telnet"
	User     *string // nil if none
	Password *string // nil if none; requires a User
	Host     string  // required
	Port     uint16  // 0 means the default
}

// URL returns the URL, with the final "/". The error is a [*locus.SyntaxError]: the scheme
// is not one of the three, Host is invalid, or there is a password without a user.
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
