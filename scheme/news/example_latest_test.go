package news_test

import (
	"context"
	"fmt"
	"net"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/news/newstest"
)

// latest calls f for each of the newest articles in a newsgroup, the newest last. It lists at
// most count articles.
func latest(ctx context.Context, client *news.Client, group locus.URL, count int64, f func(scheme.Item)) error {
	res, err := client.Open(ctx, &scheme.Request{URL: group, Dial: new(net.Dialer), Items: scheme.ItemRange{Newest: count}})
	if err != nil {
		return err
	}
	defer res.Close()
	menu, ok := res.(*scheme.Menu)
	if !ok {
		return fmt.Errorf("%s is not a newsgroup", group)
	}
	for item, err := range menu.Items {
		if err != nil {
			return err
		}
		if item.Kind == scheme.KindObject { // other items are notes and invalid lines
			f(item)
		}
	}
	return nil
}

// A program lists the newest ten articles of a newsgroup, with their URLs.
func Example_latest() {
	var articles []string
	for day := range 12 {
		articles = append(articles, fmt.Sprintf("From: robin@host.example (Robin)\r\nDate: %d Dec 1994 10:30:00 GMT\r\n"+
			"Subject: Tide table %[1]d\r\nMessage-ID: <%[1]d.dec@host.example>\r\n\r\nHigh water at noon.\r\n", day+1))
	}
	server, err := newstest.Start(newstest.Groups{"misc.tides": {Articles: articles}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	client := news.New(&news.Options{Server: locus.MustParse("nntp://" + server.Addr())})
	defer client.Close()

	err = latest(context.Background(), client, locus.MustParse("news:misc.tides"), 10, func(item scheme.Item) {
		fmt.Println(item.ModTime.Format("2006-01-02"), item.Title, item.URL)
	})
	fmt.Println(err)
	// Output:
	// 1994-12-03 Tide table 3 news:3.dec@host.example
	// 1994-12-04 Tide table 4 news:4.dec@host.example
	// 1994-12-05 Tide table 5 news:5.dec@host.example
	// 1994-12-06 Tide table 6 news:6.dec@host.example
	// 1994-12-07 Tide table 7 news:7.dec@host.example
	// 1994-12-08 Tide table 8 news:8.dec@host.example
	// 1994-12-09 Tide table 9 news:9.dec@host.example
	// 1994-12-10 Tide table 10 news:10.dec@host.example
	// 1994-12-11 Tide table 11 news:11.dec@host.example
	// 1994-12-12 Tide table 12 news:12.dec@host.example
	// <nil>
}
