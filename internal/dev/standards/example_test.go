package standards

import (
	"fmt"
	"log"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/profile/whatwg"
	"github.com/locus-url/locus/scheme/all"
)

func Example() {
	const text = `http://example.com\@0x7f.1/~joe`

	// What does a browser open?
	w, repairs, err := whatwg.Check(text, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(w.Href(), len(repairs), "repairs")

	// Is it a URI, and what is wrong with it?
	for _, v := range rfc3986.Parse(text).Check() {
		fmt.Println(v.Offset, v.Section, v.Help)
	}

	// Is it a URL of its scheme, by RFC 1738?
	registry, err := all.Registry()
	if err != nil {
		log.Fatal(err)
	}
	u, err := locus.Parse(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(locus.Conforms(registry.Check(u, locus.RFC1738)))
	// Output:
	// http://example.com/@0x7f.1/~joe 1 repairs
	// 18 RFC 3986 3.2.1 write %5C in the userinfo
	// 20 RFC 3986 7.4 a name by the grammar, but many programs read it as an IPv4 address: write four decimal numbers without leading zeros
	// locus: "http://example.com\\@0x7f.1/~joe": offset 18: "\" is not allowed before the path: programs disagree on its meaning
}

func Example_normalize() {
	rules := func(scheme string) rfc3986.Rules {
		if scheme == "http" {
			return rfc3986.Rules{Port: 80, Root: true}
		}
		return rfc3986.Rules{}
	}
	u := rfc3986.Parse("HTTP://www.Example.COM:80/./%7ejoe")
	fmt.Println(u.Normalize(rules))
	fmt.Println(rfc3986.Equal(u, rfc3986.Parse("http://www.example.com/~joe"), rules))
	fmt.Println(u.Normalize(rules).SURT())
	// Output:
	// http://www.example.com/~joe
	// true
	// http://(com,example,www,)/~joe
}
