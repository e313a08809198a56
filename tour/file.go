package tour

// fileRoom is the files themselves: a file URL needs no server.
func fileRoom(h *house) (room, error) {
	return room{
		name: "Files of this machine", about: "The same files, laid out on your own disk. A page may not lead there, so open these addresses yourself.",
		stops: []Stop{
			{Scheme: "file", Section: "RFC 1738 3.10", Title: "a file of this machine", URL: h.url("file", "/welcome.txt")},
			{Scheme: "file", Section: "RFC 1738 3.10", Title: "a folder is a menu", URL: h.url("file", "/pub/history/")},
		},
	}, nil
}
