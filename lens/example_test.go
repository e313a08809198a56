package lens_test

import (
	"context"
	"fmt"
	"log"

	"github.com/locus-url/locus/lens"
	"github.com/locus-url/locus/scheme/all"
)

// A service that checks URLs with net/url before a browser opens them.
func Example() {
	schemes, err := all.Registry()
	if err != nil {
		log.Fatal(err)
	}
	var readers []lens.Parser
	for _, r := range append(lens.Standards(schemes), lens.InProcess(schemes)...) {
		if r.Name() == "net/url" || r.Name() == "whatwg" {
			readers = append(readers, r)
		}
	}
	l := lens.New(schemes, readers...)
	reports, err := l.Compare(context.Background(), []string{"http://0xA9FEA9FE/", "http://example.com/"})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range reports {
		fmt.Println(r.Danger, r.Differences, r.Confusion)
	}
	// Output:
	// true [host] ipv4
	// false []
}
