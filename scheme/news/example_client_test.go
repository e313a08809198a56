package news_test

import (
	"context"
	"fmt"
	"io"
	"net"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/nntp"
	"github.com/locus-url/locus/scheme/nntp/nntptest"
)

// An article by its message-id, at the reader's own server.
func ExampleClient() {
	server, err := nntptest.Start(nntptest.Groups{"local.test": {Articles: []string{"Message-ID: <a%b@c.test>\r\n\r\nHello.\r\n"}}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	reader := nntp.New(nil)
	defer reader.Close()
	client := news.New(reader, &news.Options{Server: locus.MustParse("nntp://" + server.Addr())})

	res, err := client.Open(context.Background(), &scheme.Request{URL: locus.MustParse("news:a%25b@c.test"), Dial: new(net.Dialer)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Close()
	o := res.(*scheme.Object)
	text, err := io.ReadAll(o.Body)
	fmt.Printf("%s %s %q %v\n", o.Name, o.Type, text, err)
	// Output: a%b@c.test message/rfc822 "Message-ID: <a%b@c.test>\r\n\r\nHello.\r\n" <nil>
}
