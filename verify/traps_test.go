package verify

import (
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var judge = flag.String("truth", "", "program that verifies the links of TestTraps: rivals/links.py, which starts the test in a network namespace")

// replaceHosts replaces the hosts in a text by the hosts of the traps. Other programs get hosts
// that are not reserved for examples, because some programs always ignore reserved hosts.
func replaceHosts(text string) string {
	if *judge == "" {
		return text
	}
	return strings.NewReplacer(".example", ".trap", ".Example", ".Trap", ".EXAMPLE", ".TRAP").Replace(text)
}

// trap is a line of testdata/traps.tsv.
type trap struct{ link, truth, why string }

func readTraps(t *testing.T) (list []trap) {
	t.Helper()
	text, err := os.ReadFile("testdata/traps.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 3 || fields[1] != "alive" && fields[1] != "dead" && fields[1] != "unknown" {
			t.Fatalf("%q", line)
		}
		list = append(list, trap{replaceHosts(fields[0]), fields[1], fields[2]})
	}
	return list
}

// missedTraps maps dead links that the Verifier does not report as broken to the reasons.
var missedTraps = map[string]string{
	"http://web.example/get/404":                           "HEAD proves that a link is alive; Ask.Get finds it",
	"http://web.example/get/410":                           "HEAD proves that a link is alive; Ask.Get finds it",
	"http://web.example/location/javascript":               "the policy denies it, which has a verdict of its own",
	"http://web.example/location/file":                     "the policy denies it, which has a verdict of its own",
	"http://web.example/location/data":                     "the policy denies it, which has a verdict of its own",
	"http://web.example/refresh/meta?1%3Burl%3D%2Fmissing": "HEAD has no page; Ask.Get finds it",
	"http://web.example/coding/deflate#lost":               "the page is in a coding that was not asked for",
	"http://web.example/soft":                              "the page says it in words; Site.SoftNotFound warns of it",
}

// falseTraps lists links that work only in browsers, because the server sends the status 410 to
// other programs.
var falseTraps = map[string]bool{"http://web.example/agent": true, "http://web.example/accept": true}

// trapFixture returns a fixture with the servers for testdata/traps.tsv.
func trapFixture(t *testing.T) *fixture {
	t.Helper()
	const day = 24 * time.Hour
	s := new(traps)
	w := secureFixture(t, map[string]tls.Certificate{
		replaceHosts("good.example"):    testCertificate(t, replaceHosts("good.example"), -day, day),
		replaceHosts("expired.example"): testCertificate(t, replaceHosts("expired.example"), -2*day, -day),
		replaceHosts("early.example"):   testCertificate(t, replaceHosts("early.example"), day, 2*day),
		replaceHosts("wrong.example"):   testCertificate(t, replaceHosts("right.example"), -day, day),
		replaceHosts("self.example"):    testCertificate(t, replaceHosts("self.example"), -day, day),
	}, replaceHosts("self.example"), s.ServeHTTP)
	for _, name := range []string{"web.example", "other.example", "slow.example", "busy.example"} {
		w.serve(replaceHosts(name), s.ServeHTTP)
	}
	w.serve(replaceHosts("robots.example"), func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			rw.Write([]byte("User-agent: *\nDisallow: /\n"))
			return
		}
		s.ServeHTTP(rw, r)
	})
	for other, name := range map[string]string{"WEB.Example": "web.example", "WEB.EXAMPLE": "web.example"} {
		w.names[replaceHosts(other)] = w.names[replaceHosts(name)]
	}
	rules, err := ParseRules("[[host]]\nurl = \"slow.example\"\ntimeout = \"1s\"\n")
	if err != nil {
		t.Fatal(err)
	}
	w.o.Rules, w.o.PerHost, w.o.Retry = rules, 16, 1
	w.names[replaceHosts("quiet.example")] = w.names["quiet.example"]
	return w
}

// The Verifier does not report a link as broken if the link works or if the responses are
// inconclusive.
func TestTraps(t *testing.T) {
	t.Parallel() // it waits for silent servers
	list := readTraps(t)
	var text strings.Builder
	for _, l := range list {
		text.WriteString(`<a href="` + strings.ReplaceAll(l.link, "&", "&amp;") + "\">x</a>\n")
	}
	w := trapFixture(t)
	if *judge != "" {
		judgeTraps(t, *judge, w, list)
		return
	}
	source := textDoc("traps.html", text.String())
	source.Type = htmlType
	got := w.run(source)
	if len(got) != len(list) {
		t.Fatalf("%d links, want %d", len(got), len(list))
	}
	rightly, wrongly, unsure, dead := 0, 0, 0, 0
	for i, l := range list {
		isBad, reason := got[i].IsBad(), missedTraps[l.link]
		says := line(got[i]) + " (" + got[i].Detail + ")"
		switch {
		case l.truth == "dead" && isBad:
			rightly++
			if reason != "" {
				t.Errorf("%s is no miss any more", says)
			}
		case l.truth == "dead":
			if reason == "" {
				t.Errorf("%s\n\tis dead: %s", says, l.why)
			}
		case falseTraps[l.link] == isBad:
			if isBad {
				wrongly++
			}
		case l.truth == "alive":
			t.Errorf("%s\n\tworks: %s", says, l.why)
		default:
			unsure++
			t.Errorf("%s\n\tis unknown: %s", says, l.why)
		}
		if l.truth == "dead" {
			dead++
		}
	}
	t.Logf("%d links: precision %.3f, recall %.3f, %d false deaths, %d unknown called broken",
		len(list), float64(rightly)/float64(rightly+wrongly), float64(rightly)/float64(dead), wrongly, unsure)
}

// judgeTraps runs a program with a JSON file that contains the links, the addresses of the hosts,
// and the trusted certificates.
func judgeTraps(t *testing.T, program string, w *fixture, list []trap) {
	t.Helper()
	type link struct {
		Name  string `json:"name"`
		Link  string `json:"link"` // link as written in an HTML attribute
		Truth string `json:"truth"`
		Why   string `json:"why"`
	}
	truths := map[string]string{"alive": "good", "dead": "broken", "unknown": "unsure"}
	var links []link
	for i, l := range list {
		links = append(links, link{fmt.Sprintf("%03d", i), strings.ReplaceAll(l.link, "&", "&amp;"), truths[l.truth], l.why})
	}
	dir := t.TempDir()
	trust := filepath.Join(dir, "trust.pem")
	text, err := json.Marshal(map[string]any{"list": "small servers", "links": links, "trust": trust, "hosts": w.names})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(trust, w.trusted, 0o644); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "links.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, file)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
}
