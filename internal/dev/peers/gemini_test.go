package peers

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	locusurl "github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gemini"
)

// mollyBrown starts Molly Brown, a Gemini server.
func mollyBrown(t testing.TB) *peer {
	t.Helper()
	program := need(t, "molly-brown", "/usr/bin/molly-brown")
	dir := publicDir(t)
	p := &peer{pub: filepath.Join(dir, "pub")}
	certificate, err := certtest.New()
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(certificate.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "cert.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]})), 0o644)
	write(t, filepath.Join(dir, "key.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})), 0o600)
	write(t, filepath.Join(p.pub, "index.gmi"), "# Capsule\n=> notes/one.txt A note\n=> /moved Moved\n", 0o644)
	write(t, filepath.Join(p.pub, "notes", "one.txt"), "one\n", 0o644)
	write(t, filepath.Join(p.pub, "notes", "two words.gmi"), "two\n", 0o644)
	p.port = runOnPort(t, func(port int) []string {
		write(t, filepath.Join(dir, "conf"), fmt.Sprintf(`Port = %[2]d
Hostname = "127.0.0.1"
CertPath = "%[1]s/cert.pem"
KeyPath = "%[1]s/key.pem"
DocBase = "%[1]s/pub"
AccessLog = "%[1]s/access.log"
ErrorLog = "%[1]s/error.log"
[PermRedirects]
"/moved" = "/notes/one.txt"
`, dir, port), 0o644)
		return []string{program, "-c", filepath.Join(dir, "conf")}
	})
	return p
}

func TestGemini(t *testing.T) {
	p := mollyBrown(t)
	client := gemini.New(&gemini.Options{KnownHosts: gemini.InMemory})
	base := "gemini://" + p.addr()
	open := func(path string) (scheme.Resource, error) {
		res, err := client.Open(t.Context(), &scheme.Request{URL: locusurl.MustParse(base + path), Dial: new(net.Dialer)})
		if err == nil {
			t.Cleanup(func() { res.Close() })
		}
		return res, err
	}
	titles := func(path string) (list []string) {
		t.Helper()
		res, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, err := range res.(*scheme.Menu).Items {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, i.Title+" "+strings.TrimPrefix(i.URL.String(), base))
		}
		return list
	}
	if got := strings.Join(titles("/"), "|"); got != "# Capsule |A note /notes/one.txt|Moved /moved" {
		t.Errorf("the first document: %s", got)
	}
	// For a directory without an index document, the server lists the files.
	if got := strings.Join(titles("/notes/"), "|"); !strings.Contains(got, "/notes/one.txt") || !strings.Contains(got, "/notes/two%20words.gmi") {
		t.Errorf("a directory: %s", got)
	}
	res, err := open("/notes/one.txt")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(res.(*scheme.Object).Body); string(text) != "one\n" || err != nil {
		t.Errorf("body of /notes/one.txt = %q, %v, want %q", text, err, "one\n")
	}
	res, err = open("/moved")
	if err != nil {
		t.Fatal(err)
	}
	if r := res.(*scheme.Redirect); !r.Permanent || r.To[0].String() != base+"/notes/one.txt" {
		t.Errorf("open(/moved) = %+v, want a permanent redirect to %s", r, base+"/notes/one.txt")
	}
	if _, err := open("/none"); !errors.Is(err, scheme.ErrNotFound) {
		t.Error(err)
	}
}
