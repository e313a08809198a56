// Package all lists every scheme that this module knows, one line each. Only the
// command and tests import it: a program that needs three schemes registers
// three.
package all

import (
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/cid"
	"github.com/locus-url/locus/scheme/file"
	"github.com/locus-url/locus/scheme/finger"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/gemini"
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
	FTP      *ftp.Client
	HTTP     *http.Client
	Gopher   *gopher.Client
	File     *file.Client
	NNTP     *nntp.Client
	WAIS     *wais.Client
	Prospero *prospero.Client
	News     *news.Client // nil: one that reads through NNTP, and knows no server
	Telnet   *telnet.Client
	Mid      *mid.Client // nil: one that has no mail
	Cid      *cid.Client
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
	if clients.Gopher == nil {
		clients.Gopher = gopher.New(nil)
	}
	if clients.File == nil {
		clients.File = file.New(nil)
	}
	if clients.NNTP == nil {
		clients.NNTP = nntp.New(nil)
	}
	if clients.WAIS == nil {
		clients.WAIS = wais.New(nil)
	}
	if clients.Prospero == nil {
		clients.Prospero = prospero.New(nil)
	}
	if clients.News == nil {
		clients.News = news.New(clients.NNTP, nil)
	}
	if clients.Telnet == nil {
		clients.Telnet = telnet.New(nil)
	}
	if clients.Mid == nil {
		clients.Mid = mid.New(nil)
	}
	if clients.Cid == nil {
		clients.Cid = cid.New(nil)
	}
	return scheme.NewRegistry(append(reserved(),
		cid.Scheme(clients.Cid),
		file.Scheme(clients.File),
		gemini.Scheme(nil),
		finger.Scheme(),
		ftp.Scheme(clients.FTP),
		ftp.SecureScheme(clients.FTP),
		gopher.Scheme(clients.Gopher),
		gopher.SecureScheme(clients.Gopher),
		http.Scheme(clients.HTTP),
		http.SecureScheme(clients.HTTP),
		mailto.Scheme(),
		mid.Scheme(clients.Mid),
		news.Scheme(clients.News),
		news.SecureScheme(clients.News),
		nntp.Scheme(clients.NNTP),
		nntp.SecureScheme(clients.NNTP),
		prospero.Scheme(clients.Prospero),
		telnet.Telnet(clients.Telnet),
		telnet.Rlogin(clients.Telnet),
		telnet.TN3270(clients.Telnet),
		wais.Scheme(clients.WAIS),
	)...)
}
