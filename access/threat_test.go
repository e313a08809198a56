package access_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// threat is a row of the first table of docs/dev/threat-tables.md.
type threat struct {
	scheme, port             string
	own, other, byRedirect   string // octets
	typed, linked, redirects string // ports
}

// anyOther is the name in the last row of the tables. That row applies to schemes without
// their own row.
const anyOther = "any other scheme"

// threats returns the rows of the table, and the row anyOther.
func threats(t *testing.T) (list []threat, other threat) {
	t.Helper()
	text, err := os.ReadFile("../docs/dev/threat-tables.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), "| Scheme |")
	if !ok {
		t.Fatal("there is no table")
	}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		switch {
		case strings.TrimSpace(line) == "":
			if len(list) == 0 || list[len(list)-1].scheme != anyOther {
				t.Fatalf("the last row is not %q", anyOther)
			}
			return list[:len(list)-1], list[len(list)-1]
		case len(cells) != 10 || strings.HasPrefix(line, "|-") || cells[0] != "":
			continue
		}
		for i := range cells {
			cells[i] = strings.Trim(cells[i], " `")
		}
		list = append(list, threat{cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7], cells[8]})
	}
	t.Fatal("nothing follows the table")
	return nil, other
}

// threatURLs maps schemes to URLs with placeholders for the host and port and for an octet. For
// other schemes, the tests use the URLs from demoPlaces.
var threatURLs = map[string][]string{
	"ftp":      {"ftp://%s/Q%sZ", "ftp://%s/Q%sZ/x", "ftp://Q%[2]sZ@%[1]s/x"},
	"gopher":   {"gopher://%s/0Q%sZ", "gopher://%s/7a%%09Q%sZ"},
	"http":     {"http://%s/Q%sZ", "http://%s/?Q%sZ"},
	"nntp":     {"nntp://%s/Q%sZ/1"},
	"news":     {"news://%s/Q%sZ"},
	"wais":     {"wais://%s/Q%sZ?x", "wais://%s/db?Q%sZ", "wais://%s/db/TEXT/1=h;3=Q%sZ;"},
	"prospero": {"prospero://%s/Q%sZ"},
	"finger":   {"finger://%s/Q%sZ"},
	"telnet":   {"telnet://%s/", "telnet://Q%[2]sZ@%[1]s/", "telnet://u:Q%[2]sZ@%[1]s/"},
	"rlogin":   {"rlogin://Q%[2]sZ@%[1]s/"},
	"tn3270":   {"tn3270://Q%[2]sZ@%[1]s/"},
}

// octets returns the octets to test for each row: all control characters, and some other
// characters.
func octets() (list []byte) {
	for o := range 256 {
		if o < 0x20 || slices.Contains([]int{' ', '/', 'A', '~', 0x7F, 0x80, 0x85, 0x9F, 0xA0, 0xC3, 0xFF}, o) {
			list = append(list, byte(o))
		}
	}
	return list
}

// hasOctet reports whether a list such as "09 20-7E" contains the octet o.
func hasOctet(t *testing.T, written string, o byte) bool {
	t.Helper()
	if written == "none" {
		return false
	}
	for _, part := range strings.Fields(written) {
		first, last, ok := strings.Cut(part, "-")
		if !ok {
			last = first
		}
		from, err := strconv.ParseUint(first, 16, 8)
		to, err2 := strconv.ParseUint(last, 16, 8)
		if err != nil || err2 != nil {
			t.Fatalf("%q is not a list of octets", written)
		}
		if byte(from) <= o && o <= byte(to) {
			return true
		}
	}
	return false
}

// recorder is a network in memory that records all sent data. It responds to FTP and NNTP
// commands until the client sends the text of a URL. If server is set, the recorder
// forwards all data to that server.
type recorder struct {
	server string // host and port; empty if there is no server

	mu      sync.Mutex
	dials   []string
	sent    []byte
	servers sync.WaitGroup
}

func (r *recorder) lookup(context.Context, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
}

func (r *recorder) dial(name string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		r.mu.Lock()
		r.dials = append(r.dials, address)
		r.mu.Unlock()
		if r.server != "" {
			c, err := new(net.Dialer).DialContext(ctx, network, r.server)
			return recordedConn{c, r}, err
		}
		near, far := net.Pipe()
		r.servers.Go(func() {
			defer far.Close()
			r.serve(name, far)
		})
		return near, nil
	}
}

func (r *recorder) serve(name string, c net.Conn) {
	greeting, answers := "", map[string]string{}
	switch name {
	case "ftp":
		greeting, answers = "220 hello\r\n", map[string]string{"USER": "331 password\r\n", "PASS": "230 in\r\n", "": "250 well\r\n"}
	case "nntp", "news":
		greeting, answers = "200 hello\r\n", map[string]string{"": "430 no\r\n"}
	}
	if greeting == "" {
		p := make([]byte, 64<<10)
		for {
			n, err := c.Read(p)
			r.note(p[:n])
			if err != nil {
				return
			}
		}
	}
	if _, err := c.Write([]byte(greeting)); err != nil {
		return
	}
	for lines := bufio.NewReader(c); ; {
		line, err := lines.ReadString('\n')
		r.note([]byte(line))
		if err != nil {
			return
		}
		answer, ok := answers[strings.ToUpper(line[:min(4, len(line))])]
		if !ok {
			answer = answers[""]
		}
		if _, err := c.Write([]byte(answer)); err != nil {
			return
		}
	}
}

// recordedConn is a connection to the server of a recorder.
type recordedConn struct {
	net.Conn
	r *recorder
}

func (c recordedConn) Write(p []byte) (int, error) {
	c.r.note(p)
	return c.Conn.Write(p)
}

func (r *recorder) note(p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, p...)
}

// ways lists the ways to open a URL. A menu item that a person opens counts as typed. A URL
// from a client of the gateway counts as a link in an unknown page.
var ways = []string{"typed", "link", "gateway client", "redirect"}

// openThreat opens u in the given way, and returns the sent data and the dialed addresses. The
// server or, without a server, a recorder responds.
func openThreat(t *testing.T, way string, u locus.URL, server string) (sent string, dials []string, err error) {
	t.Helper()
	r := &recorder{server: server}
	registry, err := all.Registry()
	if err == nil {
		from := scheme.Generic("x-from", scheme.Experimental)
		from.Access.Opener = scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
			return &scheme.Redirect{URL: req.URL, To: []locus.URL{u}}, nil
		})
		registry, err = registry.With(from)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, policy.Policy{}, &access.Options{Lookup: r.lookup, Dial: r.dial(u.Scheme()), IdleTimeout: time.Second, Timeout: 5 * time.Second})
	req := access.Request{URL: u}
	switch way {
	case "link":
		req.From = &access.Result{URL: locus.MustParse("http://pub.example/"), LinkOrigin: policy.FromPublic}
	case "gateway client":
		req.From = &access.Result{LinkOrigin: policy.FromPublic}
	case "redirect":
		req.URL = locus.MustParse("x-from://pub.example/")
	}
	res, err := c.Do(t.Context(), req)
	if err == nil {
		res.Resource.Close()
	}
	c.Close()
	for _, s := range registry.All() {
		if closer, ok := s.Access.Opener.(interface{ Close() error }); ok {
			closer.Close()
		}
	}
	r.servers.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.sent), r.dials, err
}

// Only the octets in the table of the threat model reach a server decoded. No octet of a
// denied URL reaches a server.
func TestThreatModelOctets(t *testing.T) {
	rows, _ := threats(t)
	for name := range threatURLs {
		if !slices.ContainsFunc(rows, func(r threat) bool { return r.scheme == name }) {
			t.Errorf("%s has no row", name)
		}
	}
	demos := openDemos(t)
	for _, row := range rows {
		t.Run(row.scheme, func(t *testing.T) {
			tried := placesOf(t, demos, row.scheme)
			inBubble(t, tried, func(t *testing.T) {
				for _, c := range []struct{ host, want, says string }{
					{"h.example", row.own, "own port"}, {"h.example:7000", row.other, "another port"}, {"h.example", row.byRedirect, "redirect"},
				} {
					by := []string{"typed", "link", "gateway client"}
					if c.says == "redirect" {
						by = []string{"redirect"}
					}
					for _, way := range by {
						var got, want []string
						for _, o := range octets() {
							if hasOctet(t, c.want, o) {
								want = append(want, fmt.Sprintf("%02X", o))
							}
							if reaches(t, way, tried, c.host, o) {
								got = append(got, fmt.Sprintf("%02X", o))
							}
						}
						if !slices.Equal(got, want) {
							t.Errorf("%s, %s: these reach the server: %v, and the table has %v", c.says, way, got, want)
						}
					}
				}
			})
		})
	}
}

// reaches reports whether the client sends an octet at any position of a URL decoded.
func reaches(t *testing.T, way string, tried []threatURL, host string, o byte) bool {
	t.Helper()
	for _, p := range tried {
		u, err := locus.Parse(fmt.Sprintf(p.url, host, fmt.Sprintf("%%%02X", o)))
		if err != nil {
			if u, err = locus.Parse(fmt.Sprintf(p.url, host)); err != nil {
				t.Fatal(err)
			}
		}
		sent, dials, err := openThreat(t, way, u, p.server)
		if strings.Contains(sent, "Q"+string([]byte{o})+"Z") {
			return true
		}
		if errors.Is(err, policy.ErrDenied) && (sent != "" || len(dials) > 0) {
			t.Errorf("%s, %s: denied, and %q was sent to %v", way, u, sent, dials)
		}
	}
	return false
}

// A URL leads only to the ports that the table lists for each way to open it.
func TestThreatModelPorts(t *testing.T) {
	demos := openDemos(t)
	rows, _ := threats(t)
	for _, row := range rows {
		tried := placesOf(t, demos, row.scheme)
		inBubble(t, tried, func(t *testing.T) {
			eachPort(t, row, tried[0], func(what string, reached, want bool, err error) {
				if reached != want || want == errors.Is(err, policy.ErrDenied) {
					t.Errorf("%s: dialed: %v: %v; the table: %v", what, reached, err, want)
				}
			})
		})
	}
}

// eachPort opens a URL in each way with several ports. For each port it reports whether the
// port was reached, and whether the row allows the port.
func eachPort(t *testing.T, row threat, p threatURL, report func(what string, reached, want bool, err error)) {
	t.Helper()
	for _, way := range ways {
		allowed := map[string]string{"typed": row.typed, "link": row.linked, "gateway client": row.linked, "redirect": row.redirects}[way]
		kinds := map[string]string{"7000": "open", "8080": "open", "65535": "open", "25": "never", "1023": "never", "6379": "never", "11211": "never"}
		kinds[row.port] = "own"
		for port, kind := range kinds {
			want := kind == "own" && allowed != "never" || kind == "open" && allowed == "open"
			text := fmt.Sprintf(p.url, "h.example:"+port, "a")
			if i := strings.Index(text, "%!(EXTRA"); i >= 0 {
				text = text[:i]
			}
			if row.scheme == "rlogin" || row.scheme == "tn3270" {
				text = row.scheme + "://u@h.example:" + port + "/"
			}
			_, dials, err := openThreat(t, way, locus.MustParse(text), p.server)
			report(way+", "+text, slices.Contains(dials, "93.184.216.34:"+port), want, err)
		}
	}
}

// The table does not apply to these two URLs.
func TestThreatModelExceptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, way := range ways {
			for _, c := range []struct {
				host, place, sent string
				ways              []string // ways in which the client sends the octet
			}{
				{"h.example", "gopher://%s/0f%%09%%09+%%091%%0D%%0A+-1%%0D%%0Aa%%0D%%0A.%%0D%%0A", "+-1\r\na\r\n", ways[:3]},
				{"h.example:70", "gopher://%s/0f%%09%%09+%%091%%0D%%0A+-1%%0D%%0Aa%%0D%%0A.%%0D%%0A", "+-1\r\na\r\n", ways[:3]},
				{"h.example:7000", "gopher://%s/0f%%09%%09+%%091%%0D%%0A+-1%%0D%%0Aa%%0D%%0A.%%0D%%0A", "+-1\r\na\r\n", nil},
				{"h.example:8210", "wais://%s/db/TEXT/1=h;2=db;3=here;4=h;5=db;6=here;7=%%00;", "here", ways[:3]},
				{"h.example:8210", "wais://%s/db/TEXT/1=h;2=db;3=here;4=h;5=db;6=here;7=%%0A;", "here", nil},
				{"h.example:8210", "wais://%s/db/TEXT/1=h;2=db;3=here%%00;4=h;5=db;6=here;7=%%00;", "here", nil},
			} {
				u := locus.MustParse(fmt.Sprintf(c.place, c.host))
				sent, _, err := openThreat(t, way, u, "")
				if got, want := strings.Contains(sent, c.sent), slices.Contains(c.ways, way); got != want {
					t.Errorf("%s, %s: sent: %v (%q, %v)", way, u, got, sent, err)
				}
			}
		}
	})
}
