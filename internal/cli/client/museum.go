package client

import (
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/nntp"
	"github.com/locus-url/locus/tour"
)

// DemoRegistry returns the schemes for a client of the tour's servers: its news, mail
// and certificates.
func DemoRegistry(a *base.App, m *tour.Museum) (*scheme.Registry, error) {
	reader := nntp.New(&nntp.Options{TLSConfig: m.TLS()})
	return a.NewRegistry(&all.Options{
		FTP:    ftp.New(&ftp.Options{TLSConfig: m.TLS()}),
		HTTP:   http.New(&http.Options{TLS: m.TLS()}),
		Gopher: gopher.New(&gopher.Options{TLSConfig: m.TLS()}),
		NNTP:   reader,
		News:   news.New(reader, &news.Options{Server: m.News()}),
		Mid:    mid.New(&mid.Options{Store: m.Mail()}),
	})
}
