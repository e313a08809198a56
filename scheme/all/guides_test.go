package all_test

import (
	"context"
	"fmt"
	"io"
	"net"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/prospero"
	"github.com/locus-url/locus/scheme/wais"
)

// The Go code of the guides in docs, which needs servers on the Internet. It is
// compiled here, and a test of the command compares it with the guides.
var _ = []any{ftpGuide, geminiGuide, gopherGuide, newsGuide, prosperoGuide, waisGuide}

func ftpGuide(ctx context.Context, u locus.URL, file io.Writer) error {
	client := ftp.New(nil)
	defer client.Close()
	res, err := client.Open(ctx, &scheme.Request{URL: u, Dial: new(net.Dialer)})
	if err != nil {
		return err
	}
	defer res.Close()
	switch r := res.(type) {
	case *scheme.Object:
		_, err = io.Copy(file, r.Body) // fails unless the server reports that the file is complete
	case *scheme.Menu:
		for item, err := range r.Items {
			fmt.Println(item.Title, item.URL, item.Size, item.ModTime, err)
		}
	}
	return err
}

func geminiGuide(ctx context.Context) error {
	client, err := all.Client(nil) // every scheme; public addresses only
	if err != nil {
		return err
	}
	defer client.Close()
	res, err := client.Open(ctx, "gemini://geminiprotocol.net/")
	if err != nil {
		return err
	}
	defer res.Close()
	switch r := res.Resource.(type) {
	case *scheme.Menu:
		fmt.Println(r.Title) // r.Items are the links, r.Form is a form
	case *scheme.Object:
		fmt.Println(r.Type) // r.Body reads the octets
	}
	return nil
}

func gopherGuide(ctx context.Context) error {
	client, err := all.Client(nil) // every scheme; public addresses only
	if err != nil {
		return err
	}
	defer client.Close()
	res, err := client.Open(ctx, "gopher://gopher.floodgap.com/")
	if err != nil {
		return err
	}
	defer res.Close()
	if menu, ok := res.Resource.(*scheme.Menu); ok {
		for item, err := range menu.Items {
			fmt.Println(item.Kind, item.Title, item.URL, err)
		}
	}
	return nil
}

func newsGuide(ctx context.Context) error {
	client := news.New(&news.Options{Server: locus.MustParse("nntps://host")})
	defer client.Close()
	res, err := client.Open(ctx, &scheme.Request{
		URL:   locus.MustParse("news:misc.test"),
		Dial:  new(net.Dialer),
		Items: scheme.ItemRange{Newest: 10},
	})
	if err != nil {
		return err
	}
	defer res.Close()
	for item, err := range res.(*scheme.Menu).Items {
		fmt.Println(item.ModTime, item.Title, item.URL, err)
	}
	return nil
}

func prosperoGuide(ctx context.Context, u locus.URL, file io.Writer) error {
	client := prospero.New()
	res, err := client.Open(ctx, &scheme.Request{URL: u, Dial: new(net.Dialer)})
	if err != nil {
		return err
	}
	defer res.Close()
	switch r := res.(type) {
	case *scheme.Redirect:
		fmt.Println(r.To) // the best first, such as ftp://ftp.example.org/pub/paper.ps;type=i
	case *scheme.Menu:
		for item, err := range r.Items {
			fmt.Println(item.Title, item.URL, err)
		}
	case *scheme.Object:
		_, err = io.Copy(file, r.Body) // the server stores the object itself
	}
	return err
}

func waisGuide(ctx context.Context) error {
	client := wais.New(nil)
	defer client.Close()
	req := &scheme.Request{URL: locus.MustParse("wais://localhost/db?words"), Dial: new(net.Dialer)}
	res, err := client.Open(ctx, req)
	if err != nil {
		return err
	}
	defer res.Close()
	for item, err := range res.(*scheme.Menu).Items {
		fmt.Println(item.Title, item.Note, item.URL, err)
	}
	return nil
}
