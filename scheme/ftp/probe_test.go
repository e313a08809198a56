package ftp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// A probe must not open a data connection if the server reports the size or time.
func TestProbe(t *testing.T) {
	files := ftptest.Files{"pub/a.txt": {Data: "text"}, "pub/sub/b": {}}
	for _, c := range []struct {
		path string
		kind error
		data bool
	}{
		{path: "/pub/a.txt"},
		{path: "/pub/a.txt;type=i"},
		{path: "/pub/sub/"},
		{path: "/pub/sub/;type=d"},
		{path: "/pub/none", kind: scheme.ErrNotFound, data: true},
		{path: "/none/", kind: scheme.ErrNotFound},
		{path: "/none/a", kind: scheme.ErrNotFound},
	} {
		w := start(t, files, nil, nil)
		w.req.Probe = true
		res, err := w.open("", c.path)
		if err == nil {
			res.Close()
		}
		if c.kind != nil {
			w.wantError(err, c.kind)
		} else if err != nil {
			t.Errorf("%s: %v", c.path, err)
		}
		verbs := strings.Join(w.server.Log()[0], "|")
		if data := strings.Contains(verbs, "EPSV"); data != c.data {
			t.Errorf("%s: sent %s", c.path, verbs)
		}
	}
	// Many probes must use one control connection.
	w := start(t, files, nil, nil)
	w.req.Probe = true
	for range 3 {
		for _, path := range []string{"/pub/", "/pub/a.txt"} {
			res, err := w.open("", path)
			if err != nil {
				t.Fatal(err)
			}
			res.Close()
		}
	}
	if n := len(w.server.Log()); n != 1 {
		t.Errorf("%d connections: %v", n, slices.Concat(w.server.Log()...))
	}
}
