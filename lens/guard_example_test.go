package lens_test

import (
	"context"
	"fmt"
	"log"

	"github.com/locus-url/locus/lens"
	"github.com/locus-url/locus/scheme/all"
)

// A service filters with net/url, and a browser fetches the URL afterwards.
func ExampleLens_Guard() {
	schemes, err := all.Registry()
	if err != nil {
		log.Fatal(err)
	}
	filter, fetch := lens.InProcess(schemes)[0], lens.Standards(schemes)[3]
	o := lens.GuardOptions{From: []string{"http://192.0.2.1/"}, MaxFindings: 1}
	result, err := lens.New(schemes).Guard(context.Background(), filter, fetch, &o)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range result.Findings {
		fmt.Printf("%q: the %s differs: %s\n", f.URL, f.Differs, f.Report.Why)
	}
	// Output: "http://1": the host differs: Some parsers take the host for an IPv4 address in another spelling, others for a name. Dangerous: net/url contacts 1 port 80, whatwg contacts 0.0.0.1 port 80.
}
