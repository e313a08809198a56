package access_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// tableRows returns the cells of the rows below a header in docs/threat-model.md.
func tableRows(t *testing.T, header string) (list [][]string) {
	t.Helper()
	text, err := os.ReadFile("../docs/threat-model.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "\n"+header+"\n")
	if !ok {
		t.Fatalf("docs/threat-model.md has no table %q", header)
	}
	for line := range strings.Lines(table) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " `")
		}
		if strings.Trim(cells[0], "-") != "" {
			list = append(list, cells)
		}
	}
	return list
}

// Each scheme that can be opened has a row with its port, and no other does. Those that
// connect without encryption are in the table of octets, too.
func TestThreatModelSchemes(t *testing.T) {
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	ports := map[string]string{}
	for _, row := range tableRows(t, "| Scheme | Port | Direct | HTTP proxy | SOCKS proxy | Template |") {
		ports[row[0]] = row[1]
	}
	var octets []string
	for _, row := range threats(t) {
		octets = append(octets, row.scheme)
	}
	for _, s := range registry.All() {
		port, has := ports[s.Name]
		delete(ports, s.Name)
		if has != (s.Access.Opener != nil) {
			t.Errorf("%s: a row: %v, opened: %v", s.Name, has, s.Access.Opener != nil)
			continue
		}
		want := "none"
		if s.Port != 0 {
			want = strconv.Itoa(int(s.Port))
		}
		if has && port != want {
			t.Errorf("%s: the table has port %s, the registry %s", s.Name, port, want)
		}
		// What is encrypted sends what the row of the scheme without TLS has, and gemini
		// its URL as written.
		plain := s.Access.Opener != nil && s.Port != 0 && !s.Traits.Has(scheme.Secure)
		if plain != slices.Contains(octets, s.Name) {
			t.Errorf("%s: in the table of octets: %v", s.Name, !plain)
		}
	}
	for name := range ports {
		t.Errorf("%s has a row, and is not registered", name)
	}
}

// Each row says how a URL of the scheme leaves the machine without a gateway, and through
// each kind of gateway.
func TestThreatModelWays(t *testing.T) {
	for _, row := range tableRows(t, "| Scheme | Port | Direct | HTTP proxy | SOCKS proxy | Template |") {
		synctest.Test(t, func(t *testing.T) {
			for i, gateway := range []string{"", "http://proxy.example:3128", "socks5h://proxy.example:1080", "http://gw.example/{url}"} {
				if got, want := leaves(t, row[0], gateway), row[2+i]; got != want {
					t.Errorf("%s through %q: %s; the table has %s", row[0], gateway, got, want)
				}
			}
		})
	}
}

// openable are URLs of the schemes whose form is not that of the common syntax.
var openable = map[string]string{
	"data": "data:,a", "file": "file:///dev/null", "mid": "mid:a@b.example", "cid": "cid:a@b.example", "mailto": "mailto:a@b.example",
	"news": "news://h.example/a.b", "snews": "snews://h.example/a.b", "nntp": "nntp://h.example/a.b/1", "nntps": "nntps://h.example/a.b/1",
	"wais": "wais://h.example/db?a", "rlogin": "rlogin://u@h.example/",
}

// leaves opens a URL of a scheme through a gateway, and says what is dialled: "TCP" or
// "UDP" for the server itself, "tunnel" for a connection that the gateway makes, and
// "request" for a gateway that is asked for the URL.
func leaves(t *testing.T, name, gateway string) string {
	t.Helper()
	var dialled []string
	sent := make(chan []byte, 8)
	dial := func(_ context.Context, network, address string) (net.Conn, error) {
		dialled = append(dialled, network+" "+address)
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			p := make([]byte, 1<<10)
			far.SetDeadline(time.Now().Add(time.Minute))
			n, _ := far.Read(p)
			if p[0] == 5 { // SOCKS: no login, then the request
				far.Write([]byte{5, 0})
				m, _ := far.Read(p[n:])
				n += m
			}
			sent <- p[:n]
		}()
		return near, nil
	}
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	o := &access.Options{Lookup: new(recorder).lookup, Dial: dial, Timeout: time.Minute}
	if gateway != "" {
		g, err := access.ParseGateway(gateway)
		if err != nil {
			t.Fatal(err)
		}
		if o.Gateways, err = access.NewGateways(access.GatewayRules{All: g}); err != nil {
			t.Fatal(err)
		}
	}
	p, err := policy.New(policy.Rules{Files: true})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, p, o)
	u := cmp.Or(openable[name], name+"://h.example/a")
	res, err := c.Open(t.Context(), u)
	if err == nil {
		res.Resource.Close()
	}
	c.Close()
	for _, s := range registry.All() {
		if closer, ok := s.Access.Opener.(interface{ Close() error }); ok {
			closer.Close()
		}
	}
	if len(dialled) == 0 {
		return "none"
	}
	first := <-sent
	switch {
	case gateway == "":
		return strings.ToUpper(dialled[0][:3])
	case bytes.HasPrefix(first, []byte("CONNECT h.example:")), len(first) > 3 && first[0] == 5 && bytes.Contains(first, []byte("h.example")):
		return "tunnel"
	case bytes.HasPrefix(first, []byte("GET "+name+"://h.example/")), bytes.HasPrefix(first, []byte("GET /"+name+"%3A%2F%2F")):
		return "request"
	}
	return fmt.Sprintf("%s %q", dialled[0], first)
}

// The list of ports that are never dialled is the policy's.
func TestThreatModelDeniedPorts(t *testing.T) {
	documented := map[int]bool{}
	for _, row := range tableRows(t, "| Ports | Service |") {
		for part := range strings.SplitSeq(row[0], ", ") {
			first, last, ok := strings.Cut(part, "-")
			if !ok {
				last = first
			}
			from, err := strconv.Atoi(first)
			to, err2 := strconv.Atoi(last)
			if err != nil || err2 != nil || from > to {
				t.Fatalf("%q is not a list of ports", row[0])
			}
			for n := from; n <= to; n++ {
				u := locus.MustParse(fmt.Sprintf("http://h.example:%d/", n))
				if advice := policy.PortAdvice(u, 80); !strings.Contains(advice, "belongs to "+row[1]+",") {
					t.Errorf("port %d: %q; the table has %s", n, advice, row[1])
				}
				documented[n] = true
			}
		}
	}
	for n := 1024; n <= 65535; n++ {
		u := locus.MustParse(fmt.Sprintf("http://h.example:%d/", n))
		if denied := policy.PortAdvice(u, 80) != ""; denied != documented[n] {
			t.Errorf("port %d: denied: %v, in the table: %v", n, denied, documented[n])
		}
	}
}
