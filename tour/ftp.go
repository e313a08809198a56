package tour

import (
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

func (m *Museum) ftpRoom() (Room, error) {
	return Room{
		Name: "Files", About: "An archive as there were thousands: folders, files, dates.",
		Stops: []Stop{
			{Section: "RFC 1738 3.2", Type: "text/plain", Title: "a file: each part of its path is a command", URL: m.url("ftp", "/pub/history/1971.txt")},
			{Section: "RFC 1738 3.2", Kind: scheme.KindMenu, Title: "a folder is a menu", URL: m.url("ftp", "/pub/")},
			{Section: "RFC 1738 3.2", Kind: scheme.KindMenu, Title: "a list of names, as the typecode d asks for it", URL: m.url("ftp", "/pub/history;type=d")},
			{Section: "RFC 1738 2.2", Type: "text/plain", Title: "a name that a URL can't have as it is: blanks, % and # are escapes", URL: m.url("ftp", "/pub/names/100%25%20of%20%231.txt")},
			{Section: "RFC 1738 3.2", Type: "image/png", Title: "a picture: octets that must not be changed on the way, so the typecode is i", URL: m.url("ftp", "/pub/pictures/house.png;type=i")},
			{Section: "RFC 1738 3.2", Type: "application/zip", Title: "many files in one", URL: m.url("ftp", "/pub/archives/history.zip")},
		},
	}, m.startFTP(ftptest.Options{Listener: m.tcp["ftp"]})
}

// startFTP starts a server of the files. Everyone may log in.
func (m *Museum) startFTP(o ftptest.Options) error {
	files, err := ftptest.FromFS(m.files())
	if err != nil {
		return err
	}
	o.Greeting = "220 The museum of the network, room of files.\r\n"
	o.ListenData = m.addresses.listen
	return m.keep(ftptest.Start(files, &o))
}
