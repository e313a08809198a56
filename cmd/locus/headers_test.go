package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
)

// HTTP requests name the program, and contain the header fields from the flag --header.
func TestHeaders(t *testing.T) {
	var mu sync.Mutex
	var seen []http.Header
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Header.Clone())
	}))
	defer server.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "fields")
	if err := os.WriteFile(file, []byte("X-Two: 2\n\nX-Three: 3\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	doc := filepath.Join(dir, "doc.txt")
	if err := os.WriteFile(doc, []byte(server.URL+"/x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad")
	if err := os.WriteFile(bad, []byte("X: 1\nsesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	verify := []string{"verify", "--no-cache", "--allow-private", doc}
	for _, row := range []struct {
		args  []string
		agent string
		want  map[string]string
	}{
		{[]string{"get", server.URL + "/"}, "", nil},
		{[]string{"get", "--user-agent", "mine/1", "--header", "X-One:  1 ", "--header", "@" + file, server.URL + "/"}, "mine/1", map[string]string{"X-One": "1", "X-Two": "2", "X-Three": "3"}},
		{[]string{"get", "--header", "Authorization: Bearer sesame", server.URL + "/"}, "", map[string]string{"Authorization": "Bearer sesame"}},
		{verify, "", nil},
		{append(verify, "--user-agent", "mine/1", "--header", "X-One: 1"), "mine/1", map[string]string{"X-One": "1"}},
	} {
		seen = nil
		if got := commandtest.Run(t, nil, row.args...); got.Status != 0 || len(seen) == 0 {
			t.Fatalf("%q: %+v, %d requests", row.args, got, len(seen))
		}
		if agent := seen[0].Get("User-Agent"); agent != row.agent && (row.agent != "" || !strings.HasPrefix(agent, "locus/") || !strings.HasSuffix(agent, " (+https://github.com/locus-url/locus)")) {
			t.Errorf("%q: User-Agent %q", row.args, agent)
		}
		for name, want := range row.want {
			if got := seen[0].Get(name); got != want {
				t.Errorf("%q: %s %q, want %q", row.args, name, got, want)
			}
		}
	}
	for _, row := range []struct{ field, says string }{
		{"sesame", `write a field as "Name: value"`},
		{"X Y: sesame", `write a field as "Name: value"`},
		{"X: a\r\nY: sesame", "X has a control character"},
		{"host: sesame", "Host is set by the client"},
		{"@" + bad, "bad, line 2: "},
		{"@" + dir + "/none", "no such file"},
	} {
		got := commandtest.Run(t, nil, "get", "--header", row.field, server.URL+"/")
		if got.Status != 2 || !strings.Contains(got.Err, row.says) || strings.Contains(got.Err, "sesame") {
			t.Errorf("%q: %+v, want status 2, %q in err and no %q in err", row.field, got, row.says, "sesame")
		}
	}
	if got := commandtest.Run(t, nil, append(verify, "--header", "Cookie: sesame")...); got.Status != 2 || !strings.Contains(got.Err, "all hosts") {
		t.Errorf("a secret for every host: %+v", got)
	}
	if got := commandtest.Run(t, nil, "get", "--user-agent", "a\nb", server.URL); got.Status != 2 {
		t.Errorf("Run(get, --user-agent, %q, %q) = %+v, want status 2", "a\nb", server.URL, got)
	}
}
