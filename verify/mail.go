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

// Mail looks up who takes mail for a domain. A *[net.Resolver] is one.
type Mail interface {
	LookupMX(ctx context.Context, name string) ([]*net.MX, error)
	LookupHost(ctx context.Context, host string) ([]string, error)
}

// mailer judges addresses.
type mailer struct {
	lookup Mail
	check  func(host string) error // whether a name may be looked up
	mu     sync.Mutex
	known  map[string]Outcome // by domain, in lower case
}

// judge says whether mail to an address goes anywhere: by its syntax, and by the
// name server. No mail server is asked (RFC 5321 section 3.5.3).
func (m *mailer) judge(ctx context.Context, u locus.URL) (out Outcome, again bool) {
	text := u.SchemePart()
	if at := strings.IndexByte(text, '?'); at >= 0 {
		// Header fields (RFC 6068), which RFC 1738 has as a part of the address.
		text = text[:at]
	}
	if text == "" {
		return Outcome{Verdict: Alive, Detail: "no address: whoever writes fills it in"}, false
	}
	for address := range strings.SplitSeq(text, ",") {
		out, again = m.address(ctx, address)
		if out.Verdict != Alive {
			break
		}
	}
	return out, again
}

// address judges one address, which is as the URL has it.
func (m *mailer) address(ctx context.Context, text string) (out Outcome, again bool) {
	if faults := addrspec.Faults(text); len(faults) > 0 {
		return Outcome{Verdict: Malformed, Detail: "no address: " + faults[0].Help}, false
	}
	plain := decoded(text)
	at := strings.LastIndexByte(plain, '@')
	domain := strings.ToLower(strings.TrimSuffix(plain[at+1:], "."))
	switch {
	case strings.HasPrefix(domain, "["):
		return Outcome{Verdict: Alive, Detail: "an address literal, which nothing looks up"}, false
	case domain == "":
		return Outcome{Verdict: Malformed, Detail: "no address: it has no domain"}, false
	}
	if err := m.check(domain); err != nil {
		return Outcome{Verdict: Denied, Detail: reason(err)}, false
	}
	m.mu.Lock()
	known, ok := m.known[domain]
	m.mu.Unlock()
	if ok {
		return known, false
	}
	if out, again = m.domain(ctx, domain); !again && ctx.Err() == nil {
		m.mu.Lock()
		m.known[domain] = out
		m.mu.Unlock()
	}
	return out, again
}

// domain judges who takes mail for a domain: those of its MX records, or itself if
// it has none (RFC 5321 section 5.1). An MX record of "." says nobody (RFC 7505).
func (m *mailer) domain(ctx context.Context, domain string) (out Outcome, again bool) {
	list, err := m.lookup.LookupMX(ctx, domain+".")
	switch {
	case len(list) == 1 && (list[0].Host == "." || list[0].Host == ""):
		return Outcome{Verdict: Dead, Detail: fmt.Sprintf("%s takes no mail (RFC 7505)", domain)}, false
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
	return Outcome{Verdict: Dead, Detail: fmt.Sprintf("nobody takes mail for %s: it has no MX record and no address", domain)}, false
}

func unresolved(err error) Outcome {
	return Outcome{Verdict: Warning, Detail: "the name server does not tell: " + err.Error()}
}

// isNoSuchName reports whether err is that there is no such name, or nothing of
// that kind at it.
func isNoSuchName(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}
