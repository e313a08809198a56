package submit

import (
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

// Security is how a connection to a relay is kept from others.
type Security uint8

const (
	// StartTLS begins TLS by the command STARTTLS, before anything else is said,
	// or ends (RFC 3207).
	StartTLS Security = iota
	// TLS is there from the first octet (RFC 8314 section 3.3).
	TLS
	// Clear is no security, and so without a login.
	Clear
)

// ErrRelay is that a text names no relay.
var ErrRelay = errors.New("not a relay")

// Relay is the server that takes messages from us.
type Relay struct {
	Security Security
	Host     string
	Port     uint16 // 0: that of Security, 587, 465 or 25
	User     string // who logs in; empty: nobody, unless the server wants it
}

// security holds the schemes of relays.
var security = map[string]Security{"smtp": StartTLS, "smtps": TLS, "smtp+clear": Clear}

// ParseRelay reads a relay as people write it:
//
//	smtp://user@host:587        TLS begins by STARTTLS, and must
//	smtps://user@host:465       TLS from the start
//	smtp+clear://host:25        no TLS, and no login
//
// The port may be left out. A password is refused: it is asked for. The error
// wraps [ErrRelay].
func ParseRelay(text string) (Relay, error) {
	const help = `write "smtps://user@host", "smtp://user@host" or "smtp+clear://host"`
	u, err := locus.Parse(text)
	// The text is not quoted: where it is wrong, anything in it may be a password.
	fail := func(why string) (Relay, error) { return Relay{}, fmt.Errorf("submit: %w: %s", ErrRelay, why) }
	if err != nil {
		return fail(help)
	}
	mode, ok := security[u.Scheme()]
	path, _ := u.Path()
	_, fragment := u.Fragment()
	if !ok || u.Host() == "" || !locus.IsHost(u.Host()) || path != "" || fragment {
		return fail(help)
	}
	if _, ok := u.Password(); ok {
		return fail("a password is not written there: it is asked for, or comes from netrc")
	}
	r := Relay{Security: mode, Host: trimBrackets(u.Host())}
	r.Port, _ = u.Port()
	if user, ok := u.User(); ok {
		if r.User, err = escape.Decode(user); err != nil {
			return fail(help)
		}
	}
	if mode == Clear && r.User != "" {
		return fail("there is no login without TLS")
	}
	return r, nil
}

// trimBrackets returns a host without the brackets of an IPv6 address.
func trimBrackets(host string) string {
	if len(host) > 2 && host[0] == '[' && host[len(host)-1] == ']' {
		return host[1 : len(host)-1]
	}
	return host
}

// String returns r as [ParseRelay] reads it, with its port.
func (r Relay) String() string {
	user := ""
	if r.User != "" {
		user = escape.Encode(r.User, escape.Unreserved()) + "@"
	}
	for name, mode := range security {
		if mode == r.Security {
			return name + "://" + user + r.address()
		}
	}
	return r.address()
}

// address returns host and port.
func (r Relay) address() string {
	port := r.Port
	if port == 0 {
		port = map[Security]uint16{StartTLS: 587, TLS: 465, Clear: 25}[r.Security]
	}
	return net.JoinHostPort(r.Host, strconv.Itoa(int(port)))
}
