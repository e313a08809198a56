package verify

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/scheme"
)

// Mail looks up the mail servers of a domain. [net.Resolver] implements it.
type Mail interface {
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupHost(ctx context.Context, host string) ([]string, error)
}

type mailChecker struct {
	lookup    Mail
	checkName func(host string) error // returns an error for a name that must not be looked up
	domains   sync.Map                // outcomes by domain in lower case
}

// check verifies the mail addresses in the URL u. It checks the syntax and looks up the domains,
// but does not contact a mail server (RFC 5321 section 3.5.3).
func (m *mailChecker) check(ctx context.Context, u locus.URL) (out Outcome, again bool) {
	// Ignore the header fields, which RFC 6068 added. In RFC 1738, the text would be a part of the
	// address.
	text, _, _ := strings.Cut(u.SchemePart(), "?")
	if text == "" {
		return Outcome{Verdict: Alive, Detail: "no address: the sender fills it in"}, false
	}
	for address := range strings.SplitSeq(text, ",") {
		out, again = m.checkAddress(ctx, address)
		if out.Verdict != Alive {
			break
		}
	}
	return out, again
}

// badAddress returns the first syntax error in the addresses of a mailto URL, or "" if all
// addresses are valid.
func (c *Checker) badAddress(u locus.URL) string {
	text, _, _ := strings.Cut(u.SchemePart(), "?")
	if text == "" || !c.traits(u).Has(scheme.Composes) {
		return ""
	}
	for address := range strings.SplitSeq(text, ",") {
		if faults := addrspec.Faults(address); len(faults) > 0 {
			return "invalid address: " + faults[0].Help
		}
	}
	return ""
}

// checkAddress verifies one address, as written in the URL.
func (m *mailChecker) checkAddress(ctx context.Context, text string) (out Outcome, again bool) {
	if faults := addrspec.Faults(text); len(faults) > 0 {
		return Outcome{Verdict: Malformed, Detail: "invalid address: " + faults[0].Help}, false
	}
	plain := decoded(text)
	at := strings.LastIndexByte(plain, '@')
	domain := strings.ToLower(strings.TrimSuffix(plain[at+1:], "."))
	switch {
	case strings.HasPrefix(domain, "["):
		return Outcome{Verdict: Alive, Detail: "an address literal is not looked up"}, false
	case domain == "":
		return Outcome{Verdict: Malformed, Detail: "invalid address: the domain is missing"}, false
	}
	if err := m.checkName(domain); err != nil {
		out = Outcome{Verdict: Denied, Detail: reason(err)}
		out.setRule(err)
		return out, false
	}
	if known, ok := m.domains.Load(domain); ok {
		return known.(Outcome), false
	}
	if out, again = m.checkDomain(ctx, domain); !again && ctx.Err() == nil {
		m.domains.Store(domain, out)
	}
	return out, again
}

// checkDomain looks up the mail servers of a domain. The MX records of the domain contain the
// names of its mail servers. If there are no MX records, the domain itself is the mail server (RFC
// 5321 section 5.1). The MX record "." means that the domain does not accept mail (RFC 7505).
func (m *mailChecker) checkDomain(ctx context.Context, domain string) (out Outcome, again bool) {
	list, err := m.lookup.LookupMX(ctx, domain+".")
	found := len(list) > 0
	if len(list) == 1 && (list[0].Host == "." || list[0].Host == "") {
		return Outcome{Verdict: Dead, Detail: domain + " accepts no mail (RFC 7505)"}, false
	}
	if !found && (err == nil || isNoSuchName(err)) {
		var hosts []string
		hosts, err = m.lookup.LookupHost(ctx, domain+".")
		found = len(hosts) > 0
	}
	switch {
	case found:
		return Outcome{Verdict: Alive}, false
	case err != nil && !isNoSuchName(err):
		return Outcome{Verdict: Warning, Detail: "can't look up the domain: " + err.Error()}, true
	}
	return Outcome{Verdict: Dead, Cause: NoNames, Detail: domain + " accepts no mail: it has no MX record and no address"}, false
}

// isNoSuchName reports whether the error err means that a name does not exist or does not have the
// requested record.
func isNoSuchName(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}
