package news_test

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/news"
)

func ExampleParse() {
	for _, text := range []string{"news:*", "news:comp.infosystems.www.misc", "news:unique%25x@host.dom", "nntp://host.dom/comp.infosystems.www.misc/12345"} {
		n, err := news.Parse(locus.MustParse(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		number, _ := n.ArticleNumber()
		fmt.Printf("%v %q %q %d\n", n.All(), n.Newsgroup(), n.MessageID(), number)
	}
	// Output:
	// true "" "" 0
	// false "comp.infosystems.www.misc" "" 0
	// false "" "unique%x@host.dom" 0
	// false "comp.infosystems.www.misc" "" 12345
}

func ExampleParts() {
	n, err := news.Parts{MessageID: "a/b@host.dom"}.URL()
	fmt.Println(n.URL(), err)
	// Output: news:a%2Fb@host.dom <nil>
}
