package archive_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// A client opens a gopher menu from an archive.
func ExampleOpen() {
	ctx := context.Background()
	registry, err := all.Registry()
	if err != nil {
		panic(err)
	}
	store, err := archive.Open(ctx, registry, []string{"testdata/old.warc"}, nil)
	if err != nil {
		panic(err)
	}
	defer store.Close()
	client := access.New(registry, policy.Policy{}, &access.Options{Archive: store})
	defer client.Close()
	res, err := client.Open(ctx, "gopher://gopher.example/")
	if err != nil {
		panic(err)
	}
	defer res.Close()
	for item := range res.Resource.(*scheme.Menu).Items {
		fmt.Println(strings.TrimSpace(item.Title + " " + item.URL.String()))
	}
	// Output:
	// The department of old things
	// About this hole gopher://gopher.example/0/about
	// Papers gopher://gopher.example/1/papers
	// Search gopher://gopher.example/7/find
	// Our page http://www.example/
}
