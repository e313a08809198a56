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

// tableRows returns the cells of the rows below a header in docs/dev/threat-tables.md.
func tableRows(t *testing.T, header string) (list [][]string) {
	t.Helper()
	text, err := os.ReadFile("../docs/dev/threat-tables.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "\n"+header+"\n")
	if !ok {
		t.Fatalf("docs/dev/threat-tables.md has no table %q", header)
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

// Each row names the port of a scheme that can be opened. The octet table lists only schemes that
// connect without encryption. The row anyOther applies to schemes without a row.
func TestThreatModelSchemes(t *testing.T) {
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	ports := map[string]string{}
	for _, row := range tableRows(t, waysHeader) {
		ports[row[0]] = row[1]
	}
	if port := ports[anyOther]; port != "its own" {
		t.Errorf("%s: the table has port %q", anyOther, port)
	}
	delete(ports, anyOther)
	delete(ports, anyLocal)
	var octets []string
	rows, _ := threats(t)
	for _, row := range rows {
		octets = append(octets, row.scheme)
	}
	for name := range openable {
		if ports[name] == "" {
			t.Errorf("%s has no row", name)
		}
	}
	for _, s := range registry.All() {
		port, has := ports[s.Name]
		delete(ports, s.Name)
		if has && s.Access.Opener == nil {
			t.Errorf("%s has a row, and can't be opened", s.Name)
		}
		want := "none"
		if s.Port != 0 {
			want = strconv.Itoa(int(s.Port))
		}
		if has && port != want {
			t.Errorf("%s: the table has port %s, the registry %s", s.Name, port, want)
		}
		// An encrypted scheme sends the octets in the row of the scheme without TLS, and
		// gemini sends its URL as written.
		if i := slices.Index(octets, s.Name); i >= 0 {
			octets = slices.Delete(octets, i, i+1)
			if !isPlain(s) || rows[slices.IndexFunc(rows, func(r threat) bool { return r.scheme == s.Name })].port != want {
				t.Errorf("%s: the table of octets has a row for an encrypted scheme, or another port than %s", s.Name, want)
			}
		}
	}
	for name := range ports {
		t.Errorf("%s has a row, and is not registered", name)
	}
	for _, name := range octets {
		t.Errorf("%s has a row in the table of octets, and is not registered", name)
	}
}

// isPlain reports whether a scheme connects without encryption.
func isPlain(s scheme.Scheme) bool {
	return s.Access.Opener != nil && s.Port != 0 && !s.Traits.Has(scheme.Secure)
}

const (
	waysHeader = "| Scheme | Port | Direct | HTTP proxy | SOCKS proxy | Template |"
	// anyLocal is the name in the row for other schemes without a port.
	anyLocal = "any other scheme without a port"
)

// Each row describes how the client requests a URL of the scheme without a proxy, and
// through each kind of proxy.
func TestThreatModelWays(t *testing.T) {
	demos := openDemos(t)
	for _, row := range tableRows(t, waysHeader) {
		if row[0] == anyOther || row[0] == anyLocal {
			continue
		}
		url := cmp.Or(openable[row[0]], demoURL(demos, row[0]))
		if url == "" {
			t.Errorf("%s: no URL is tried: the scheme needs a Demo in internal/tour, or an entry in openable", row[0])
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			for i, gateway := range gateways {
				if got, want := leaves(t, url, gateway), row[2+i]; got != want {
					t.Errorf("%s through %q: %s; the table has %s", url, gateway, got, want)
				}
			}
		})
	}
}

// gateways lists no proxy and one proxy of each kind, in the order of the table.
var gateways = []string{"", "http://proxy.example:3128", "socks5h://proxy.example:1080", "http://gw.example/{url}"}

// openable maps schemes with a row to URLs. For other schemes with a row, the test opens a URL of
// the demo.
var openable = map[string]string{
	"data": "data:,a", "file": "file:///dev/null", "mid": "mid:a@b.example", "cid": "cid:a@b.example",
	"finger": "finger://h.example/a", "ftp": "ftp://h.example/a", "ftps": "ftps://h.example/a", "gemini": "gemini://h.example/a",
	"gopher": "gopher://h.example/a", "gophers": "gophers://h.example/a", "http": "http://h.example/a", "https": "https://h.example/a",
	"news": "news://h.example/a.b", "snews": "snews://h.example/a.b", "nntp": "nntp://h.example/a.b/1", "nntps": "nntps://h.example/a.b/1",
	"prospero": "prospero://h.example/a", "rlogin": "rlogin://u@h.example/", "telnet": "telnet://h.example/a", "tn3270": "tn3270://h.example/a",
	"wais": "wais://h.example/db?a",
}

// leaves opens a URL through a proxy, and returns how the client connects: "TCP" or "UDP"
// to the server itself, "tunnel" for a connection that the proxy makes, and "request" if
// the client sends the request to the proxy.
func leaves(t *testing.T, url, gateway string) string {
	t.Helper()
	name, _, _ := strings.Cut(url, ":")
	var dialed []string
	sent := make(chan []byte, 8)
	dial := func(_ context.Context, network, address string) (net.Conn, error) {
		dialed = append(dialed, network+" "+address)
		near, far := net.Pipe()
		go func() {
			defer far.Close()
			p := make([]byte, 1<<10)
			far.SetDeadline(time.Now().Add(time.Minute))
			n, _ := far.Read(p)
			if p[0] == 5 { // SOCKS without a login, then the request
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
		g, err := access.ParseProxy(gateway)
		if err != nil {
			t.Fatal(err)
		}
		if o.Proxies, err = access.NewProxies(access.ProxyRules{All: g}); err != nil {
			t.Fatal(err)
		}
	}
	p, err := policy.New(policy.Rules{Files: true})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, p, o)
	res, err := c.Open(t.Context(), url)
	if err == nil {
		res.Resource.Close()
	}
	c.Close()
	for _, s := range registry.All() {
		if closer, ok := s.Access.Opener.(interface{ Close() error }); ok {
			closer.Close()
		}
	}
	if len(dialed) == 0 {
		return "none"
	}
	first := <-sent
	switch {
	case gateway == "":
		return strings.ToUpper(dialed[0][:3])
	case bytes.HasPrefix(first, []byte("CONNECT h.example:")), len(first) > 3 && first[0] == 5 && bytes.Contains(first, []byte("h.example")):
		return "tunnel"
	case bytes.HasPrefix(first, []byte("GET "+name+"://h.example/")), bytes.HasPrefix(first, []byte("GET /"+name+"%3A%2F%2F")):
		return "request"
	}
	return fmt.Sprintf("%s %q", dialed[0], first)
}

// The documented list of denied ports equals the list in package policy.
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
