package gemini_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// A document of a public server: a menu of its links, or an object.
func Example() {
	client, err := all.Client(nil) // every scheme, and public addresses only
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	res, err := client.Open(context.Background(), "gemini://geminiprotocol.net/")
	if err != nil {
		log.Fatal(err)
	}
	defer res.Close()
	switch r := res.Resource.(type) {
	case *scheme.Menu:
		for item, err := range r.Items {
			fmt.Println(item.Title, item.URL, err)
		}
	case *scheme.Object:
		io.Copy(os.Stdout, r.Body)
	}
}
