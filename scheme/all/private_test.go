package all_test

import (
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/finger"
	"github.com/locus-url/locus/scheme/finger/fingertest"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
	"github.com/locus-url/locus/scheme/wais"
	"github.com/locus-url/locus/scheme/wais/waistest"
)

// In protocols without a login, requests must contain no information about the user or the
// program.
func TestNoPersonalData(t *testing.T) {
	phone, err := gophertest.Start(gophertest.Item{}, &gophertest.Options{Phone: []gophertest.Person{{Name: "Anna Smith"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer phone.Close()
	users, err := fingertest.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer users.Close()
	databases, err := waistest.Start([]waistest.Database{{Name: "db"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer databases.Close()
	waisClient := wais.New(nil)
	defer waisClient.Close()
	for _, c := range []struct {
		opener scheme.Opener
		url    string
	}{
		{gopher.New(nil), "gopher://joe:secret@" + phone.Addr() + "/1"},
		{gopher.New(nil), "gopher://joe:secret@" + phone.PhoneAddr() + "/2%09anna"},
		{finger.Client{}, "finger://joe:secret@" + users.Addr() + "/a"},
		{waisClient, "wais://joe:secret@" + databases.Addr() + "/db?a"},
	} {
		res, err := c.opener.Open(t.Context(), &scheme.Request{URL: locus.MustParse(c.url), Dial: new(net.Dialer)})
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := res.(*scheme.Menu); ok {
			for range m.Items {
			}
		}
		res.Close()
	}
	sent := slices.Concat(phone.Log(), phone.PhoneLog(), users.Requests())
	for _, r := range databases.Requests() {
		sent = append(sent, r.Packet)
	}
	if len(sent) < 4 {
		t.Errorf("%d requests", len(sent))
	}
	for _, request := range sent {
		for _, word := range []string{"joe", "secret", "ocus"} {
			if strings.Contains(request, word) {
				t.Errorf("%q contains %q", request, word)
			}
		}
	}
}
