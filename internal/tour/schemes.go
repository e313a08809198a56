package tour

import (
	"slices"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
)

// Schemes returns the schemes whose clients depend on the tour's servers. These clients trust the
// servers' certificate, use the news server, or read the mail store. Each call creates new
// clients.
func (m *Demo) Schemes() []scheme.Scheme {
	files := ftp.New(&ftp.Options{TLSConfig: m.TLS()})
	web := http.New(&http.Options{TLS: m.TLS()})
	menus := gopher.New(&gopher.Options{TLSConfig: m.TLS()})
	return slices.Concat(
		news.Schemes(news.New(&news.Options{Server: m.News(), TLSConfig: m.TLS()})),
		mid.Schemes(mid.New(&mid.Options{Store: m.Mail()})),
		[]scheme.Scheme{
			ftp.Scheme(files), ftp.SecureScheme(files),
			http.Scheme(web), http.SecureScheme(web),
			gopher.Scheme(menus), gopher.SecureScheme(menus),
		},
	)
}
