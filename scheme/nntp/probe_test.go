package nntp_test

import (
	"context"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// A probe asks whether there is an article, or a newsgroup, and gets neither.
func TestProbe(t *testing.T) {
	w := start(t, groups, nil, nil)
	w.req.Probe = true
	for path, kind := range map[string]error{"/a.few/7": nil, "/a.few": nil, "/a.few/9": scheme.ErrNotFound, "/no.such": scheme.ErrNotFound} {
		res, err := w.open(path)
		if kind != nil {
			wantError(t, err, kind)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if menu, ok := res.(*scheme.Menu); ok {
			if list, err := items(menu, nil); len(list) > 0 || err != nil {
				t.Errorf("%s: %v, %v", path, list, err)
			}
		} else if text, err := read(res, nil); text != "" || err != nil {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	server := locus.MustParse("nntp://" + w.addr)
	req := w.request("nntp://" + w.addr + "/a.few")
	o, err := w.client.OpenArticle(context.Background(), req, server, "a@x")
	if err != nil {
		t.Fatal(err)
	}
	o.Close()
	_, err = w.client.OpenArticle(context.Background(), req, server, "none@x")
	wantError(t, err, scheme.ErrNotFound)
	m, err := w.client.OpenGroups(context.Background(), req, server)
	if err != nil {
		t.Fatal(err)
	}
	m.Close()
	for n := range w.server.Log() {
		for _, line := range w.server.Log()[n] {
			if len(line) > 4 && (line[:4] == "ARTI" || line[:4] == "OVER" || line == "LIST NEWSGROUPS") {
				t.Errorf("sent %s", line)
			}
		}
	}
}
