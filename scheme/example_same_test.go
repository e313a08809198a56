package scheme_test

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/http"
)

// A "/" is reserved in http URLs, but data in gopher URLs.
func ExampleRegistry_Same() {
	registry, err := scheme.NewRegistry(http.Scheme(nil), gopher.Scheme(nil)) // or all.Registry
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, pair := range [][2]string{
		{"http://example.com/%7Efred", "HTTP://example.com:80/~fred"},
		{"http://example.com/a%2Fb", "http://example.com/a/b"},
		{"gopher://example.com/0a%2Fb", "gopher://example.com/0a/b"},
	} {
		same, why := registry.Same(locus.MustParse(pair[0]), locus.MustParse(pair[1]))
		fmt.Println(same)
		for _, reason := range why {
			fmt.Println("  ", reason)
		}
	}
	// Output:
	// true
	//    the scheme's name is written in lower case
	//    the scheme's default port is left out
	//    a character that must be escaped is written as its escape
	// false
	//    the path differs: "a%2Fb" and "a/b"
	//    "/" is reserved in http URLs (RFC 1738 3.3), so it differs from its escape %2F (RFC 1738 2.2)
	// true
	//    an escape that is not needed is written as its character
}
