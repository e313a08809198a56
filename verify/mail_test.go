package verify

import (
	"context"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/locus-url/locus/policy"
)

// names is a fake name server.
type names struct{ asked atomic.Int32 }

func (n *names) LookupMX(_ context.Context, name string) ([]*net.MX, error) {
	n.asked.Add(1)
	switch strings.TrimSuffix(name, ".") {
	case "mx.example":
		return []*net.MX{{Host: "mail.example.", Pref: 10}}, nil
	case "null.example":
		return []*net.MX{{Host: ".", Pref: 0}}, nil
	case "slow.example":
		return nil, &net.DNSError{Err: "server misbehaving", IsTemporary: true}
	}
	return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
}

func (n *names) LookupHost(_ context.Context, host string) ([]string, error) {
	switch strings.TrimSuffix(host, ".") {
	case "a.example":
		return []string{"1.1.1.1"}, nil
	case "host-slow.example":
		return nil, &net.DNSError{Err: "server misbehaving", IsTemporary: true}
	}
	return nil, &net.DNSError{Err: "no such host", IsNotFound: true}
}

func TestMail(t *testing.T) {
	for _, c := range []struct{ url, want, detail string }{
		{"mailto:joe@mx.example", "alive", ""},
		{"mailto:joe@MX.Example?subject=hello", "alive", ""},
		{"mailto:%22joe%20b%22@mx.example", "alive", ""},
		{"mailto:joe@a.example", "alive", ""},
		{"mailto:joe@null.example", "dead", "accepts no mail (RFC 7505)"},
		{"mailto:joe@none.example", "dead", "no MX record"},
		{"mailto:joe@slow.example", "warning", "misbehaving"},
		{"mailto:joe@host-slow.example", "warning", "misbehaving"},
		{"mailto:joe@mx.example,ann@none.example", "dead", "none.example"},
		{"mailto:?subject=share", "alive", "the sender"},
		{"mailto:joe@[127.0.0.1]", "alive", "literal"},
		{"mailto:joe@printer", "ignored", "private network"},
		{"mailto:joe@nas.local", "ignored", "private network"},
		{"mailto:joe@db.internal", "ignored", "private network"},
		{"mailto:joe", "malformed", "invalid address"},
		{"mailto:joe@", "malformed", "invalid address"},
		{"mailto:joe%0D%0A@mx.example", "malformed", "invalid address"},
	} {
		w := newFixture(t, policy.Rules{})
		w.o.Mail = new(names)
		got := w.run(textDoc("d", "<URL:"+c.url+">"))
		if len(got) != 1 || got[0].Verdict.String() != c.want || !strings.Contains(got[0].Detail, c.detail) {
			t.Errorf("%s: %+v", c.url, got)
		}
	}
	// A domain is looked up once.
	w := newFixture(t, policy.Rules{})
	n := new(names)
	w.o.Mail = n
	w.run(textDoc("d", "mailto:a@mx.example mailto:b@mx.example mailto:c@MX.example mailto:d@none.example mailto:e@none.example"))
	if got := n.asked.Load(); got != 2 {
		t.Errorf("%d look-ups", got)
	}
}
