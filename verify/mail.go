package verify

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/addrspec"
)

// Mail looks up the mail servers of a domain. A *[net.Resolver] is one.
type Mail interface {
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupHost(ctx context.Context, host string) ([]string, error)
}

// mailChecker verifies mail addresses.
type mailChecker struct {
	lookup    Mail
	checkName func(host string) error // whether a name may be looked up
	mu        sync.Mutex
	domains   map[string]Outcome // in lower case
}

// check verifies the addresses of u by their syntax and the name server. It contacts no
// mail server (RFC 5321 section 3.5.3).
func (m *mailChecker) check(ctx context.Context, u locus.URL) (out Outcome, again bool) {
	text := u.SchemePart()
	if at := strings.IndexByte(text, '?'); at >= 0 {
		// Header fields (RFC 6068), which RFC 1738 has as a part of the address.
		text = text[:at]
	}
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
		return Outcome{Verdict: Denied, Detail: reason(err)}, false
	}
	m.mu.Lock()
	known, ok := m.domains[domain]
	m.mu.Unlock()
	if ok {
		return known, false
	}
	if out, again = m.checkDomain(ctx, domain); !again && ctx.Err() == nil {
		m.mu.Lock()
		m.domains[domain] = out
		m.mu.Unlock()
	}
	return out, again
}

// checkDomain looks for the mail servers of a domain: those of its MX records, or the
// domain itself without one (RFC 5321 section 5.1). An MX record "." means none
// (RFC 7505).
func (m *mailChecker) checkDomain(ctx context.Context, domain string) (out Outcome, again bool) {
	list, err := m.lookup.LookupMX(ctx, domain+".")
	switch {
	case len(list) == 1 && (list[0].Host == "." || list[0].Host == ""):
		return Outcome{Verdict: Dead, Detail: fmt.Sprintf("%s accepts no mail (RFC 7505)", domain)}, false
	case len(list) > 0:
		return Outcome{Verdict: Alive}, false
	case err != nil && !isNoSuchName(err):
		return unresolved(err), true
	}
	hosts, err := m.lookup.LookupHost(ctx, domain+".")
	switch {
	case len(hosts) > 0:
		return Outcome{Verdict: Alive}, false
	case err != nil && !isNoSuchName(err):
		return unresolved(err), true
	}
	return Outcome{Verdict: Dead, Detail: fmt.Sprintf("%s accepts no mail: it has no MX record and no address", domain)}, false
}

func unresolved(err error) Outcome {
	return Outcome{Verdict: Warning, Detail: "can't look up the domain: " + err.Error()}
}

// isNoSuchName reports whether a name does not exist, or has no record of that type.
func isNoSuchName(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}
