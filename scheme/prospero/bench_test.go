package prospero_test

import (
	"net"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/prospero"
	"github.com/locus-url/locus/scheme/prospero/prosperotest"
)

// BenchmarkLookup measures lookups of objects on other servers. Each lookup takes one request and
// one reply.
func BenchmarkLookup(b *testing.B) {
	server, err := prosperotest.Start(prosperotest.Directory{
		"/pros/name": {Data: "x", NoContents: true, Methods: []prosperotest.Method{{"AFTP", "INTERNET-D", "FTP.EXAMPLE.ORG", "ASCII", "/pub/name", "BINARY"}}},
	}, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	client := prospero.New()
	req := &scheme.Request{URL: locus.MustParse("prospero://" + server.Addr() + "//pros/name"), Dial: new(net.Dialer)}
	lookup := func(b *testing.B) {
		res, err := client.Open(b.Context(), req)
		if err != nil {
			b.Error(err)
			return
		}
		if r, ok := res.(*scheme.Redirect); !ok || r.To[0].Host() != "ftp.example.org" {
			b.Errorf("%+v", res)
		}
	}
	b.Run("serial", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			lookup(b)
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.SetParallelism(8)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				lookup(b)
			}
		})
	})
}
