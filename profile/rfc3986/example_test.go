package rfc3986_test

import (
	"fmt"

	"github.com/locus-url/locus/profile/rfc3986"
)

func ExampleURI_Check() {
	u := rfc3986.Parse("http://user:secret@example.com/a b?next=/~me")
	for _, v := range u.Check() {
		fmt.Println(v.Offset, v.Kind, v.Section, v.Help)
	}
	// Output:
	// 11 note RFC 3986 3.2.1 a password in a URI is deprecated: others can read it
	// 32 violation RFC 3986 3.3 write %20 in the path
}

func ExampleURI_CheckReference() {
	for _, text := range []string{"../a?b", "10.0.0.7:80/a"} {
		fmt.Println(text, rfc3986.Parse(text).CheckReference())
	}
	// Output:
	// ../a?b []
	// 10.0.0.7:80/a [offset 0: "" (path-noscheme, RFC 3986 4.2): write ./ before a relative path with ":" in its first segment]
}

func ExampleURI_SURT() {
	fmt.Println(rfc3986.Parse("http://www.archive.org:8080/movies?id=1").SURT())
	fmt.Println(rfc3986.Parse("http://192.0.2.1/").SURT())
	// Output:
	// http://(org,archive,www,:8080)/movies?id=1
	// http://(192.0.2.1)/
}

func ExampleURI_Normalize() {
	rules := func(scheme string) rfc3986.Rules { return rfc3986.Rules{Port: 80, Root: true} }
	fmt.Println(rfc3986.Parse("HTTP://Example.COM:80/a/./b/../%7euser").Normalize(rules))
	// Output: http://example.com/a/~user
}
