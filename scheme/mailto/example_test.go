package mailto_test

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/mailto"
)

func ExampleParse() {
	m, err := mailto.Parse(locus.MustParse("mailto:user%25gateway.dom@host.dom"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.AddrSpec())
	// Output: user%gateway.dom@host.dom
}

// Address rejects a line end, which AddrSpec returns.
func ExampleURL_Address() {
	m, err := mailto.Parse(locus.MustParse("mailto:joe%0D%0ABcc:jim@host.dom"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", m.AddrSpec())
	_, err = m.Address()
	fmt.Println(err)
	// Output:
	// "joe\r\nBcc:jim@host.dom"
	// locus: "mailto:joe%0D%0ABcc:jim@host.dom": offset 10: a control character (0D hexadecimal) can't be in an address
}

// The text after "?" is part of the address in RFC 1738, and header fields in RFC 6068.
func ExampleURL_Headers() {
	m, err := mailto.Parse(locus.MustParse("mailto:joe@example.com?cc=bob@example.com&body=hello"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.AddrSpec())
	h, err := m.Headers()
	fmt.Println(h.To, h.Fields, err)
	// Output:
	// joe@example.com?cc=bob@example.com&body=hello
	// [joe@example.com] [{cc bob@example.com} {body hello}] <nil>
}

func ExampleParts() {
	m, err := mailto.Parts{AddrSpec: `"joe smith"@host.dom`}.URL()
	fmt.Println(m.URL(), err)
	// Output: mailto:%22joe%20smith%22@host.dom <nil>
}
