package verify

import (
	"cmp"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// hostsOf returns the host in the URL u. For a mailto URL, it returns the domains of the valid
// addresses.
func (c *Checker) hostsOf(u locus.URL) []string {
	if !c.traits(u).Has(scheme.Composes) {
		return []string{u.Host()}
	}
	var hosts []string
	text, _, _ := strings.Cut(u.SchemePart(), "?")
	for address := range strings.SplitSeq(text, ",") {
		if len(addrspec.Faults(address)) == 0 {
			plain := decoded(address)
			hosts = append(hosts, strings.ToLower(plain[strings.LastIndexByte(plain, '@')+1:]))
		}
	}
	return hosts
}

// unresolved returns the outcome for a link to the URL u if the host must not be looked up.
// Otherwise it returns the zero Outcome. The parameter docOrigins holds the origins of the document
// that contains the link, or nil for a typed URL.
func (c *Checker) unresolved(u locus.URL, docOrigins *origins) Outcome {
	if docOrigins == nil || c.isHere(u) {
		return Outcome{}
	}
	page := docOrigins.others.URL
	switch hosts := c.hostsOf(u); {
	case !c.o.Reserved && slices.ContainsFunc(hosts, policy.IsReserved) && !policy.IsReserved(page.Host()):
		// If the page comes from a reserved host, the name may exist in the network of that host.
		return Outcome{Verdict: Ignored, Cause: ReservedName, Detail: "the host is reserved for examples"}
	case page.IsZero() || c.isFile(page):
		return c.private(u, hosts, docOrigins)
	}
	return Outcome{}
}

// private returns the outcome for a link to the URL u if the policy denies a host because it is
// private. Otherwise it returns the zero Outcome.
func (c *Checker) private(u locus.URL, hosts []string, docOrigins *origins) Outcome {
	var denied *policy.DeniedError
	switch {
	case c.client == nil:
	case !c.traits(u).Has(scheme.Composes):
		errors.As(c.client.Check(u, docOrigins.others), &denied)
	default:
		for _, host := range hosts {
			if denied == nil {
				errors.As(c.client.CheckName(strings.TrimSuffix(host, ".")), &denied)
			}
		}
	}
	switch {
	case denied == nil || !isOfPrivate(denied):
		return Outcome{}
	case denied.Rule == "link-local":
		return Outcome{Verdict: Ignored, Cause: LinkLocalHost, Detail: "the host is a link-local address"}
	}
	return Outcome{Verdict: Ignored, Cause: PrivateHost, Detail: "the host is in a private network"}
}

// isOfPrivate reports whether the policy denied a request because an address or a name is not
// public.
func isOfPrivate(e *policy.DeniedError) bool { return e.Rule == "private" || e.Rule == "link-local" }

// minMissing is the number of missing host names that indicates a missing network, if no other
// host name exists. Fewer names may all be dead.
const minMissing = 5

// lookups records which host names of a run exist. The mutex of the Verifier guards it.
type lookups struct {
	anyFound bool            // at least one host name has an address
	missing  map[string]bool // host names that do not exist, in lower case
	held     []*target       // targets with a missing host name, whose outcome is not decided yet
}

// recordHost records whether the attempt a found an address of the first host in hosts.
func (n *lookups) recordHost(hosts []string, a *attempt) {
	host := ""
	if len(hosts) > 0 {
		host = hosts[0]
	}
	if a.outcome.Cause == NoNames {
		if n.missing == nil {
			n.missing = map[string]bool{}
		}
		n.missing[policy.CanonicalHost(cmp.Or(a.outcome.To.Host(), host))] = true
	}
	if a.resolved || isFound(&a.outcome) || !a.outcome.To.IsZero() {
		n.anyFound = n.anyFound || isPublicName(host)
	}
}

// isPublicName reports whether host is a name that only DNS can resolve.
func isPublicName(host string) bool {
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err != nil && host != "" && policy.Policy{}.CheckName(host) == nil
}

// isResolved reports whether the client had resolved the host name before the attempt failed with
// err.
func isResolved(err error) bool {
	if errors.As(err, new(*net.DNSError)) || errors.As(err, new(*access.ProxyError)) {
		return false
	}
	switch access.KindOf(err) {
	case access.Denied:
		// The policy checks addresses after the lookup, and everything else before the lookup.
		denied, e := (*policy.DeniedError)(nil), (*access.Error)(nil)
		return errors.As(err, &denied) && errors.As(err, &e) && isOfPrivate(denied) && denied.Subject != locus.Quote(e.URL.Shown())
	case access.Syntax:
		return errors.Is(err, scheme.ErrProtocol)
	case access.Unsupported, access.Interrupted:
		return false
	}
	return true
}

// holdTarget delays the outcome of the target t, whose host name is missing. The method
// [Verifier.settle] decides the outcome. The caller must hold e.mu.
func (e *Verifier) holdTarget(t *target) {
	t.state = held
	e.lookups.held = append(e.lookups.held, t)
	e.startNext(t)
}

// settle finishes the targets with missing host names (the held targets). Before any host name is
// found, settle has no effect unless no other targets are left. The held targets are dead, unless
// no host name was found and at least minMissing names are missing. In the counts, a held archived
// copy replaces its original target. The caller must hold e.mu.
func (e *Verifier) settle() {
	n := &e.lookups
	isLast := e.allRead && e.added == len(e.docs) && e.progress.Done+len(n.held) == e.progress.Found
	if len(n.held) == 0 || !n.anyFound && !isLast {
		return
	}
	list := n.held
	n.held = nil
	noServer := !n.anyFound && len(n.missing) >= minMissing
	for _, t := range list {
		out := *t.outcome
		if out.Cause = 0; noServer {
			out = Outcome{Verdict: Warning, Cause: NoNames, Detail: "none of the host names in this run exists: there may be no network", Tries: out.Tries}
			t.unstored = true
		}
		t.outcome = e.intern(out)
		e.finish(t)
	}
}
