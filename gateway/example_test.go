package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// A gateway can be a handler below a path of another server. Its links stay below this
// path.
func Example_prefix() {
	hole, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{{Name: "Old maps", Selector: "/maps.txt", Data: "Here.\n"}}}, nil)
	if err != nil {
		panic(err)
	}
	defer hole.Close()

	registry, err := all.Registry()
	if err != nil {
		panic(err)
	}
	// The gopher server of this example is on this machine.
	rules, err := policy.New(policy.Rules{AllowPrivate: true})
	if err != nil {
		panic(err)
	}
	client := access.New(registry, rules, nil)
	defer client.Close()
	// A public server adds its host name: Names: []string{"www.example.com"}.
	g, err := gateway.New(client, &gateway.Options{Prefix: "/old"})
	if err != nil {
		panic(err)
	}
	defer g.Close()
	mux := http.NewServeMux()
	mux.Handle("/old/", http.StripPrefix("/old", g))
	server := httptest.NewServer(mux)
	defer server.Close()

	resp, err := http.Get(server.URL + "/old/?url=" + url.QueryEscape("gopher://"+hole.Addr()+"/"))
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(resp.Status)
	fmt.Println(strings.Contains(string(body), `href="/old/gopher/`+hole.Addr()+`/0/maps.txt`))
	// Output:
	// 200 OK
	// true
}
