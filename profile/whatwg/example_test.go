package whatwg_test

import (
	"fmt"
	"log"

	"github.com/locus-url/locus/profile/whatwg"
)

// A browser repairs text that a filter may read as another host.
func ExampleCheck() {
	u, errors, err := whatwg.Check(`http:\\0x7f.1\a b`, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(u.Href(), u.Hostname())
	for _, v := range errors {
		fmt.Printf("%d %s %q\n", v.Offset, v.Rule, v.Text)
	}
	// Output:
	// http://127.0.0.1/a%20b 127.0.0.1
	// 5 special-scheme-missing-following-solidus ""
	// 5 special-scheme-missing-following-solidus "\\\\"
	// 7 IPv4-non-decimal-part "0x7f.1"
	// 15 invalid-URL-unit " "
	// 13 invalid-reverse-solidus "\\"
}
