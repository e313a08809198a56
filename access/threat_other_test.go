package access_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// threatURL is a URL with placeholders for the host and port and for an octet, and the address of
// the server that responds. Without an address, a recorder responds.
type threatURL struct{ url, server string }

// openDemos starts the servers of the tour, and returns their URLs by scheme.
func openDemos(t *testing.T) map[string][]locus.URL {
	t.Helper()
	museum, err := tour.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { museum.Close() })
	demos := map[string][]locus.URL{}
	for _, stop := range museum.Stops() {
		demos[stop.URL.Scheme()] = append(demos[stop.URL.Scheme()], stop.URL)
	}
	return demos
}

// demoURL returns a URL of the scheme's demo at another host, or "" if there is no demo.
func demoURL(demos map[string][]locus.URL, name string) string {
	if len(demos[name]) == 0 {
		return ""
	}
	u := demos[name][0]
	return strings.Replace(u.String(), address(u), "h.example", 1)
}

// address returns the host and port of u, or "" if u contains neither.
func address(u locus.URL) string {
	port, ok := u.Port()
	if !ok {
		return u.Host()
	}
	return u.Host() + ":" + strconv.Itoa(int(port))
}

// placesOf returns the URLs that the tests try for a scheme. There is at least one URL.
func placesOf(t *testing.T, demos map[string][]locus.URL, name string) (list []threatURL) {
	t.Helper()
	for _, url := range threatURLs[name] {
		list = append(list, threatURL{url: url})
	}
	if list == nil {
		list = demoPlaces(t, demos[name])
	}
	if len(list) == 0 {
		t.Fatalf("%s: no URL is tried: the scheme needs a Demo in internal/tour, or an entry in places", name)
	}
	return list
}

// word matches a part of a URL in which the tests try an octet.
var word = regexp.MustCompile(`%[0-9A-Fa-f]{2}|[0-9A-Za-z]+`)

// demoPlaces returns the URLs of a demo with an octet in place of the user or of each word
// after the host, if the opener still connects for such a URL.
func demoPlaces(t *testing.T, urls []locus.URL) (list []threatURL) {
	t.Helper()
	for _, u := range urls {
		before, after, _ := strings.Cut(u.String(), address(u))
		before, after = strings.ReplaceAll(before, "%", "%%"), strings.ReplaceAll(after, "%", "%%")
		texts := []string{before + "%[1]s/Q%[2]sZ", u.Scheme() + "://Q%[2]sZ@%[1]s" + after}
		for _, at := range word.FindAllStringIndex(after, -1) {
			if after[at[0]] != '%' {
				texts = append(texts, before+"%[1]s"+after[:at[0]]+"Q%[2]sZ"+after[at[1]:])
			}
		}
		for _, text := range texts {
			tried, err := locus.Parse(fmt.Sprintf(text, "h.example", "a"))
			if p := (threatURL{text, address(u)}); err == nil && !slices.Contains(list, p) {
				if _, dials, _ := openThreat(t, "typed", tried, p.server); len(dials) > 0 {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// inBubble calls f in a synctest bubble, unless real servers respond.
func inBubble(t *testing.T, tried []threatURL, f func(t *testing.T)) {
	t.Helper()
	if tried[0].server != "" {
		f(t)
		return
	}
	synctest.Test(t, f)
}

// otherSchemes returns the schemes that can be opened and are not in a table. It adds
// finger and gemini, whose rows allow no more than the row anyOther, so they test the tests
// below.
func otherSchemes(t *testing.T, has func(name string) bool) (list []scheme.Scheme) {
	t.Helper()
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(registry.All(), func(s scheme.Scheme) bool {
		return s.Access.Opener == nil || has(s.Name) && s.Name != "finger" && s.Name != "gemini"
	})
}

// A scheme without a row in the octet table sends and dials no more than the row anyOther allows.
// Each octet arrives unchanged, or the client refuses the URL.
func TestThreatModelOtherSchemes(t *testing.T) {
	rows, other := threats(t)
	demos := openDemos(t)
	for _, s := range otherSchemes(t, func(name string) bool {
		return slices.ContainsFunc(rows, func(r threat) bool { return r.scheme == name })
	}) {
		if !isPlain(s) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			row, tried := other, demoPlaces(t, demos[s.Name])
			if len(tried) == 0 {
				t.Fatal("no URL is tried: the scheme needs a Demo in internal/tour, or a row in docs/dev/threat-tables.md")
			}
			row.scheme, row.port = s.Name, strconv.Itoa(int(s.Port))
			if s.Policy.Encoded {
				row.own, row.other, row.byRedirect, row.redirects = "none", "none", "none", "open"
			}
			for _, way := range ways {
				for _, host := range []string{"h.example", "h.example:7000"} {
					allowed := row.own
					switch {
					case way == "redirect":
						allowed = row.byRedirect
					case host != "h.example":
						allowed = row.other
					}
					for _, o := range octets() {
						may := hasOctet(t, allowed, o) || allowed != row.own && s.Policy.OffPort.Has(o) && hasOctet(t, row.own, o)
						for _, p := range tried {
							checkOctet(t, way, p, host, o, may)
						}
					}
				}
			}
			eachPort(t, row, tried[0], func(what string, reached, may bool, err error) {
				if reached && (!may || errors.Is(err, policy.ErrDenied)) {
					t.Errorf("%s: dialed: %v; the table has %v", what, err, row)
				}
			})
		})
	}
}

// octetPattern matches the text around an octet in the sent data.
var octetPattern = regexp.MustCompile(`(?s)Q(.{0,8}?)Z`)

// checkOctet opens a URL that contains the octet o. The server may receive o encoded, unchanged if
// isAllowed is true, or not at all. It must not receive another octet instead.
func checkOctet(t *testing.T, way string, p threatURL, host string, o byte, isAllowed bool) {
	t.Helper()
	escaped := fmt.Sprintf("%%%02X", o)
	u, err := locus.Parse(fmt.Sprintf(p.url, host, escaped))
	if err != nil {
		return
	}
	sent, dials, err := openThreat(t, way, u, p.server)
	if errors.Is(err, policy.ErrDenied) && (sent != "" || len(dials) > 0) {
		t.Errorf("%s, %s: denied, and %q was sent to %v", way, u, sent, dials)
	}
	for _, found := range octetPattern.FindAllStringSubmatch(sent, -1) {
		switch {
		case found[1] == string([]byte{o}) && !isAllowed:
			t.Errorf("%s, %s: %02X reaches the server; a scheme that sends it needs a row in docs/dev/threat-tables.md", way, u, o)
		case found[1] != string([]byte{o}) && !strings.EqualFold(found[1], escaped):
			t.Errorf("%s, %s: %q reaches the server for %02X", way, u, found[1], o)
		}
	}
}

// The last rows of the table of ways apply to schemes without a row. An encrypted URL, or a
// URL that starts a session, is not requested from an HTTP proxy.
func TestThreatModelOtherWays(t *testing.T) {
	rows := map[string][]string{}
	for _, row := range tableRows(t, waysHeader) {
		rows[row[0]] = row
	}
	demos := openDemos(t)
	for _, s := range otherSchemes(t, func(name string) bool { return rows[name] != nil }) {
		row := rows[anyOther]
		if s.Port == 0 {
			row = rows[anyLocal]
		}
		t.Run(s.Name, func(t *testing.T) {
			url := demoURL(demos, s.Name)
			if url == "" || len(row) != 6 {
				t.Fatalf("nothing to try: the scheme needs a Demo in internal/tour, or a row in docs/dev/threat-tables.md: %q", row)
			}
			synctest.Test(t, func(t *testing.T) {
				for i, gateway := range gateways {
					want := row[2+i]
					if want == "request or tunnel" {
						if want = "request"; s.Traits&(scheme.Secure|scheme.Interactive) != 0 {
							want = "tunnel"
						}
					}
					if got := leaves(t, url, gateway); got != want {
						t.Errorf("%s through %q: %s; the table has %s", url, gateway, got, row[2+i])
					}
				}
			})
		})
	}
}
