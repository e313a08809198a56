package client

import (
	"slices"

	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
)

// DemoRegistry returns the schemes for a client of the tour's servers: its news, mail
// and certificates.
func DemoRegistry(a *base.App, m *tour.Museum) (*scheme.Registry, error) {
	reader := news.New(&news.Options{Server: m.News(), TLSConfig: m.TLS()})
	files := ftp.New(&ftp.Options{TLSConfig: m.TLS()})
	web := http.New(&http.Options{TLS: m.TLS()})
	menus := gopher.New(&gopher.Options{TLSConfig: m.TLS()})
	return a.NewRegistry(slices.Concat(news.Schemes(reader), mid.Schemes(mid.New(&mid.Options{Store: m.Mail()})), []scheme.Scheme{
		ftp.Scheme(files), ftp.SecureScheme(files),
		http.Scheme(web), http.SecureScheme(web),
		gopher.Scheme(menus), gopher.SecureScheme(menus),
	})...)
}
