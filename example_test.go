package locus_test

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

func ExampleParse() {
	u, err := locus.Parse("ftp://anonymous:guest@ftp.example.com:2121/pub/a%2Fb;type=i#top")
	if err != nil {
		log.Fatal(err)
	}
	user, _ := u.User()
	port, _ := u.Port()
	path, _ := u.Path()
	fragment, hasFragment := u.Fragment()
	fmt.Println(u.Scheme(), user, u.Host(), port)
	fmt.Println(path)
	fmt.Println(fragment, hasFragment)
	fmt.Println(u) // String includes the password
	// Output:
	// ftp anonymous ftp.example.com 2121
	// pub/a%2Fb;type=i
	// top true
	// ftp://anonymous:***@ftp.example.com:2121/pub/a%2Fb;type=i#top
}

func ExampleSyntaxError() {
	_, err := locus.Parse("http://example.com:99999/")
	var e *locus.SyntaxError
	if errors.As(err, &e) {
		fmt.Println(e.Offset, e.Part, errors.Is(err, locus.ErrPortRange))
	}
	// Output: 19 port true
}

func ExampleParts_URL() {
	path := "pub/" + escape.Encode("50% off?.txt", escape.Unreserved())
	u, err := locus.Parts{Scheme: "ftp", Host: "ftp.example.com", Path: &path}.URL()
	fmt.Println(u, err)
	// Output: ftp://ftp.example.com/pub/50%25%20off%3F.txt <nil>
}

func ExampleUnwrap() {
	u, err := locus.ParseWrapped("<URL:http://www.w3.org/hypertext/WWW/\n     Addressing/URL/Overview.html>")
	fmt.Println(u, err)
	// Output: http://www.w3.org/hypertext/WWW/Addressing/URL/Overview.html <nil>
}

// A URL becomes a request of package net/http without any loss: if net/url would change
// it, NetURL returns an error.
func ExampleURL_NetURL() {
	for _, text := range []string{"http://example.com/a%2Fb?", "http://example.com/a|b"} {
		n, err := locus.MustParse(text).NetURL()
		if err != nil {
			fmt.Println(errors.Is(err, locus.ErrNetURL))
			continue
		}
		r := &http.Request{Method: http.MethodGet, URL: n}
		fmt.Println(r.Method, r.URL, r.URL.EscapedPath(), r.URL.ForceQuery)
	}
	// Output:
	// GET http://example.com/a%2Fb? /a%2Fb true
	// true
}

func ExampleFromNetURL() {
	n, err := url.Parse("https://example.com/search")
	if err != nil {
		log.Fatal(err)
	}
	n.RawQuery = url.Values{"q": {"a b", "c&d"}}.Encode()
	u, err := locus.FromNetURL(n)
	fmt.Println(u, err)
	// Output: https://example.com/search?q=a+b&q=c%26d <nil>
}

func ExampleURL_HostPort() {
	fmt.Println(locus.MustParse("http://[::1]/").HostPort(80))
	fmt.Println(locus.MustParse("http://example.com:8080/").HostPort(80))
	// Output:
	// [::1]:80
	// example.com:8080
}

func ExampleMask() {
	fmt.Println(locus.Mask("ftp://joe:hunter2@example.com /"))
	// Output: ftp://joe:*******@example.com /
}
