// Package all combines all schemes of this module. [Registry] returns a registry of these schemes,
// and [Client] returns a client for their URLs. A program that needs only a few schemes should
// build a smaller registry, so that it links less code.
package all

import (
	"slices"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/data"
	"github.com/locus-url/locus/scheme/file"
	"github.com/locus-url/locus/scheme/finger"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/gemini"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/scheme/mailto"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/nfs"
	"github.com/locus-url/locus/scheme/prospero"
	"github.com/locus-url/locus/scheme/tel"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/scheme/urn"
	"github.com/locus-url/locus/scheme/wais"
	"github.com/locus-url/locus/scheme/ws"
)

// Registry returns a registry of all schemes of this module, whose openers have default options.
// Each argument replaces the default scheme with the same name, or is an additional scheme.
func Registry(instead ...scheme.Scheme) (*scheme.Registry, error) {
	rows := slices.Concat(reserved(), news.Schemes(nil), mid.Schemes(nil), telnet.Schemes(nil), ws.Schemes(), []scheme.Scheme{
		data.Scheme(),
		file.Scheme(nil),
		finger.Scheme(),
		ftp.Scheme(nil),
		ftp.SecureScheme(nil),
		gemini.Scheme(nil),
		gopher.Scheme(nil),
		gopher.SecureScheme(nil),
		http.Scheme(nil),
		http.SecureScheme(nil),
		mailto.Scheme(),
		nfs.Scheme(),
		prospero.Scheme(nil),
		tel.Scheme(),
		urn.Scheme(),
		wais.Scheme(nil),
	})
	rows = slices.DeleteFunc(rows, func(row scheme.Scheme) bool {
		return slices.ContainsFunc(instead, func(s scheme.Scheme) bool { return s.Name == row.Name })
	})
	return scheme.NewRegistry(append(rows, instead...)...)
}
