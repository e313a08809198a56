// Package all lists every scheme of this module. [Registry] returns them all, and
// [Client] opens their URLs. A program that needs only a few schemes should build a
// smaller registry, so that it links less code.
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

// Registry returns a registry of every scheme. Clients with default options open their
// URLs. A scheme in the list instead replaces the default scheme with the same name. If
// no default scheme has that name, Registry adds the scheme.
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
