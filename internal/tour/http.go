package tour

import (
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

func (m *Demo) startHTTP(l net.Listener) {
	mux := http.NewServeMux()
	files := http.FileServerFS(m.files())
	for _, pattern := range []string{"/pub/", "/README", "/INDEX"} {
		mux.Handle(pattern, files)
	}
	mux.Handle("/moved", http.RedirectHandler("/history.html#1996", http.StatusMovedPermanently))
	mux.HandleFunc("/find", m.serveSearch)
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		m.writePage(w, "lobby.html", map[string]any{"Base": m.base, "Rooms": m.rooms})
	})
	for _, name := range []string{"history.html", "url.html", "schemes.html"} {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) { m.writePage(w, name, m.base) })
	}
	server := &http.Server{Handler: m.afterStart(mux), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	m.closers = append(m.closers, closerFunc(func() error {
		err := server.Close()
		if serveErr := <-ended; !errors.Is(serveErr, http.ErrServerClosed) {
			err = errors.Join(err, serveErr)
		}
		return err
	}))
}

// afterStart delays HTTP requests until all servers run, because the pages list all rooms of the
// tour.
func (m *Demo) afterStart(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-m.started:
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}

func (m *Demo) writePage(w http.ResponseWriter, name string, data any) {
	text, err := fs.ReadFile(exhibits, "pages/"+name)
	if err == nil {
		text, err = m.execute(name, text, data)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(text)
}

// serveSearch serves a page that lists the stops whose titles or URLs contain all words of the
// query.
func (m *Demo) serveSearch(w http.ResponseWriter, r *http.Request) {
	words, err := url.QueryUnescape(r.URL.RawQuery)
	if err != nil {
		http.Error(w, "invalid searchpart", http.StatusBadRequest)
		return
	}
	var found []Stop
	for _, room := range m.rooms {
		for _, s := range room.Stops {
			if s.From.IsZero() && hasAll(room.Name+" "+room.About+" "+s.Title+" "+s.URL.String(), words) {
				found = append(found, s)
			}
		}
	}
	m.writePage(w, "find.html", map[string]any{"Words": words, "Found": found})
}

func hasAll(text, words string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
