package wais_test

import (
	"fmt"

	"context"
	"log"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/wais"
)

func ExampleParse() {
	for _, text := range []string{
		"wais://quake.think.com/wais-discussion-archives?lynch",
		"wais://host/db/TEXT/206/1=host%3A210;2=db;3=0%200%20/doc/a;",
		"wais://host/db/TEXT/1%3Dhost%3B3%3D0%200%20%2Fdoc%2Fa%3B",
	} {
		x, err := wais.Parse(locus.MustParse(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		words, _ := x.Words()
		length, _ := x.Length()
		fmt.Printf("%s: %q, %s, %d octets, %v\n", x.Database(), words, x.Form(), length, x.Fields())
	}
	// Output:
	// wais-discussion-archives: "lynch", no document, 0 octets, []
	// db: "", length and fields, 206 octets, [{1 host:210} {2 db} {3 0 0 /doc/a}]
	// db: "", escaped fields, 0 octets, [{1 host} {3 0 0 /doc/a}]
}

func ExampleParts() {
	x, err := wais.Parts{Host: "host", Database: "db", Document: &wais.Document{
		Wtype:  "TEXT",
		Fields: []wais.Field{{Number: 2, Content: "db"}, {Number: 3, Content: "0 0 /doc/a b"}},
	}}.URL()
	fmt.Println(x.URL(), err)
	// Output: wais://host/db/TEXT/2%3Ddb%3B3%3D0%200%20%2Fdoc%2Fa%20b%3B <nil>
}

func ExampleURL_DocumentID() {
	for _, text := range []string{
		"wais://host/db/TEXT/206/1=host%3A210;2=db;3=0%200%20/doc/a;",
		"wais://host/db/TEXT/%03%02ab",
	} {
		x, err := wais.Parse(locus.MustParse(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		id, _ := x.DocumentID()
		fields, ok := id.Fields()
		fmt.Printf("%q %q %v %v\n", id, id.LocalID(), fields, ok)
	}
	// Output:
	// "\x01\bhost:210\x02\x02db\x03\n0 0 /doc/a" "0 0 /doc/a" [{1 host:210} {2 db} {3 0 0 /doc/a}] true
	// "\x03\x02ab" "ab" [{3 ab}] true
}

// A program lists the hits of a search.
func Example() {
	client, err := all.Client(nil) // every scheme, and public addresses only
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	res, err := client.Open(context.Background(), "wais://wais.example/db?words")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	for item, err := range res.Resource.(*scheme.Menu).Items {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.Title, item.Note, item.URL)
	}
}
