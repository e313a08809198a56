package gopher_test

import (
	"context"
	"fmt"
	"strings"

	"log"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// A program lists the items in a menu, with their URLs.
func ExampleClient_Open() {
	server, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Name: "About", Data: "It opens at nine.\n"},
		{Name: "Paintings", Items: []gophertest.Item{{Name: "A gopher", Type: 'I'}}},
		{Name: "Search", Search: func(string) []gophertest.Item { return nil }},
		{Name: "The catalogue", Type: '8', Selector: "guest", Host: "library.example", Port: 23},
	}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	root := "gopher://" + server.Addr() + "/"

	// The rule permits connections to this machine, which the policy denies by default.
	client, err := all.Client(&all.Options{Rules: policy.Rules{TypedPrivate: true}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	res, err := client.Open(context.Background(), root)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Close()
	for item, err := range res.Resource.(*scheme.Menu).Items {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-7s %-16s %s\n", item.Kind, item.Title, strings.Replace(item.URL.String(), root, "gopher://museum/", 1))
	}
	// Output:
	// object  About            gopher://museum/0/About%09%09+
	// menu    Paintings        gopher://museum/1/Paintings%09%09+
	// search  Search           gopher://museum/7/Search%09%09+
	// session The catalogue    telnet://guest@library.example
}

func ExampleParse() {
	g, err := gopher.Parse(locus.MustParse("gopher://host/7sel%09two%20words"))
	if err != nil {
		fmt.Println(err)
		return
	}
	search, ok := g.Search()
	fmt.Printf("type %c, selector %q, search %q %v\n", g.Type(), g.Selector(), search, ok)
	// Output: type 7, selector "sel", search "two words" true
}

func ExampleURL_AppendRequest() {
	for _, text := range []string{
		"gopher://host/0sel%09%09!+ABSTRACT%20+SMELL",
		"gopher://host/0a%0D%0ADATA",
	} {
		g, _ := gopher.Parse(locus.MustParse(text))
		request, err := g.AppendRequest(nil)
		fmt.Printf("%q %v\n", request, err)
	}
	// Output:
	// "sel\t!+ABSTRACT +SMELL\r\n" <nil>
	// "" locus: "gopher://host/0a%0D%0ADATA": offset 16: %0D can't be sent: CR and LF end a request, a TAB ends a field, and many servers stop reading at a NUL
}

func ExampleParts() {
	words := "what? now"
	g, err := gopher.Parts{Host: "host", Type: gopher.TypeSearch, Selector: "find", Search: &words}.URL()
	fmt.Println(g.URL(), err)
	// Output: gopher://host/7find%09what%3F%20now <nil>
}

// A program lists the menu of a public server.
func Example() {
	client, err := all.Client(nil) // every scheme, and public addresses only
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	res, err := client.Open(context.Background(), "gopher://gopher.floodgap.com/")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	for item, err := range res.Resource.(*scheme.Menu).Items {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.Kind, item.Title, item.URL)
	}
}
