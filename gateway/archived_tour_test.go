package gateway_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/warc"
)

// tourRegistry returns the schemes for the servers of the tour.
func tourRegistry(t *testing.T, m *tour.Demo) *scheme.Registry {
	t.Helper()
	registry, err := all.Registry(m.Schemes()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, s := range registry.All() {
			if c, ok := s.Access.Opener.(io.Closer); ok {
				c.Close()
			}
		}
	})
	return registry
}

// One gateway records the tour's servers, and another gateway shows the same resources from
// the archive. The raw views contain the same bytes.
func TestArchivedTour(t *testing.T) {
	m, err := tour.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	registry := tourRegistry(t, m)
	name := filepath.Join(t.TempDir(), "tour.warc.gz")
	w, err := warc.Create(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	recorder := archive.NewRecorder(w, registry, nil)
	c, err := m.Client(registry, &access.Options{Record: recorder.Record})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	g, err := gateway.New(c, &gateway.Options{Files: m.Holds, TLS: m.TLS()})
	if err != nil {
		t.Fatal(err)
	}
	live := httptest.NewServer(g)
	seen := map[string]string{}
	for _, stop := range m.Stops() {
		if !stop.From.IsZero() || stop.Missing || registry.Scheme(stop.URL).Traits.Has(scheme.Local|scheme.Messages) && stop.Scheme != "file" {
			continue // the user's mail is not recorded
		}
		if resp, body := ask(t, live, "/-/raw?url="+url.QueryEscape(stop.URL.String())); resp.StatusCode == 200 {
			seen[stop.URL.String()] = resp.Header.Get("Content-Type") + "\n" + body
		}
	}
	live.Close()
	g.Close()
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}

	store, err := archive.Open(t.Context(), registry, []string{name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	p, err := policy.New(policy.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	c = access.New(registry, p, &access.Options{Archive: store, Dial: func(_ context.Context, _, address string) (net.Conn, error) {
		t.Errorf("dials %s", address)
		return nil, errors.New("no network")
	}})
	defer c.Close()
	if g, err = gateway.New(c, &gateway.Options{Archive: store}); err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	kept := httptest.NewServer(g)
	defer kept.Close()
	kinds := map[string]int{}
	for u, want := range seen {
		resp, body := ask(t, kept, "/-/raw?url="+url.QueryEscape(u))
		if got := resp.Header.Get("Content-Type") + "\n" + body; got != want {
			t.Errorf("%s: %s, %.300q\nlive %.300q", u, resp.Status, got, want)
		}
		if resp, body := ask(t, kept, "/?url="+url.QueryEscape(u)); resp.StatusCode != 200 {
			t.Errorf("%s: %s, %.300q", u, resp.Status, body)
		}
		name, _, _ := strings.Cut(u, ":")
		kinds[name]++
	}
	for _, name := range []string{"ftp", "http", "gopher", "nntp", "news", "wais", "prospero", "file", "ftps", "https", "gophers", "nntps", "gemini", "finger", "data"} {
		if kinds[name] == 0 {
			t.Errorf("the tour has no resource of %s", name)
		}
	}
}
