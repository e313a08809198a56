package cid_test

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/cid"
)

func ExampleParse() {
	c, err := cid.Parse(locus.MustParse("cid:foo4%25foo1@bar.net"))
	fmt.Println(c.ContentID(), err)
	// Output: foo4%foo1@bar.net <nil>
}

func ExampleParts() {
	c, err := cid.Parts{ContentID: "a/b@host.dom"}.URL()
	fmt.Println(c.URL(), err)
	// Output: cid:a%2Fb@host.dom <nil>
}
