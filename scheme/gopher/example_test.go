package gopher_test

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/gopher"
)

func ExampleParse() {
	g, err := gopher.Parse(locus.MustParse("gopher://host/7sel%09two%20words"))
	if err != nil {
		fmt.Println(err)
		return
	}
	search, ok := g.Search()
	fmt.Printf("type %c, selector %q, search %q %v\n", g.Type(), g.Selector(), search, ok)
	// Output: type 7, selector "sel", search "two words" true
}

func ExampleURL_AppendRequest() {
	for _, text := range []string{
		"gopher://host/0sel%09%09!+ABSTRACT%20+SMELL",
		"gopher://host/0a%0D%0ADATA",
	} {
		g, _ := gopher.Parse(locus.MustParse(text))
		request, err := g.AppendRequest(nil)
		fmt.Printf("%q %v\n", request, err)
	}
	// Output:
	// "sel\t!+ABSTRACT +SMELL\r\n" <nil>
	// "" locus: "gopher://host/0a%0D%0ADATA": octet 16: %0D can't be sent: CR and LF end a request, a TAB ends a field, and many servers stop reading at a NUL
}

func ExampleParts() {
	words := "what? now"
	g, err := gopher.Parts{Host: "host", Type: gopher.TypeSearch, Selector: "find", Search: &words}.URL()
	fmt.Println(g.URL(), err)
	// Output: gopher://host/7find%09what%3F%20now <nil>
}
