package news_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// A probe must check whether an article, newsgroup or server exists, without reading an
// article or list.
func TestProbe(t *testing.T) {
	w := start(t, groups, nil, nil)
	w.req.Probe = true
	for _, c := range []struct {
		url  string
		kind error
	}{
		{"nntp://" + w.addr + "/a.few/7", nil},
		{"nntp://" + w.addr + "/a.few", nil},
		{"nntp://" + w.addr + "/a.void", nil},
		{"nntp://" + w.addr + "/a.few/9", scheme.ErrNotFound},
		{"nntp://" + w.addr + "/no.such", scheme.ErrNotFound},
		{"nntp://" + w.addr + "/a%0Ab", locus.ErrValue},
		{"news://" + w.addr + "/a@x", nil},
		{"news://" + w.addr + "/none@x", scheme.ErrNotFound},
		{"news://" + w.addr + "/*", nil},
	} {
		res, err := w.client.Open(t.Context(), w.request(c.url))
		if c.kind != nil {
			wantError(t, err, c.kind)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		switch m, ok := res.(*scheme.Menu); {
		case !ok:
			if text, err := readAll(res, nil); text != "" || err != nil {
				t.Errorf("%s: %q, %v", c.url, text, err)
			}
		case m.Title == "127.0.0.1":
			res.Close()
		default:
			if list, err := readItems(m, nil); len(list) > 0 || err != nil {
				t.Errorf("%s: %v, %v", c.url, list, err)
			}
		}
	}
	w.wantSent(0, hello+"GROUP a.few|STAT 7|GROUP a.few|GROUP a.void|GROUP a.few|STAT 9|GROUP no.such|STAT <a@x>|STAT <none@x>|LIST ACTIVE")
}
