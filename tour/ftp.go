package tour

import (
	"io/fs"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// ftpRoom serves the exhibits by FTP, to everybody.
func ftpRoom(exhibits fs.FS) (room, error) {
	files, err := ftptest.FromFS(exhibits)
	if err != nil {
		return room{}, err
	}
	server, err := ftptest.Start(files, &ftptest.Options{Greeting: "220 The museum of the network, room of files.\r\n"})
	if err != nil {
		return room{}, err
	}
	base := "ftp://" + server.Addr()
	return room{
		stops: []Stop{
			{Scheme: "ftp", Section: "RFC 1738 3.2", Title: "a file: each part of its path is a command", URL: locus.MustParse(base + "/pub/history/1971.txt")},
			{Scheme: "ftp", Section: "RFC 1738 3.2", Title: "a folder is a menu", URL: locus.MustParse(base + "/pub/")},
			{Scheme: "ftp", Section: "RFC 1738 3.2", Title: "a list of names, as the typecode d asks for it", URL: locus.MustParse(base + "/pub/history;type=d")},
		},
		close: server.Close,
	}, nil
}
