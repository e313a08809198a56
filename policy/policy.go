package policy

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/locus-url/locus"
)

// Zone says how a URL came to be opened, and so where it may lead.
type Zone uint8

const (
	// Typed: a person, or the program itself, named the URL.
	Typed Zone = iota
	// Near: it was followed (redirect, referral, menu link), and so far only
	// addresses that are not public were dialled on the way.
	Near
	// Far: it was followed, and a public address was dialled on the way.
	Far
)

func (z Zone) String() string {
	switch z {
	case Typed:
		return "typed"
	case Near:
		return "near"
	}
	return "far"
}

// Rules are what a [Policy] is made of. The zero Rules are the prudent reading of
// RFC 1738 section 6.
type Rules struct {
	// AllowPrivate allows addresses that are not public, wherever the URL comes
	// from.
	AllowPrivate bool
	// TypedPrivate allows them to a URL in zone Typed or Near; never to one in
	// zone Far.
	TypedPrivate bool
	// Ports are allowed besides the scheme's own port and those from 1024 up less
	// the deny list.
	Ports []uint16
	// Passwords allows URLs with a password in them.
	Passwords bool
	// Files allows file URLs in zone Typed, and those that are found in a file.
	Files bool
	// MaxHops is the most referrals in a row; 0: 10.
	MaxHops int
}

// maxHops is for Rules that don't say: more than any chain of servers in their
// right mind, and soon over.
const maxHops = 10

// Policy decides. It is an immutable value and may be used from many goroutines
// at once. The zero Policy is that of the zero [Rules].
type Policy struct{ rules Rules }

// New makes a policy. It is an error if a port is 0 or MaxHops is negative.
func New(r Rules) (Policy, error) {
	switch {
	case slices.Contains(r.Ports, 0):
		return Policy{}, errors.New("policy: no server has the port 0, so it can't be allowed")
	case r.MaxHops < 0:
		return Policy{}, fmt.Errorf("policy: %d referrals in a row can't be; 0 stands for %d", r.MaxHops, maxHops)
	}
	r.Ports = slices.Clone(r.Ports)
	return Policy{rules: r}, nil
}

// Configured returns p as it is for a server that a program or its configuration
// names, and no URL: such a server may be at an address that is not public. What
// it leads to is for p itself.
func (p Policy) Configured() Policy {
	p.rules.TypedPrivate = true
	return p
}

// CheckURL judges u before anything is looked up or sent. defaultPort is that of
// its scheme, 0 if it has none: then u may also be without a host. The error is a
// [*DeniedError].
//
// Whether a URL that was followed may be a file at all is for
// [Policy.CheckReferral], which knows where it was found; here, one in zone Far
// may not.
func (p Policy) CheckURL(u locus.URL, defaultPort uint16, z Zone) error {
	if u.IsZero() {
		return deny(u, "url", "there is no URL", "")
	}
	if _, ok := u.Password(); ok && !p.rules.Passwords {
		return deny(u, "password", "a password in a URL is shown and kept in many places (RFC 1738 section 6)",
			"leave it out; it is asked for when the server wants one")
	}
	if isFile(u) {
		// A file is on this machine, and the opener sees to its host.
		return p.checkFile(u, z)
	}
	if !u.Facts().Has(locus.Internet) {
		return nil
	}
	if err := p.checkHost(u, defaultPort == 0, z); err != nil {
		return err
	}
	if err := p.checkPort(u, defaultPort); err != nil {
		return err
	}
	return p.checkData(u, defaultPort)
}

// checkData judges a gopher URL that has lines to send behind its second TAB, the
// answers to a form (section 3.4.9), which another server might obey. Section 6
// warns of that where the port is not the scheme's own. Line ends anywhere else
// are for the scheme to refuse.
func (p Policy) checkData(u locus.URL, own uint16) error {
	port, written := u.Port()
	if !isGopher(u) || !written || port == own || slices.Contains(p.rules.Ports, port) {
		return nil
	}
	path, _ := u.Path()
	if parts := strings.SplitN(strings.ToLower(path), "%09", 3); len(parts) == 3 && (strings.Contains(parts[2], "%0d") || strings.Contains(parts[2], "%0a")) {
		return deny(u, "data", fmt.Sprintf("it has lines to send, and they may go to gopher's own port alone, %d", own), allowPort(port))
	}
	return nil
}

func isFile(u locus.URL) bool { return u.Scheme() == "file" }

func (p Policy) checkFile(u locus.URL, z Zone) error {
	switch {
	case !p.rules.Files:
		return deny(u, "file", "files of this machine are not opened here", "")
	case z == Far:
		return denyFollowedFile(u)
	}
	return nil
}

func denyFollowedFile(u locus.URL) error {
	return deny(u, "file", "only a file may lead to a file of this machine", "name it yourself to open it")
}

// checkHost judges the host as it is written; its addresses are CheckAddr's.
func (p Policy) checkHost(u locus.URL, mayLack bool, z Zone) error {
	host := u.Host()
	if host == "" && mayLack {
		return nil
	}
	address, bracketed := strings.CutPrefix(host, "[")
	a, err := netip.ParseAddr(strings.TrimSuffix(address, "]"))
	switch {
	// Of an address in brackets the root and netip must think alike.
	case !locus.IsHost(host) || bracketed && err != nil:
		return deny(u, "host", locus.Quote(locus.Mask(host))+" is not a host",
			`a host is a name of letters, digits and "-", four numbers up to 255 without zeros before them, or an IPv6 address in brackets`)
	case p.allowsPrivate(z):
	case err == nil:
		if public, what := judge(a); !public {
			return p.denyPrivate(locus.Quote(u.Redacted()), "its host is not a public address: "+what, z)
		}
	default:
		if what, ok := localName(host); ok {
			return p.denyPrivate(locus.Quote(u.Redacted()), "its host is not a public name: "+what, z)
		}
	}
	return nil
}

// localNames are the names, and with them all that end in "." and the name, that
// by definition mean nothing beyond a machine or a network.
var localNames = [...]struct{ name, what string }{
	{"localhost", "loopback (RFC 6761)"},
	{"local", "link local (RFC 6762)"},
	{"home.arpa", "home networks (RFC 8375)"},
	{"internal", "private use (ICANN, 2024)"},
	{"localdomain", "loopback, by custom"},
}

func localName(host string) (what string, ok bool) {
	host = strings.ToLower(host)
	for _, n := range localNames {
		if rest, found := strings.CutSuffix(host, n.name); found && (rest == "" || strings.HasSuffix(rest, ".")) {
			return n.what, true
		}
	}
	return "", false
}

// CheckAddr judges an address that a host's name turned out to have, when it is
// about to be dialled. Ports are for [Policy.CheckURL], which knows the scheme.
// The error is a [*DeniedError].
func (p Policy) CheckAddr(a netip.AddrPort, z Zone) error {
	if a.Addr().IsValid() && p.allowsPrivate(z) {
		return nil
	}
	if public, what := judge(a.Addr()); !public {
		return p.denyPrivate(a.String(), "not a public address: "+what, z)
	}
	return nil
}

// allowsPrivate reports whether a URL in zone z may lead to what is not public.
func (p Policy) allowsPrivate(z Zone) bool {
	return p.rules.AllowPrivate || p.rules.TypedPrivate && (z == Typed || z == Near)
}

func (p Policy) denyPrivate(subject, reason string, z Zone) error {
	if p.rules.TypedPrivate && z != Typed {
		reason += ", and what led there may be anybody's"
	}
	return &DeniedError{Rule: "private", Subject: subject, Reason: reason, Help: "--allow-private"}
}

// sessions are the schemes whose URLs do something that a person must ask for: an
// interactive service (RFC 1738 section 3.8), or a letter.
var sessions = [...]string{"telnet", "rlogin", "tn3270", "mailto", "mailserver"}

// gopherPort is gopher's own (RFC 1738 section 3.4), and that of gophers.
const gopherPort = 70

func isGopher(u locus.URL) bool { return u.Scheme() == "gopher" || u.Scheme() == "gophers" }

// CheckReferral judges whether what was got by from may lead on to to. hops is
// the number of referrals in a row with this one, 1 for the first; 0 is for a
// link that somebody chose to follow, as in a menu or a page. Loops are for the
// one who follows. to must pass [Policy.CheckURL] besides. The error is a
// [*DeniedError].
//
// From a secure scheme to one that is not, as from https to http, is allowed, and
// whoever follows must take no login along: see [IsSecure].
func (p Policy) CheckReferral(from, to locus.URL, hops int) error {
	most := p.rules.MaxHops
	if most == 0 {
		most = maxHops
	}
	switch {
	case to.IsZero():
		return deny(to, "url", "there is no URL", "")
	case hops > most:
		return deny(to, "hops", fmt.Sprintf("more than %d referrals in a row", most), "open it by itself")
	case isFile(to) && !isFile(from):
		return denyFollowedFile(to)
	case hops <= 0:
		return nil
	}
	// From here on, nobody chose to go there but a server.
	_, user := to.User()
	port, written := to.Port()
	switch {
	case user && !p.rules.Passwords:
		return deny(to, "login", "a referral brings a login of its own", "open it by itself")
	case slices.Contains(sessions[:], to.Scheme()):
		return deny(to, "session", "a referral may not begin a session or a letter", "open it by itself")
	case isGopher(to) && written && port != gopherPort && !slices.Contains(p.rules.Ports, port):
		// A gopher selector is sent as it is, to whatever listens there.
		return deny(to, "gopher", fmt.Sprintf("a referral may lead to gopher on its own port alone, %d", gopherPort), allowPort(port))
	}
	return nil
}

// secure are the schemes that are encrypted from end to end.
var secure = [...]string{"https", "ftps", "gophers", "nntps", "snews"}

// IsSecure reports whether what a URL of u's scheme says and gets can't be read
// on the way.
func IsSecure(u locus.URL) bool { return slices.Contains(secure[:], u.Scheme()) }
