package all_test

import (
	"fmt"
	"log"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/all"
)

// A list of URLs to fetch, each only once: the scheme determines which spellings
// mean the same.
func Example_crawlList() {
	registry, err := all.Registry()
	if err != nil {
		log.Fatal(err)
	}
	seen := map[locus.URL]bool{}
	for _, text := range []string{
		"http://Example.com",
		"http://example.com:80/",
		"http://example.com/#history",
		"http://example.com/%7ejoe",
		"http://example.com/~joe",
		"gopher://gopher.example.com",
		"gopher://gopher.example.com:70/1",
		"www.example.com",
	} {
		u, err := locus.Parse(text)
		if err != nil {
			fmt.Println("skipped:", text)
			continue
		}
		canonical, _, err := registry.Canonical(u.WithoutFragment())
		if err != nil || seen[canonical] {
			continue
		}
		seen[canonical] = true
		fmt.Println(canonical)
	}
	// Output:
	// http://example.com/
	// http://example.com/%7Ejoe
	// gopher://gopher.example.com/1
	// skipped: www.example.com
}
