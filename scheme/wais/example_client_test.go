package wais_test

import (
	"context"
	"fmt"
	"io"
	"net"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/wais"
	"github.com/locus-url/locus/scheme/wais/waistest"
)

// A search returns a menu of documents with their URLs.
func ExampleClient_Open() {
	server, err := waistest.Start([]waistest.Database{{Name: "coast", Documents: []waistest.Document{
		{Headline: "The lamp", Path: "lamp.txt", Types: []waistest.Typed{{Wtype: "TEXT", Data: []byte("It is lit at dusk.\n")}}},
		{Headline: "The quay", Path: "quay.txt", Types: []waistest.Typed{{Wtype: "TEXT", Data: []byte("It is wet.\n")}}},
	}}}, &waistest.Options{Host: "localhost:210"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	c := wais.New(nil)
	defer c.Close()
	req := &scheme.Request{URL: locus.MustParse("wais://" + server.Addr() + "/coast?dusk"), Dial: new(net.Dialer)}
	found, err := c.Open(context.Background(), req)
	if err != nil {
		fmt.Println(err)
		return
	}
	for item := range found.(*scheme.Menu).Items {
		path, _ := item.URL.Path()
		fmt.Printf("%s, %d octets, %s\n%s\n", item.Title, item.Size, item.Type, path)
		req.URL = item.URL
		document, err := c.Open(context.Background(), req)
		if err != nil {
			fmt.Println(err)
			return
		}
		text, err := io.ReadAll(document.(*scheme.Object).Body)
		fmt.Printf("%s%v\n", text, err)
		document.Close()
	}
	// Output:
	// The lamp, 19 octets, text/plain
	// coast/TEXT/1%3Dlocalhost%3A210%3B2%3D%2Fwais%2Fcoast%3B3%3D0%2019%20lamp.txt%3B4%3Dlocalhost%3A210%3B5%3D%2Fwais%2Fcoast%3B6%3D0%2019%20lamp.txt%3B7%3D%00%3B
	// It is lit at dusk.
	// <nil>
}
