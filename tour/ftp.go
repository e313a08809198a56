package tour

import (
	"net"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// ftpRoom serves the files by FTP, to everybody.
func ftpRoom(h *house) (room, error) {
	return openFiles(h, ftptest.Options{Listener: h.tcp["ftp"]}, room{
		name: "Files", about: "An archive as there were thousands: folders, files, dates.",
		stops: []Stop{
			{Scheme: "ftp", Section: "RFC 1738 3.2", Title: "a file: each part of its path is a command", URL: h.url("ftp", "/pub/history/1971.txt")},
			{Scheme: "ftp", Section: "RFC 1738 3.2", Title: "a folder is a menu", URL: h.url("ftp", "/pub/")},
			{Scheme: "ftp", Section: "RFC 1738 3.2", Title: "a list of names, as the typecode d asks for it", URL: h.url("ftp", "/pub/history;type=d")},
			{Scheme: "ftp", Section: "RFC 1738 2.2", Title: "a name that a URL can't have as it is: blanks, % and # are escapes", URL: h.url("ftp", "/pub/names/100%25%20of%20%231.txt")},
			{Scheme: "ftp", Section: "RFC 1738 3.2", Title: "a picture: octets that must not be changed on the way, so the typecode is i", URL: h.url("ftp", "/pub/pictures/house.png;type=i")},
			{Scheme: "ftp", Section: "RFC 1738 3.2", Title: "many files in one", URL: h.url("ftp", "/pub/archives/history.zip")},
		},
	})
}

// openFiles starts a server of the files for r.
func openFiles(h *house, o ftptest.Options, r room) (room, error) {
	files, err := ftptest.FromFS(h.files())
	if err != nil {
		return room{}, err
	}
	o.Greeting = "220 The museum of the network, room of files.\r\n"
	o.ListenData = h.doors.listen
	server, err := ftptest.Start(files, &o)
	if err != nil {
		return room{}, err
	}
	r.close = server.Close
	return r, nil
}

// host and port are those of a server.
func (h *house) host(name string) string { return h.tcp[name].Addr().(*net.TCPAddr).IP.String() }
func (h *house) port(name string) int    { return h.tcp[name].Addr().(*net.TCPAddr).Port }

// url is that of an exhibit: what follows the beginning of a room's URLs.
func (h *house) url(name, rest string) locus.URL { return locus.MustParse(h.base[name] + rest) }
