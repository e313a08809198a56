package tour

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

// fileRoom lays the exhibits out in a folder for temporary files: a file URL
// needs no server, only files.
func fileRoom(exhibits fs.FS) (room, error) {
	dir, err := os.MkdirTemp("", "locus-tour-")
	if err != nil {
		return room{}, err
	}
	remove := func() error { return os.RemoveAll(dir) }
	if err := os.CopyFS(dir, exhibits); err != nil {
		remove()
		return room{}, err
	}
	// On Windows the path begins with a drive, and "/" is missing before it.
	path := filepath.ToSlash(dir)
	if path[0] != '/' {
		path = "/" + path
	}
	base := "file://" + escape.Encode(path, escape.Fsegment().With("/"))
	return room{
		stops: []Stop{
			{Scheme: "file", Section: "RFC 1738 3.10", Title: "a file of this machine", URL: locus.MustParse(base + "/welcome.txt")},
			{Scheme: "file", Section: "RFC 1738 3.10", Title: "a folder is a menu", URL: locus.MustParse(base + "/pub/history/")},
		},
		close: remove,
	}, nil
}
