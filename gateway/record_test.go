package gateway_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/internal/secrettest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
	"github.com/locus-url/locus/warc"
)

// The gateway records all resources that it fetches, for pages, raw views and the proxy. It
// does not record secrets of clients or requests with a body.
func TestRecord(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "a="+secrettest.Password)
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/page", http.StatusMovedPermanently)
			return
		}
		io.WriteString(w, "<p>this is "+r.URL.Path+" by "+r.Method)
	}))
	defer site.Close()
	secure := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	menus, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{{Name: "About", Selector: "/about", Data: "one\ntwo\n"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer menus.Close()

	name := filepath.Join(t.TempDir(), "a.warc.gz")
	to, err := warc.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	r := archive.NewRecorder(to, registry, nil)
	s := loopbackSetup
	s.access.Record = func(req *scheme.Request) access.Recording { return r.Record(req) }
	s.gateway.TLS = secure.Client().Transport.(*http.Transport).TLSClientConfig
	w := start(t, s)

	const secret = "Bearer " + secrettest.Password
	w.proxied("GET", site.URL+"/page", "Authorization", secret, "X-Token", secrettest.Password)
	w.proxied("GET", site.URL+"/moved", "Authorization", secret)
	w.proxied("HEAD", site.URL+"/head", "Authorization", secret)
	w.proxied("POST", site.URL+"/post", "X-Token", secrettest.Password)
	w.get("/-/raw?url=" + secure.URL + "/")
	w.get("/-/raw?url=gopher://" + menus.Addr() + "/0/about")
	w.get("/-/raw?url=gopher://" + menus.Addr() + "/0/none")
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for in := warc.NewReader(bytes.NewReader(data)); ; {
		rec, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(rec)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), secrettest.Half) {
			t.Errorf("a secret is there: %s", text)
		}
		got[rec.Type+" "+rec.Target()+rec.Get("Locus-Target-URI")] = string(text)
	}
	for key, want := range map[string]string{
		"response " + site.URL + "/page":                 "\r\n\r\n<p>this is /page by GET",
		"request " + site.URL + "/page":                  "Authorization: Bearer ***\r\n",
		"response " + site.URL + "/moved":                "HTTP/1.1 301 Moved Permanently\r\n",
		"response " + secure.URL + "/":                   "\r\n\r\nHTTP/1.1",
		"resource gopher://" + menus.Addr() + "/0/about": "one\r\ntwo\r\n",
		"metadata gopher://" + menus.Addr() + "/0/about": "\r\n/about\t!\r\n",
		"metadata gopher://" + menus.Addr() + "/0/none":  "none",
	} {
		if !strings.Contains(got[key], want) {
			t.Errorf("%s: %q", key, got[key])
		}
		delete(got, key)
	}
	if page := w.get("/-/raw?url=" + site.URL + "/later"); page.StatusCode != http.StatusOK {
		t.Errorf("after the end of the recording: %d", page.StatusCode)
	}
	for key := range got {
		if strings.Contains(key, "/post") || strings.Contains(key, "response "+site.URL+"/head") {
			t.Errorf("%s is recorded", key)
		}
	}
}
