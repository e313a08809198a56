package submit

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

// Security is the encryption of a connection to a relay.
type Security uint8

const (
	// StartTLS requires STARTTLS before any other command (RFC 3207).
	StartTLS Security = iota
	// TLS uses TLS from the start of the connection (RFC 8314 section 3.3).
	TLS
	// Clear uses neither encryption nor a login.
	Clear
)

// ErrRelay means that a text does not describe a relay.
var ErrRelay = errors.New("not a relay")

// Relay is a server that accepts messages from users.
type Relay struct {
	Security Security
	Host     string
	Port     uint16 // if 0, the default port for Security, which is 587, 465 or 25
	User     string // login name; if empty, log in only if the server requires it
}

var schemes = map[Security]string{StartTLS: "smtp", TLS: "smtps", Clear: "smtp+clear"}

// ParseRelay parses a relay:
//
//	smtp://user@host:587        STARTTLS is required
//	smtps://user@host:465       TLS from the start
//	smtp+clear://host:25        no TLS and no login
//
// The port is optional. ParseRelay rejects a URL with a password. Errors wrap [ErrRelay].
func ParseRelay(text string) (Relay, error) {
	const help = `write "smtps://user@host", "smtp://user@host" or "smtp+clear://host"`
	u, err := locus.Parse(text)
	// The error does not quote the text, because any piece of a malformed text may be a password.
	fail := func(why string) (Relay, error) { return Relay{}, fmt.Errorf("submit: %w: %s", ErrRelay, why) }
	if err != nil {
		return fail(help)
	}
	mode := StartTLS
	for mode < Clear && schemes[mode] != u.Scheme() {
		mode++
	}
	path, _ := u.Path()
	_, fragment := u.Fragment()
	if schemes[mode] != u.Scheme() || u.Host() == "" || !locus.IsHost(u.Host()) || path != "" || fragment {
		return fail(help)
	}
	if _, ok := u.Password(); ok {
		return fail("omit the password: the program prompts for it, or reads it from netrc")
	}
	r := Relay{Security: mode, Host: strings.Trim(u.Host(), "[]")}
	r.Port, _ = u.Port()
	if user, ok := u.User(); ok {
		if r.User, err = escape.Decode(user); err != nil {
			return fail(help)
		}
	}
	if mode == Clear && r.User != "" {
		return fail("a login needs TLS: omit the user, or use smtp or smtps")
	}
	return r, nil
}

// String returns r in the format that [ParseRelay] accepts, including the port.
func (r Relay) String() string {
	user := ""
	if r.User != "" {
		user = escape.Encode(r.User, escape.Unreserved()) + "@"
	}
	return schemes[r.Security] + "://" + user + r.address()
}

func (r Relay) address() string {
	port := r.Port
	if port == 0 {
		port = map[Security]uint16{StartTLS: 587, TLS: 465, Clear: 25}[r.Security]
	}
	return net.JoinHostPort(r.Host, strconv.Itoa(int(port)))
}
