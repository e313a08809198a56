package news_test

import (
	"context"
	"fmt"
	"io"
	"net"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/news/newstest"
)

// A program lists the newest two articles of a newsgroup, and opens an article by its
// message-id.
func ExampleClient() {
	server, err := newstest.Start(newstest.Groups{"local.test": {Articles: []string{
		"From: a@b\r\nSubject: One\r\n\r\n", "From: a@b\r\nSubject: Two\r\nMessage-ID: <a%b@c.test>\r\n\r\nHello.\r\n", "From: a@b\r\nSubject: =?utf-8?q?Tr=C3=A8s?=\r\n\r\n",
	}}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := news.New(&news.Options{Server: locus.MustParse("nntp://" + server.Addr())})
	defer client.Close()

	newsgroup := &scheme.Request{URL: locus.MustParse("news:local.test"), Dial: new(net.Dialer), Items: scheme.ItemRange{Newest: 2}}
	res, err := client.Open(context.Background(), newsgroup)
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
		fmt.Printf("%s %q %q %q\n", it.Kind, it.Title, it.Note, it.URL.String())
	}

	res, err = client.Open(context.Background(), &scheme.Request{URL: locus.MustParse("news:a%25b@c.test"), Dial: new(net.Dialer)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Close()
	o := res.(*scheme.Object)
	text, err := io.ReadAll(o.Body)
	fmt.Printf("%s %s %q %v\n", o.Name, o.Type, text, err)
	// Output:
	// info "not listed: 1" "" ""
	// object "Two" "a@b" "news:a%25b@c.test"
	// object "Très" "a@b" ""
	// a%b@c.test message/rfc822 "From: a@b\r\nSubject: Two\r\nMessage-ID: <a%b@c.test>\r\n\r\nHello.\r\n" <nil>
}
