package mid_test

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/mid"
)

func ExampleParse() {
	m, err := mid.Parse(locus.MustParse("mid:960830.1639@XIson.com/partA.960830.1639@XIson.com"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.MessageID())
	fmt.Println(m.ContentID())
	// Output:
	// 960830.1639@XIson.com
	// partA.960830.1639@XIson.com true
}

func ExampleParts() {
	m, err := mid.Parts{MessageID: "a/b@host.dom"}.URL()
	fmt.Println(m.URL(), err)
	c, err := mid.Parts{ContentID: "a/b@host.dom"}.URL()
	fmt.Println(c.URL(), err)
	// Output:
	// mid:a%2Fb@host.dom <nil>
	// cid:a%2Fb@host.dom <nil>
}
