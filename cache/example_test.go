package cache_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/scheme/all"
)

// The second response comes from the store.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=60")
		io.WriteString(w, "Hello\n")
	}))
	defer server.Close()
	dir, err := os.MkdirTemp("", "cache")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	registry, err := all.Registry()
	if err != nil {
		fmt.Println(err)
		return
	}
	store, err := cache.Open(dir, registry, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()

	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: store.Transport(transport)}
	for range 2 {
		resp, err := client.Get(server.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		status, _, _ := strings.Cut(resp.Header.Get("Cache-Status"), "; ttl=") // without the remaining lifetime
		fmt.Printf("%s%s, %v\n", body, status, err)
	}
	// Output:
	// Hello
	// locus; fwd=uri-miss; stored, <nil>
	// Hello
	// locus; hit, <nil>
}
