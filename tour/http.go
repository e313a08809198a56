package tour

import (
	"errors"
	"io/fs"
	"net"
	"net/http"
	"time"

	"github.com/locus-url/locus"
)

// httpRoom serves the exhibits by HTTP.
func httpRoom(exhibits fs.FS) (room, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return room{}, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(exhibits))
	mux.Handle("/moved", http.RedirectHandler("/pub/history/1994.txt", http.StatusMovedPermanently))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	base := "http://" + l.Addr().String()
	return room{
		stops: []Stop{
			{Scheme: "http", Section: "RFC 1738 3.3", Title: "a page", URL: locus.MustParse(base + "/")},
			{Scheme: "http", Section: "RFC 1738 3.3", Title: "a page that moved: the client follows where the policy lets it", URL: locus.MustParse(base + "/moved")},
		},
		close: func() error {
			if err := server.Close(); err != nil {
				return err
			}
			if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		},
	}, nil
}
