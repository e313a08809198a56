package tour

import (
	"crypto/tls"
	"errors"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
	"github.com/locus-url/locus/scheme/news/newstest"
)

// secureRoom has the schemes over TLS, which neither RFC 1738 nor the URI draft defines.
func (m *Museum) secureRoom() (Room, error) {
	const extension = "an extension: neither document has it"
	m.startHTTP(tls.NewListener(m.tcp["https"], m.server))
	return Room{
			Scheme: "tls", Name: "Over TLS", About: "The same rooms once more. Only the client and the server can read what is said in them.",
			Stops: []Stop{
				{Section: extension, Type: "text/html", Title: "a page within TLS", URL: m.url("https", "/url.html")},
				{Section: extension, Type: "text/plain", Title: "a file within TLS, and its data connection too", URL: m.url("ftps", "/welcome.txt")},
				{Section: extension, Kind: scheme.KindMenu, Title: "a list within TLS", URL: m.url("gophers", "/")},
				{Section: extension, Kind: scheme.KindMenu, Title: "a newsgroup within TLS", URL: m.url("nntps", "/museum.announce")},
			},
		}, errors.Join(
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
