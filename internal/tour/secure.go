package tour

import (
	"crypto/tls"
	"errors"

	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/news/newstest"
)

func (m *Demo) startSecure() error {
	m.startHTTP(tls.NewListener(m.tcp["https"], m.server))
	return errors.Join(
		m.startFTP(ftptest.Options{Listener: m.tcp["ftps"], TLS: m.server, Implicit: true}),
		m.startSecureGopher(),
		m.startNews(newstest.Options{Listener: m.tcp["nntps"], TLS: m.server, Implicit: true}),
	)
}
