package all_test

import (
	"io"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/news/newstest"
)

// A client must be able to follow links from the list of newsgroups to a newsgroup, and from the
// newsgroup to an article. The policy must allow these links.
func TestNews(t *testing.T) {
	text := "Subject: =?utf-8?q?caf=C3=A9?=\r\nMessage-ID: <a/b%c@d.e>\r\n\r\n.\r\n"
	server, err := newstest.Start(newstest.Groups{"a.b": {Description: "of a", Articles: []string{text}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	reader := news.New(&news.Options{Server: locus.MustParse("nntp://" + server.Addr())})
	defer reader.Close()
	registry, err := all.Registry(news.Schemes(reader)...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	client := access.New(registry, p, nil)
	for _, base := range []string{"news:", "news://" + server.Addr() + "/"} {
		u := locus.MustParse(base + "*")
		for _, want := range []string{base + "a.b", base + "a%2Fb%25c@d.e"} {
			res, err := client.Open(t.Context(), u.String())
			if err != nil {
				t.Fatal(err)
			}
			for it, err := range res.Resource.(*scheme.Menu).Items {
				if err != nil || it.URL.String() != want || it.Title != "a.b" && it.Title != "café" {
					t.Errorf("%v: %+v, %v", u, it, err)
				}
				u = it.URL
			}
			res.Close()
		}
		res, err := client.Open(t.Context(), u.String())
		if err != nil {
			t.Fatal(err)
		}
		o := res.Resource.(*scheme.Object)
		if b, err := io.ReadAll(o.Body); string(b) != text || err != nil || o.Name != "a/b%c@d.e" || o.URL != u {
			t.Errorf("%q, %v, %+v", b, err, o)
		}
		res.Close()
	}
	if n := len(server.Log()); n > 2 {
		t.Errorf("%d connections", n)
	}
}
