package nntp_test

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/nntp"
)

func ExampleParse() {
	n, err := nntp.Parse(locus.MustParse("nntp://host.dom/comp.infosystems.www.misc/12345"))
	if err != nil {
		fmt.Println(err)
		return
	}
	number, ok := n.ArticleNumber()
	fmt.Println(n.Newsgroup(), number, ok)
	// Output: comp.infosystems.www.misc 12345 true
}

func ExampleParts() {
	n, err := nntp.Parts{Host: "host.dom", Newsgroup: "comp.infosystems.www.misc"}.URL()
	fmt.Println(n.URL(), err)
	// Output: nntp://host.dom/comp.infosystems.www.misc <nil>
}
