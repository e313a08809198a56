package news_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/news/newstest"
	"github.com/locus-url/locus/scheme/schemetest"
)

// FuzzArchived checks that any archived bytes result in a resource or an error, and that the
// reader is closed.
func FuzzArchived(f *testing.F) {
	f.Add("211 2 1 2 g\r\n215 order of fields\r\nSubject:\r\nFrom:\r\nDate:\r\nMessage-ID:\r\nReferences:\r\n:bytes\r\n:lines\r\n.\r\n224 list\r\n1\tOne\ta@b\tFri, 20 Nov 2026 10:00:00 +0000\t<a@x>\t\t10\t1\r\n.\r\n")
	f.Add("211 2 1 2 g\r\n503 no\r\n500 no\r\n500 no\r\n225 list\r\n1 <a@x>\r\n.\r\n500 no\r\n500 no\r\n500 no\r\n500 no\r\n")
	f.Add("211 1 1 1 g\r\n503 no\r\n500 no\r\n500 no\r\n500 no\r\n500 no\r\n211 1 1 1 g\r\n1\r\n.\r\n221 1 <a@x>\r\nSubject: a\r\n.\r\n")
	f.Add("215 descriptions\r\ng\ta group\r\n.\r\n215 list\r\ng 2 1 y\r\n.\r\n")
	f.Add("Subject: an article\r\n\r\nText\r\n")
	rows := news.Schemes(nil)
	f.Fuzz(func(t *testing.T, octets string) {
		for _, s := range rows {
			for _, rest := range map[string][]string{"news": {":g", ":*", ":a@x"}, "nntp": {"://h/g", "://h/g/1"}}[s.Name] {
				schemetest.ReadArchived(t, s, locus.MustParse(s.Name+rest), "", []byte(octets))
			}
		}
	})
}

// selectedBody is an archived body for a request that selects some of its items.
type selectedBody struct {
	io.Reader
	items scheme.ItemRange
}

func (s selectedBody) Items() scheme.ItemRange { return s.items }
func (selectedBody) Close() error              { return nil }

// The menu of an archived list must contain the requested article numbers, and report the
// missing numbers.
func TestArchivedItems(t *testing.T) {
	many := newstest.Group{First: 101}
	for i := range 1500 {
		many.Articles = append(many.Articles, article(fmt.Sprint(i, "@x"), fmt.Sprint("s", 101+i), ""))
	}
	for _, o := range []newstest.Options{{}, {Unknown: []string{"OVER", "XOVER"}}, {RFC977: true}} {
		w := start(t, newstest.Groups{"g": many}, &o, nil)
		u := locus.MustParse("news://" + w.addr + "/g")
		req := w.request(u.String())
		req.Source = true
		res, err := w.client.Open(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		m := res.(*scheme.Menu)
		if _, err := readItems(m, nil); err != nil {
			t.Fatal(err)
		}
		octets, _ := m.Source()
		for _, c := range []struct {
			items       scheme.ItemRange
			note        string
			count       int
			first, last string
		}{
			{scheme.ItemRange{}, "not listed: 101-600", 1000, "s601", "s1600"},
			{scheme.ItemRange{Newest: 3}, "not listed: 101-1597", 3, "s1598", "s1600"},
			{scheme.ItemRange{First: 500, Last: 610}, "not listed: 101-600 and 611-1600", 10, "s601", "s610"},
			{scheme.ItemRange{Last: 300}, "not listed: 101-1600", 0, "", ""},
		} {
			list, err := readItems(news.Schemes(nil)[0].Access.Archived(u, "", selectedBody{bytes.NewReader(octets), c.items}))
			if err != nil || len(list) != c.count+1 || list[0].Title != c.note || c.count > 0 && (list[1].Title != c.first || list[c.count].Title != c.last) {
				t.Errorf("%+v of %+v: %d items, %v", c.items, o, len(list), err)
			}
		}
	}
}
