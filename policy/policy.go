package policy

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

// Origin describes where a URL was found, which decides where the URL may lead.
type Origin uint8

const (
	// Typed means that a person entered the URL, or the program chose it.
	Typed Origin = iota
	// FromPrivate means that the URL comes from a link or a redirect, and that the client
	// dialed no public address to reach that link or redirect.
	FromPrivate
	// FromPublic means that the URL comes from a link or a redirect, and that the client
	// dialed a public address to reach that link or redirect.
	FromPublic
)

func (o Origin) String() string { return [...]string{"typed", "private", "public"}[min(o, FromPublic)] }

// Rules contains the settings of a [Policy]. The zero Rules implement a cautious
// interpretation of RFC 1738 section 6.
type Rules struct {
	// AllowPrivate allows addresses that are not public, for URLs of any origin.
	// AllowPrivate does not allow link-local addresses (see LinkLocal).
	AllowPrivate bool
	// TypedPrivate allows the same addresses as AllowPrivate, but only for URLs with the
	// origin Typed or FromPrivate.
	TypedPrivate bool
	// LinkLocal makes AllowPrivate and TypedPrivate apply also to link-local addresses. These
	// are 169.254.0.0/16, fe80::/10 and addresses with a zone. LinkLocal also includes cloud
	// metadata services at other private addresses. A metadata service may give the credentials
	// of its machine to any program. LinkLocal has no effect without AllowPrivate or
	// TypedPrivate.
	LinkLocal bool
	// Ports lists additional allowed ports. The policy always allows the scheme's own port. It
	// also allows each port from 1024 up that does not belong to a service on the deny list.
	Ports []uint16
	// Passwords allows URLs that contain a password.
	Passwords bool
	// Files allows file URLs that are Typed, or that were found in a file.
	Files bool
	// MaxHops is the maximum number of consecutive redirects. Zero means 20, as in browsers
	// (Fetch Standard 4.4).
	MaxHops int
}

// maxHops is the default of Rules.MaxHops.
const maxHops = 20

// Policy judges URLs and addresses. It is an immutable value and may be used concurrently.
// The zero Policy applies the zero [Rules].
type Policy struct{ rules Rules }

// New returns a policy. New fails if a port is 0 or MaxHops is negative.
func New(r Rules) (Policy, error) {
	switch {
	case slices.Contains(r.Ports, 0):
		return Policy{}, errors.New("policy: port 0 is out of range (1-65535)")
	case r.MaxHops < 0:
		return Policy{}, fmt.Errorf("policy: invalid maximum of %d redirects: write 0 for the default (%d), or a positive number", r.MaxHops, maxHops)
	}
	r.Ports = slices.Clone(r.Ports)
	return Policy{rules: r}, nil
}

// ForConfiguredServer returns the policy for a server that the program or its configuration
// names. The address of the server need not be public, but a link-local address requires
// Rules.LinkLocal. For URLs that the server returns, the caller must use the policy p
// itself.
func (p Policy) ForConfiguredServer() Policy {
	p.rules.TypedPrivate = true
	return p
}

// Target is a URL with the properties of its scheme that the policy needs. For each field
// except URL, the zero value is the strictest value.
type Target struct {
	URL locus.URL
	// Reach describes what a client needs to open the URL: a file, the network or neither.
	Reach Reach
	// Reads reports whether opening the URL does nothing but read data. If Reads is false,
	// opening the URL starts a session or composes a message, which only a person may
	// request (RFC 1738 section 3.8).
	Reads bool
	// Port is the default port of the scheme, or 0 if there is no default port.
	Port uint16
	// OtherPort is a second port that the scheme may use for this URL, or 0 if there is no such
	// port.
	OtherPort uint16
	// Encoded reports that a request contains the URL as written, so the server receives no
	// decoded bytes. If Encoded is true, a redirect to the URL may use any port. The field
	// is true for http and https.
	Encoded bool
	// OffPort contains the control characters that a client may send to ports other than
	// Port.
	OffPort escape.Set
	// OffPortTexts contains encoded texts, in upper case. A client may also send the
	// control characters in these texts to ports other than Port.
	OffPortTexts []string
}

// Reach describes what a client needs to open a URL.
type Reach uint8

const (
	// Files means that the client opens a file on this machine.
	Files Reach = iota
	// Network means that the client connects to a server.
	Network
	// Memory means that the client needs neither a file nor a server, because the URL
	// contains the resource or composes a message.
	Memory
)

// port returns the port of the target, or 0 if the port is unknown.
func (t Target) port() uint16 {
	if n, ok := t.URL.Port(); ok {
		return n
	}
	return t.Port
}

func (t Target) isOff() bool {
	n, written := t.URL.Port()
	return written && n != t.Port
}

// CheckURL judges the target t before any lookup or request. If a scheme has no default
// port, its URLs may lack a host. The error is a [*DeniedError].
//
// CheckURL denies a file URL with the origin FromPublic. [Policy.CheckRedirect] decides
// whether a particular link or redirect may lead to a file, because it knows the resource
// that contains the link.
func (p Policy) CheckURL(t Target, z Origin) error {
	u := t.URL
	if u.IsZero() {
		return deny(u, "url", "there is no URL", "")
	}
	if _, ok := u.Password(); ok && !p.rules.Passwords {
		return deny(u, "password", "a password in a URL appears in logs and histories",
			"leave it out; the client prompts for it if the server requires one")
	}
	if t.Reach == Files {
		// The file opener checks the host.
		return p.checkFile(u, z)
	}
	if !u.Facts().Has(locus.Internet) {
		return nil
	}
	if err := p.checkHost(u, t.Port == 0, z); err != nil {
		return err
	}
	if err := p.checkPort(t); err != nil {
		return err
	}
	return p.checkData(t)
}

// checkData denies control characters if the port is not the default port of the scheme. Servers of
// the scheme read control characters as data. But a server for another protocol may read CR LF as
// the end of a line, and the text after it as a command (RFC 1738 section 6).
func (p Policy) checkData(t Target) error {
	port := t.port()
	if !t.isOff() || slices.Contains(p.rules.Ports, port) {
		return nil
	}
	triplet, ok := t.findControl()
	if !ok {
		return nil
	}
	reason := fmt.Sprintf("the control character %s must not be sent to port %d", triplet, port)
	if t.Port != 0 {
		reason = fmt.Sprintf("%s URLs must not contain the control character %s on ports other than %d", t.URL.Scheme(), triplet, t.Port)
	}
	return denyPort(t.URL, "data", reason, port)
}

// findControl returns the first escape in t of a control character that a client may send only to
// the default port of the scheme. findControl also finds control characters that are escaped
// twice, because some openers decode a name twice for old servers.
func (t Target) findControl() (triplet string, ok bool) {
	if t.Encoded {
		return "", false
	}
	text := strings.ToUpper(t.URL.WithoutFragment().SchemePart())
	for _, allowed := range t.OffPortTexts {
		text = strings.ReplaceAll(text, allowed, ";")
	}
	for i := 0; i+2 < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		end := i + 1
		for strings.HasPrefix(text[end:], "25") {
			end += 2
		}
		if end+2 > len(text) {
			break
		}
		n, err := strconv.ParseUint(text[end:end+2], 16, 8)
		if o := byte(n); err == nil && (o < ' ' || o == 0x7F) && !t.OffPort.Has(o) {
			return text[i : end+2], true
		}
	}
	return "", false
}

func (p Policy) checkFile(u locus.URL, z Origin) error {
	switch {
	case !p.rules.Files:
		return deny(u, "file", "access to local files is not allowed", "")
	case z == FromPublic:
		return denyFollowedFile(u)
	}
	return nil
}

func denyFollowedFile(u locus.URL) error {
	return deny(u, "file", "only a local file may link to a local file", "enter the URL yourself to open it")
}

// checkHost judges the text of the host. CheckAddr judges the addresses of the host.
func (p Policy) checkHost(u locus.URL, mayLack bool, z Origin) error {
	host := withoutDot(u.Host())
	if host == "" && mayLack && u.Host() == "" {
		return nil
	}
	address, bracketed := strings.CutPrefix(host, "[")
	a, err := netip.ParseAddr(strings.TrimSuffix(address, "]"))
	switch {
	// An address in brackets must be valid in the root package and in package netip.
	case !locus.IsHost(host) || bracketed && err != nil:
		return deny(u, "host", locus.Quote(locus.Mask(u.Host()))+" is not a host",
			`write a name of letters, digits and "-", an IPv4 address such as 192.0.2.1, or an IPv6 address in brackets`)
	case err == nil:
		if what, rule := p.denialRule(a, z); rule != "" {
			return p.denyPrivate(rule, locus.Quote(u.Shown()), "its host is not a public address: "+what, z)
		}
	case !p.allowsPrivate(z):
		if what, ok := localName(host); ok {
			return p.denyPrivate("private", locus.Quote(u.Shown()), "its host is not a public name: "+what, z)
		}
	}
	return nil
}

// withoutDot removes the dot that ends a fully qualified name (RFC 3986 section 3.2.2, RFC
// 1034 section 3.1). It preserves a dot after a number, because some programs read a host
// that ends in a number as an address.
func withoutDot(host string) string {
	name, ok := strings.CutSuffix(host, ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	if !ok || last == "" || last[0] >= '0' && last[0] <= '9' {
		return host
	}
	return name
}

// loopbackText is the description of localhost, a name that needs no lookup.
const loopbackText = "loopback (RFC 6761)"

// localNames lists the domains whose names have a meaning only on one machine or network.
var localNames = [...]struct{ name, what string }{
	{"localhost", loopbackText},
	{"local", "link local (RFC 6762)"},
	{"home.arpa", "home networks (RFC 8375)"},
	{"internal", "private use (ICANN, 2024)"},
	{"localdomain", "loopback, by custom"},
}

func localName(host string) (what string, ok bool) {
	host = strings.ToLower(withoutDot(host))
	for _, n := range localNames {
		if rest, found := strings.CutSuffix(host, n.name); found && (rest == "" || strings.HasSuffix(rest, ".")) {
			return n.what, true
		}
	}
	return "", false
}

// reservedNames lists the domains that exist only in examples and tests.
var reservedNames = [...]string{"example", "test", "invalid", "example.com", "example.net", "example.org"}

// IsReserved reports whether host is reserved for examples and tests, so there is no server
// at this host. Reserved hosts are the names in RFC 2606 and RFC 6761, such as
// "www.example.com", and the addresses in RFC 5737, RFC 3849 and RFC 9637. IsReserved
// ignores case, brackets around an address, and a final dot.
func IsReserved(host string) bool {
	host = CanonicalHost(host)
	if a, err := netip.ParseAddr(trimBrackets(host)); err == nil {
		_, what := judge(a)
		return strings.HasPrefix(what, documentationText)
	}
	return slices.ContainsFunc(reservedNames[:], func(name string) bool {
		rest, found := strings.CutSuffix(host, name)
		return found && (rest == "" || strings.HasSuffix(rest, "."))
	})
}

// privateName is like localName, but also finds names with one label. A resolver may append the
// domain of its own network to such a name.
func privateName(host string) (what string, ok bool) {
	if what, ok = localName(host); ok {
		return what, ok
	}
	host = withoutDot(host)
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return "a name without a dot, which the local network completes", err != nil && host != "" && !strings.Contains(host, ".")
}

// CheckAddr judges an address of a host before the client dials the address.
// [Policy.CheckURL] judges the port. The error is a [*DeniedError].
func (p Policy) CheckAddr(a netip.AddrPort, z Origin) error {
	if what, rule := p.denialRule(a.Addr(), z); rule != "" {
		return p.denyPrivate(rule, a.String(), "not a public address: "+what, z)
	}
	return nil
}

// denialRule returns the rule that denies the address a for a URL with the origin z, or "" if the
// address is allowed. denialRule also returns a description of the address.
func (p Policy) denialRule(a netip.Addr, z Origin) (what, rule string) {
	public, what := judge(a)
	switch {
	case public:
		return what, ""
	case isLinkLocal(a) && !(p.rules.LinkLocal && p.allowsPrivate(z)):
		return what, "link-local"
	case !a.IsValid() || !p.allowsPrivate(z):
		return what, "private"
	}
	return what, ""
}

// allowsPrivate reports whether the host of a URL with the origin z may have a private
// address.
func (p Policy) allowsPrivate(z Origin) bool {
	return p.rules.AllowPrivate || p.rules.TypedPrivate && (z == Typed || z == FromPrivate)
}

func (p Policy) denyPrivate(rule, subject, reason string, z Origin) error {
	if p.rules.TypedPrivate && z != Typed {
		reason += ", and it comes from a link or redirect"
	}
	return &DeniedError{Rule: rule, Subject: subject, Reason: reason}
}

// CheckRedirect checks whether a resource may link or redirect to another resource. source is the
// target that contains the link or redirect, and dest is the new target. hops is the number of
// consecutive redirects, including this redirect. If hops is 0, the URL is a link that a person
// follows, as in a menu or a page. The caller must detect loops, and must also check the new
// target with [Policy.CheckURL]. The error is a [*DeniedError].
//
// If the scheme of a redirect (hops > 0) is not http or https, the redirect must use the
// scheme's own port, or the host and port of the redirecting resource. The redirect must
// not contain a login or a control character that the server would receive decoded, and
// must not start a session. As in browsers, a server must not redirect to a URL that is
// opened on this machine. Rules.Passwords applies to typed URLs.
//
// A redirect from an encrypted scheme to an unencrypted scheme, as from https to http, is
// allowed. After such a redirect the caller must not send a login.
func (p Policy) CheckRedirect(source, dest Target, hops int) error {
	most := p.rules.MaxHops
	if most == 0 {
		most = maxHops
	}
	u := dest.URL
	switch {
	case u.IsZero():
		return deny(u, "url", "there is no URL", "")
	case hops > most:
		return deny(u, "hops", fmt.Sprintf("more than %d redirects", most), "to open it, enter the URL yourself")
	case dest.Reach == Files && source.Reach != Files:
		return denyFollowedFile(u)
	}
	if err := p.checkLocalName(source, dest); err != nil || hops <= 0 {
		return err
	}
	// A server, not the user, chose u.
	_, user := u.User()
	triplet, control := dest.findControl()
	switch {
	case user:
		return deny(u, "login", "a redirect must not contain a user name or password", "to open it, enter the URL yourself")
	case !dest.Reads:
		return deny(u, "session", "a redirect must not start a session or compose a message", "to open it, enter the URL yourself")
	case dest.Reach == Memory && source.Reach == Network:
		return deny(u, "referral", "a server must not redirect to "+u.Scheme()+": such URLs are local", "to open it, enter the URL yourself")
	case dest.Reach == Files || dest.Encoded || !u.Facts().Has(locus.Internet):
		return nil
	case control:
		return deny(u, "data", fmt.Sprintf("a redirect must not contain the control character %s", triplet), "to open it, enter the URL yourself")
	case dest.isOff() && !isSameServer(source, dest) && !slices.Contains(p.rules.Ports, dest.port()):
		reason := fmt.Sprintf("a redirect to port %d must go to the host and port that sent it", dest.port())
		if dest.Port != 0 {
			reason = fmt.Sprintf("a redirect to %s must use port %d, or the host and port that sent it", u.Scheme(), dest.Port)
		}
		return denyPort(u, "referral", reason, dest.port())
	}
	return nil
}

// isSameServer reports whether two URLs have the same host and port.
func isSameServer(a, b Target) bool {
	return a.URL.Host() != "" && isSameHost(a.URL, b.URL) && a.port() != 0 && a.port() == b.port()
}

func isSameHost(a, b locus.URL) bool {
	return strings.EqualFold(withoutDot(a.Host()), withoutDot(b.Host()))
}

// checkLocalName denies a link from one host to the local name of another host. Otherwise a
// document could cause lookups that identify its reader or probe a private network. The name
// localhost is allowed, because it needs no lookup.
func (p Policy) checkLocalName(source, dest Target) error {
	host := dest.URL.Host()
	if p.rules.AllowPrivate || !dest.URL.Facts().Has(locus.Internet) || dest.Reach == Files || host != "" && isSameHost(dest.URL, source.URL) {
		return nil
	}
	what, ok := privateName(host)
	if !ok || what == loopbackText {
		return nil
	}
	return p.denyPrivate("private", locus.Quote(dest.URL.Shown()), "its host is not a public name: "+what, FromPublic)
}

// CheckName judges a host name from a document, such as the domain of a mail address. A
// caller must use CheckName before it looks up a name that it does not dial. The error is a
// [*DeniedError].
func (p Policy) CheckName(host string) error {
	if what, ok := privateName(host); ok && !p.rules.AllowPrivate {
		return p.denyPrivate("private", locus.Quote(host), "it is not a public name: "+what, FromPublic)
	}
	return nil
}
