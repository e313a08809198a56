package news_test

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/news"
)

func ExampleParse() {
	for _, text := range []string{"news:*", "news:comp.infosystems.www.misc", "news:unique%25x@host.dom"} {
		n, err := news.Parse(locus.MustParse(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%v %q %q\n", n.All(), n.Newsgroup(), n.MessageID())
	}
	// Output:
	// true "" ""
	// false "comp.infosystems.www.misc" ""
	// false "" "unique%x@host.dom"
}

func ExampleParts() {
	n, err := news.Parts{MessageID: "a/b@host.dom"}.URL()
	fmt.Println(n.URL(), err)
	// Output: news:a%2Fb@host.dom <nil>
}
