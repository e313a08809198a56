package prospero_test

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/prospero"
)

func ExampleParse() {
	x, err := prospero.Parse(locus.MustParse("prospero://host.dom//pros/name;OBJECT-VERSION=12"))
	if err != nil {
		fmt.Println(err)
		return
	}
	version, ok := x.ObjectVersion()
	fmt.Println(x.Hsoname(), version, ok)
	// Output: /pros/name 12 true
}

func ExampleParts() {
	x, err := prospero.Parts{
		Host:    "host.dom",
		Hsoname: "/pros/a;b",
		Fields:  []prospero.Field{{Name: prospero.ObjectVersion, Value: "12"}},
	}.URL()
	fmt.Println(x.URL(), err)
	// Output: prospero://host.dom//pros/a%3Bb;OBJECT-VERSION=12 <nil>
}
