package tour

import "github.com/locus-url/locus/scheme"

func (m *Museum) fileRoom() (Room, error) {
	return Room{
		Name: "Files of this machine", About: "The same files, laid out on your own disk. A page may not lead there, so open these addresses yourself.",
		Stops: []Stop{
			{Section: "RFC 1738 3.10", Type: "text/plain", Title: "a file of this machine", URL: m.url("file", "/welcome.txt")},
			{Section: "RFC 1738 3.10", Kind: scheme.KindMenu, Title: "a folder is a menu", URL: m.url("file", "/pub/history/")},
		},
	}, nil
}
