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

// hostsOf returns the host of u, or the domains of its valid addresses.
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

// unresolved returns the outcome for u if its host must not be looked up. Otherwise it returns the
// zero Outcome. at holds the origins of the document with the link; it is nil for a typed URL.
func (c *Checker) unresolved(u locus.URL, at *origins) Outcome {
	if at == nil || c.isHere(u) {
		return Outcome{}
	}
	page := at.others.URL
	switch hosts := c.hostsOf(u); {
	case !c.o.Reserved && slices.ContainsFunc(hosts, policy.IsReserved) && !policy.IsReserved(page.Host()):
		// If the page comes from such a host, the name may exist in the network of the page.
		return Outcome{Verdict: Ignored, Cause: ReservedName, Detail: "the host is reserved for examples"}
	case page.IsZero() || c.isFile(page):
		return c.private(u, hosts, at)
	}
	return Outcome{}
}

// private returns the outcome of u if the policy denies its hosts as private, or the zero
// Outcome.
func (c *Checker) private(u locus.URL, hosts []string, at *origins) Outcome {
	var denied *policy.DeniedError
	switch {
	case c.client == nil:
	case !c.traits(u).Has(scheme.Composes):
		errors.As(c.client.Check(u, at.others), &denied)
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

// isOfPrivate reports whether the reason for e is an address or a name that is not public.
func isOfPrivate(e *policy.DeniedError) bool { return e.Rule == "private" || e.Rule == "link-local" }

// minMissing is the number of missing host names, without any that exists, that indicates a
// missing network. Fewer names may all be dead.
const minMissing = 5

// lookups records which host names of a run were looked up. The engine's mutex guards it.
type lookups struct {
	found   bool            // at least one name has an address
	missing map[string]bool // names that do not exist, in lower case
	held    []*target       // targets with a missing name, until found is true or no other targets are left
}

// note records whether an attempt found the first of its hosts.
func (n *lookups) note(hosts []string, a *attempt) {
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
		n.found = n.found || isPublicName(host)
	}
}

// isPublicName reports whether only a name server knows the address of host.
func isPublicName(host string) bool {
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err != nil && host != "" && policy.Policy{}.CheckName(host) == nil
}

// isResolved reports whether the client had an address of the host when the attempt failed with
// err.
func isResolved(err error) bool {
	if errors.As(err, new(*net.DNSError)) || errors.As(err, new(*access.ProxyError)) {
		return false
	}
	switch access.KindOf(err) {
	case access.Denied:
		// A denial of an address comes after the lookup; other denials concern the URL.
		denied, e := (*policy.DeniedError)(nil), (*access.Error)(nil)
		return errors.As(err, &denied) && errors.As(err, &e) && isOfPrivate(denied) && denied.Subject != locus.Quote(e.URL.Shown())
	case access.Syntax:
		return errors.Is(err, scheme.ErrProtocol)
	case access.Unsupported, access.Interrupted:
		return false
	}
	return true
}

// hold delays the outcome of t, a target with a missing host name, until [Verifier.settle]
// decides it. The caller must hold e.mu.
func (e *Verifier) hold(t *target) {
	t.state = held
	e.lookups.held = append(e.lookups.held, t)
	e.startNext(t)
}

// settle finishes the held targets after the run has found a host name, or when there are no other
// targets. The held targets are dead, unless the run found no host name and at least minMissing
// names are missing. A held archive replaces its target in the counts. The caller must hold e.mu.
func (e *Verifier) settle() {
	n := &e.lookups
	isLast := e.allRead && e.added == len(e.docs) && e.progress.Done+len(n.held) == e.progress.Found
	if len(n.held) == 0 || !n.found && !isLast {
		return
	}
	list := n.held
	n.held = nil
	noServer := !n.found && len(n.missing) >= minMissing
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
