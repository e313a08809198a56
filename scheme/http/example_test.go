package http_test

import (
	"context"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/http"
)

func ExampleParse() {
	h, err := http.Parse(locus.MustParse("http://info.my.org/AboutUs/Index/Phonebook?tim+berners%2Dlee"))
	if err != nil {
		fmt.Println(err)
		return
	}
	path, _ := h.Path()
	search, _ := h.Search()
	fmt.Println(h.Host(), h.Port())
	fmt.Println(path)
	fmt.Println(search)
	fmt.Printf("%q\n", h.Words())
	// Output:
	// info.my.org 80
	// AboutUs/Index/Phonebook
	// tim+berners-lee
	// ["tim" "berners-lee"]
}

func ExampleParts() {
	words := "C++"
	h, err := http.Parts{Host: "info.my.org", Segments: []string{"AC/DC", "fan mail"}, Search: &words}.URL()
	fmt.Println(h.URL(), err)
	// Output: http://info.my.org/AC%2FDC/fan%20mail?C%2B%2B <nil>
}

func ExampleCanonical() {
	u, change, err := http.Canonical(locus.MustParse("HTTP://Info.My.Org:80/a/%2E%2E/marie%2Dclaude?a%2Bb"))
	fmt.Println(u, err)
	for _, text := range change.Texts() {
		fmt.Println("-", text)
	}
	// Output:
	// http://info.my.org/marie-claude?a%2Bb <nil>
	// - the scheme's name is written in lower case
	// - a host's name is written in lower case
	// - the scheme's default port is left out
	// - an escape that is not needed is written as its character
	// - "." and ".." are resolved in the path
}

func ExampleClient_Open() {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/old" {
			w.Header().Set("Location", "gopher://gopher.micro.umn.edu/")
			w.WriteHeader(nethttp.StatusMovedPermanently)
			return
		}
		fmt.Fprint(w, "hello")
	}))
	defer server.Close()

	client := http.New(nil)
	defer client.Close()
	for _, path := range []string{"/new", "/old"} {
		resource, err := client.Open(context.Background(), &scheme.Request{
			URL:  locus.MustParse(server.URL + path),
			Dial: new(net.Dialer),
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		switch r := resource.(type) {
		case *scheme.Object:
			text, err := io.ReadAll(r.Body)
			fmt.Printf("%s of %d octets: %s %v\n", r.Type, r.Size, text, err)
		case *scheme.Redirect:
			// The client does not follow the redirect; the program must decide.
			fmt.Println("moved for good to", r.To[0])
		}
		resource.Close()
	}
	// Output:
	// text/plain; charset=utf-8 of 5 octets: hello <nil>
	// moved for good to gopher://gopher.micro.umn.edu/
}
