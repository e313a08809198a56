// Package all lists every scheme that this module knows, one line each. Only the
// command and tests import it: a program that needs three schemes registers
// three.
package all

import (
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/cid"
	"github.com/locus-url/locus/scheme/file"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/scheme/mailto"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/nntp"
	"github.com/locus-url/locus/scheme/prospero"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/scheme/wais"
)

// Options are the clients that give access. A nil one is made with its own
// defaults.
type Options struct {
	FTP  *ftp.Client
	HTTP *http.Client
	File *file.Client
}

// Registry returns a registry of every scheme. o may be nil.
func Registry(o *Options) (*scheme.Registry, error) {
	var clients Options
	if o != nil {
		clients = *o
	}
	if clients.FTP == nil {
		clients.FTP = ftp.New(nil)
	}
	if clients.HTTP == nil {
		clients.HTTP = http.New(nil)
	}
	if clients.File == nil {
		clients.File = file.New(nil)
	}
	return scheme.NewRegistry(append(reserved(),
		cid.Scheme(),
		file.Scheme(clients.File),
		ftp.Scheme(clients.FTP),
		ftp.SecureScheme(clients.FTP),
		gopher.Scheme(),
		http.Scheme(clients.HTTP),
		http.SecureScheme(clients.HTTP),
		mailto.Scheme(),
		mid.Scheme(),
		news.Scheme(),
		nntp.Scheme(),
		prospero.Scheme(),
		telnet.Telnet(),
		telnet.Rlogin(),
		telnet.TN3270(),
		wais.Scheme(),
	)...)
}
