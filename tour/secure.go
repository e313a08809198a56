package tour

import (
	"crypto/tls"
	"errors"

	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
	"github.com/locus-url/locus/scheme/news/newstest"
)

// startSecure starts servers over TLS.
func (m *Museum) startSecure() error {
	m.startHTTP(tls.NewListener(m.tcp["https"], m.server))
	return errors.Join(
		m.startFTP(ftptest.Options{Listener: m.tcp["ftps"], TLS: m.server, Implicit: true}),
		m.startSecureGopher(),
		m.startNews(newstest.Options{Listener: m.tcp["nntps"], TLS: m.server, Implicit: true}),
	)
}

func (m *Museum) startSecureGopher() error {
	sealed, err := m.read("gopher/sealed.txt")
	if err != nil {
		return err
	}
	return m.keep(gophertest.Start(gophertest.Item{Name: "The museum of the network, sealed", Items: []gophertest.Item{
		{Type: 'i', Name: "The same line is sent, and nobody on the way can read it."},
		{Name: "How an envelope came about", Selector: "/sealed", Data: string(sealed)},
	}}, &gophertest.Options{Listener: m.tcp["gophers"], Secure: true, TLS: m.server}))
}
