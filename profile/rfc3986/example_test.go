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

func ExampleURI_Normalize() {
	rules := func(scheme string) rfc3986.Rules { return rfc3986.Rules{Port: 80, Root: true} }
	fmt.Println(rfc3986.Parse("HTTP://Example.COM:80/a/./b/../%7euser").Normalize(rules))
	// Output: http://example.com/a/~user
}
