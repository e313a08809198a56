package nntp_test

import (
	"context"
	"fmt"
	"net"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/nntp"
	"github.com/locus-url/locus/scheme/nntp/nntptest"
)

// The newest two articles of a newsgroup.
func ExampleClient() {
	server, err := nntptest.Start(nntptest.Groups{"local.test": {Articles: []string{
		"From: a@b\r\nSubject: One\r\n\r\n", "From: a@b\r\nSubject: Two\r\n\r\n", "From: a@b\r\nSubject: =?utf-8?q?Tr=C3=A8s?=\r\n\r\n",
	}}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := nntp.New(nil)
	defer client.Close()

	u := locus.MustParse("nntp://" + server.Addr() + "/local.test")
	res, err := client.Open(context.Background(), &scheme.Request{URL: u, Dial: new(net.Dialer), Items: scheme.ItemRange{Newest: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Close()
	for it, err := range res.(*scheme.Menu).Items {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s %q %q\n", it.Kind, it.Title, it.Note)
	}
	// Output:
	// info "not listed: 1" ""
	// object "Two" "a@b"
	// object "Très" "a@b"
}
