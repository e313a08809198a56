package wais

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/wais/waistest"
)

// largeSize is the size of a large document in bytes.
const largeSize = 50 << 20

// serveLarge serves a large document and returns its URL.
func serveLarge(t testing.TB) locus.URL {
	t.Helper()
	server, err := waistest.Start([]waistest.Database{{Name: "db", Documents: []waistest.Document{
		{Headline: "Large", Path: "large.gif", Types: []waistest.Typed{{Wtype: "GIF", Data: make([]byte, largeSize)}}},
	}}}, &waistest.Options{Score: func(waistest.Search, *waistest.Document) int { return 1 }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	c := New(nil)
	defer c.Close()
	res, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse("wais://" + server.Addr() + "/db?large"), Dial: new(net.Dialer)})
	if err != nil {
		t.Fatal(err)
	}
	return itemsOf(t, res)[0].URL
}

// fetchLarge opens a document and reads the whole document.
func fetchLarge(t testing.TB, c *Client, u locus.URL) {
	t.Helper()
	res, err := c.Open(t.Context(), &scheme.Request{URL: u, Dial: new(net.Dialer)})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, res.(*scheme.Object).Body); n != largeSize || err != nil {
		t.Fatal(n, err)
	}
	res.Close()
}

// Reading a large document must not need more memory than reading a small document.
func TestLargeDocument(t *testing.T) {
	u := serveLarge(t)
	c := New(nil)
	defer c.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fetchLarge(t, c, u)
	runtime.ReadMemStats(&after)
	// Recording 5243 requests in the server allocates memory too.
	if got := after.TotalAlloc - before.TotalAlloc; got > largeSize/4 {
		t.Errorf("%d octets allocated", got)
	}
}

// BenchmarkRetrieve fetches a document of 50 MiB over the loopback interface, with the default
// range size and with larger ranges.
func BenchmarkRetrieve(b *testing.B) {
	for _, size := range []int{defaultRange, 90000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			u := serveLarge(b)
			c := New(&Options{Range: size})
			defer c.Close()
			b.SetBytes(largeSize)
			b.ReportAllocs()
			for b.Loop() {
				fetchLarge(b, c, u)
			}
		})
	}
}

// BenchmarkItems converts the hits of a search to items.
func BenchmarkItems(b *testing.B) {
	var records []string
	for i := range 1000 {
		id := fmt.Sprintf("\x01\x0elocalhost:8210\x02\x0b/wais/coast\x03\x0f0 206 /lamp.%04d", i)
		records = append(records, hitOf(id, "lamp.txt   /wais/harbour/", "TEXT"))
	}
	answer := packetOf(strings.Join(records, ""))
	w := newFixture(b, newPeer(b, func(int, []byte) []byte { return answer }), nil)
	res, err := w.openPath("db?lamp")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		for item := range res.(*scheme.Menu).Items {
			if item.URL.IsZero() && item.Kind == scheme.KindObject {
				b.Fatal(item)
			}
		}
	}
}
