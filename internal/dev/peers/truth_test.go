package peers

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var judge = flag.String("truth", "", "program that verifies the links of TestTruth: rivals/links.py")

// truth is a line of testdata/truth.tsv.
type truth struct {
	number  int
	link    string // link in the form of an HTML attribute, with server addresses filled in
	is      string // good, broken, unsure
	verdict string // verdict of locus
	why     string
	name    string // of its document: "017"
	shown   string // the link with {names} of servers
}

// truthServers maps server names to addresses of the form host:port.
type truthServers map[string]string

// readTruth reads the links of all servers that run.
func readTruth(t *testing.T, servers truthServers) (list []truth) {
	t.Helper()
	text, err := os.ReadFile("testdata/truth.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for name, address := range servers {
		names = append(names, "{"+name+"}", address)
	}
	fill := strings.NewReplacer(names...)
	number := 0
	for line := range strings.Lines(string(text)) {
		// A row may begin with "#", because the link may be a fragment of its own
		// document.
		if strings.HasPrefix(line, "# ") {
			continue
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		number++
		if len(fields) != 4 || !slices.Contains([]string{"good", "broken", "unsure"}, fields[1]) {
			t.Fatalf("line %d: %q", number, line)
		}
		one := truth{number: number, link: fill.Replace(fields[0]), is: fields[1], verdict: fields[2], why: fields[3], name: fmt.Sprintf("%03d", number), shown: fields[0]}
		if _, after, ok := strings.Cut(fields[0], "{"); ok {
			server, _, _ := strings.Cut(after, "}")
			if _, ok := servers[server]; !ok {
				continue
			}
		}
		list = append(list, one)
	}
	return list
}

// certificateOf creates a certificate for a host, which parent signs. If parent is nil, the
// certificate is self-signed.
func certificateOf(t *testing.T, host string, from, to time.Duration, parent *tls.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "truth " + host}, BasicConstraintsValid: true, IsCA: host == "",
		NotBefore: time.Now().Add(from), NotAfter: time.Now().Add(to), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else if host != "" {
		template.DNSNames = []string{host}
	}
	signer, signKey := template, any(key)
	if parent != nil {
		signer, signKey = parent.Leaf, parent.PrivateKey
		template.KeyUsage = x509.KeyUsageDigitalSignature
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer, &key.PublicKey, signKey)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// startTruth starts the servers. The result trust is the file with the certificate of the
// authority that programs must trust.
func startTruth(t *testing.T) (servers truthServers, docs *truthDocs, trust string) {
	t.Helper()
	web := &truthWeb{tries: map[string]int{}}
	docs = &truthDocs{pages: map[string]string{}}
	secure := func(c tls.Certificate) string {
		return startWeb(t, web, func(s *httptest.Server) {
			s.TLS, s.EnableHTTP2 = &tls.Config{Certificates: []tls.Certificate{c}}, true
			s.StartTLS()
		})
	}
	const day = 24 * time.Hour
	ca := certificateOf(t, "", -30*day, 30*day, nil)
	other := certificateOf(t, "", -30*day, 30*day, nil)
	servers = truthServers{
		"docs": startWeb(t, docs, nil), "web": startWeb(t, web, nil), "busy": startWeb(t, web, nil), "raw": startRaw(t), "silent": silentServer(t), "closed": fmt.Sprintf("127.0.0.1:%d", closedPort(t)),
		"tls":     secure(certificateOf(t, "127.0.0.1", -day, 20*day, &ca)),
		"expired": secure(certificateOf(t, "127.0.0.1", -20*day, -day, &ca)),
		"early":   secure(certificateOf(t, "127.0.0.1", day, 20*day, &ca)),
		"wrong":   secure(certificateOf(t, "other.example", -day, 20*day, &ca)),
		"self":    secure(certificateOf(t, "127.0.0.1", -day, 20*day, nil)),
		"unknown": secure(certificateOf(t, "127.0.0.1", -day, 20*day, &other)),
	}
	if l, err := net.Listen("tcp6", "[::1]:0"); err == nil {
		_, servers["web6"], _ = net.SplitHostPort(l.Addr().String())
		startWeb(t, web, func(s *httptest.Server) {
			s.Listener.Close()
			s.Listener = l
			s.Start()
		})
	}
	web.docs, web.web, web.tls, web.expired, web.closed = servers["docs"], servers["web"], servers["tls"], servers["expired"], servers["closed"]
	trust = filepath.Join(publicDir(t), "ca.pem")
	write(t, trust, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Certificate[0]})), 0o644)
	truthPeers(t, servers)
	return servers, docs, trust
}

// closedPort returns a port that is in use but refuses connections.
func closedPort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	// A socket that is connected to itself reserves the port, and no program listens on the
	// port.
	address := l.Addr().String()
	c, err := net.Dial("tcp4", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return l.Addr().(*net.TCPAddr).Port
}

// truthPeers starts the servers of other projects.
func truthPeers(t *testing.T, servers truthServers) {
	t.Helper()
	p := nginx(t, strings.ReplaceAll(verifyLocations, "http://MUTE", "http://"+servers["silent"]))
	write(t, filepath.Join(p.pub, "page.html"), "<h1 id=part>Part</h1>", 0o644)
	write(t, filepath.Join(p.pub, "dir/index.html"), "<p>dir", 0o644)
	write(t, filepath.Join(p.pub, "text.txt"), "text", 0o644)
	f, g, n := vsftpd(t), gophernicus(t), startNews(t)
	for name, text := range map[string]string{"a.txt": "text", "a b.txt": "text", "a.md": "# Part"} {
		write(t, filepath.Join(f.pub, "pub", name), text, 0o644)
	}
	write(t, filepath.Join(g.pub, "about.txt"), "about\n", 0o644)
	write(t, filepath.Join(g.pub, "sub/deep.txt"), "deep\n", 0o644)
	servers["nginx"], servers["ftp"], servers["gopher"], servers["news"] = p.addr(), f.addr(), g.addr(), n.addr()
}

// truthDocs serves a document for each link, and the targets of relative links.
type truthDocs struct {
	pages map[string]string // maps paths to pages
}

func (d *truthDocs) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	text, ok := d.pages[r.URL.Path]
	switch {
	case ok:
		fmt.Fprint(w, text)
	case r.URL.Path == "/docs/sub":
		http.Redirect(w, r, "/docs/sub/", http.StatusMovedPermanently)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// fill creates a document for each element of list, and returns the URL of an index of these
// documents.
func (d *truthDocs) fill(host string, list []truth) string {
	var index strings.Builder
	for _, one := range list {
		fmt.Fprintf(&index, "<a href=\"/docs/%s.html\">%[1]s</a>\n", one.name)
		link := `<a href="` + one.link + `">x</a>`
		d.pages["/docs/"+one.name+".html"] = "<!doctype html><title>" + one.name + "</title><p id=\"here\">" + link + "</p>\n"
	}
	d.pages["/docs/index.html"] = "<!doctype html><title>index</title>" + index.String()
	d.pages["/"], d.pages["/docs/"] = "<!doctype html><title>home</title><p>home", "<!doctype html><title>docs</title>"+index.String()
	d.pages["/docs/page.html"] = "<!doctype html><title>page</title><p id=part>part"
	d.pages["/docs/sub/"], d.pages["/docs/sub/deep.html"] = "<!doctype html><title>sub</title><p>sub", "<!doctype html><title>deep</title><p>deep"
	return "http://" + host + "/docs/index.html"
}

// TestTruth checks the verdict for each link whose state is known. Locus must not report a good
// link as broken.
func TestTruth(t *testing.T) {
	long(t)
	servers, docs, trust := startTruth(t)
	list := readTruth(t, servers)
	index := docs.fill(servers["docs"], list)
	if *judge != "" {
		judgeTruth(t, *judge, servers, list, index, trust)
		return
	}
	got := truthVerdicts(t, servers, index, trust)
	for _, one := range list {
		switch v, ok := got[one.name]; {
		case !ok:
			t.Errorf("%d %s: no verdict", one.number, one.shown)
		case one.is == "good" && isBroken(v.Verdict):
			t.Errorf("%d %s: a false death: %s, %s", one.number, one.shown, v.Verdict, v.Detail)
		case v.Verdict != one.verdict:
			t.Errorf("%d %s: %s (%d %s), want %s: %s", one.number, one.shown, v.Verdict, v.Status, v.Detail, one.verdict, one.why)
		}
	}
	if len(list) < 300 {
		t.Errorf("%d links", len(list))
	}
}

// judgeTruth runs a program with a JSON file. The file contains the links, and the data that link
// checkers need to check the links.
func judgeTruth(t *testing.T, program string, servers truthServers, list []truth, index, trust string) {
	t.Helper()
	type link struct {
		Name     string `json:"name"`
		Link     string `json:"link"` // link in the form of an HTML attribute
		Truth    string `json:"truth"`
		Why      string `json:"why"`
		Document string `json:"document"`
	}
	var links []link
	for _, one := range list {
		links = append(links, link{one.name, one.link, one.is, one.why, strings.TrimSuffix(index, "index.html") + one.name + ".html"})
	}
	_, news, _ := net.SplitHostPort(servers["news"])
	text, err := json.Marshal(map[string]any{"list": "ordinary and hostile servers", "links": links, "index": index, "trust": trust, "news": news})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(publicDir(t), "links.json")
	write(t, file, string(text), 0o644)
	cmd := exec.CommandContext(t.Context(), program, file)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
}

func isBroken(verdict string) bool {
	return slices.Contains([]string{"dead", "fragment", "tls", "malformed"}, verdict)
}

// truthTimeout is the value of --timeout in the test. It is long, because the machine may be busy.
const truthTimeout = "15s"

// truthFlags returns the flags of "locus verify" in the test.
func truthFlags(servers truthServers) []string {
	_, news, _ := net.SplitHostPort(servers["news"])
	return []string{"--json", "--allow-private", "--rate", "0", "--per-host", "8", "--timeout", truthTimeout, "--max-wait", "5s", "--allow-port", news}
}

// truthVerdicts runs locus on the documents and returns the verdict for each document.
func truthVerdicts(t *testing.T, servers truthServers, index, trust string) map[string]verdict {
	t.Helper()
	r := locusEnv(t, []string{"SSL_CERT_FILE=" + trust}, append(append([]string{"verify", "--no-cache"}, truthFlags(servers)...), index)...)
	got := map[string]verdict{}
	for line := range strings.Lines(r.out) {
		var v struct {
			verdict
			Document string
		}
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if name, ok := documentOf(v.Document); ok {
			got[name] = v.verdict
		}
	}
	if len(got) == 0 {
		t.Fatalf("status %d: %s%s", r.status, clip(r.out), clip(r.err))
	}
	return got
}

// documentOf returns the name of the document at a URL or path.
func documentOf(text string) (name string, ok bool) {
	text, _, _ = strings.Cut(text, "?")
	text = text[strings.LastIndexByte(text, '/')+1:]
	name, ok = strings.CutSuffix(text, ".html")
	if !ok {
		name, ok = strings.CutSuffix(text, ".md")
	}
	return name, ok && len(name) == 3
}
