package tour

import (
	"crypto/tls"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// httpRoom serves pages by HTTP, and the files beside them.
func httpRoom(h *house) (room, error) {
	return openPages(h, h.tcp["http"], room{
		name: "Pages", about: "The youngest room, which has doors to all the others.",
		stops: []Stop{
			{Scheme: "http", Section: "RFC 1738 3.3", Title: "the lobby: a page that leads to everything here", URL: h.url("http", "/")},
			{Scheme: "http", Section: "RFC 1738 3.3", Title: "a page, and a place in it that its server does not hear of", URL: h.url("http", "/history.html#1993")},
			{Scheme: "http", Section: "RFC 1738 3.3", Title: "a page that moved: the client follows where the policy lets it", URL: h.url("http", "/moved")},
			{Scheme: "http", Section: "RFC 1738 3.3", Title: "words behind a question mark: what there is about mail", URL: h.url("http", "/find?mail")},
			{Scheme: "http", Section: "RFC 1738 3.3", Title: "all schemes in a table", URL: h.url("http", "/schemes.html")},
			{Scheme: "http", Section: "RFC 1738 3.3", Title: "a picture in which something moves", URL: h.url("http", "/pub/pictures/terminal.gif")},
			{Scheme: "http", Section: "RFC 1738 3.3", Title: "a telephone dials 1738", URL: h.url("http", "/pub/sounds/1738.wav")},
		},
	})
}

// httpsRoom serves the same within TLS.
func httpsRoom(h *house) (room, error) {
	return openPages(h, tls.NewListener(h.tcp["https"], h.server), room{
		stops: []Stop{{Scheme: "https", Section: extension, Title: "a page within TLS", URL: h.url("https", "/url.html")}},
	})
}

// openPages starts a server of the pages for r.
func openPages(h *house, l net.Listener, r room) (room, error) {
	mux := http.NewServeMux()
	files := http.FileServerFS(h.files())
	mux.Handle("/pub/", files)
	mux.Handle("/README", files)
	mux.Handle("/INDEX", files)
	mux.Handle("/moved", http.RedirectHandler("/history.html#1996", http.StatusMovedPermanently))
	mux.HandleFunc("/find", h.find)
	for name, write := range map[string]func(http.ResponseWriter){
		"/{$}": h.lobby, "/history.html": h.page("history.html"), "/url.html": h.page("url.html"), "/schemes.html": h.page("schemes.html"),
	} {
		mux.HandleFunc(name, func(w http.ResponseWriter, _ *http.Request) { write(w) })
	}
	server := &http.Server{Handler: h.whenOpen(mux), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	r.close = func() error {
		if err := server.Close(); err != nil {
			return err
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}
	return r, nil
}

// whenOpen has requests wait until all rooms are there.
func (h *house) whenOpen(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-h.open:
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	})
}

// page shows a page of the exhibits.
func (h *house) page(name string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { h.show(w, name, h.base) }
}

// show shows a page, with what it is about filled in.
func (h *house) show(w http.ResponseWriter, name string, about any) {
	text, err := fs.ReadFile(h.exhibits, "pages/"+name)
	if err == nil {
		text, err = h.fill(name, text, about)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(text)
}

// lobby shows all that there is, by rooms.
func (h *house) lobby(w http.ResponseWriter) {
	h.show(w, "lobby.html", map[string]any{"Base": h.base, "Rooms": h.rooms})
}

// find shows the exhibits whose titles or addresses have all the words of the
// searchpart.
func (h *house) find(w http.ResponseWriter, r *http.Request) {
	words, err := url.QueryUnescape(r.URL.RawQuery)
	if err != nil {
		http.Error(w, "the searchpart can't be read", http.StatusBadRequest)
		return
	}
	var found []Stop
	for _, room := range h.rooms {
		for _, s := range room.Stops {
			if s.From.IsZero() && hasAll(room.Name+" "+room.About+" "+s.Title+" "+s.URL.String(), words) {
				found = append(found, s)
			}
		}
	}
	h.show(w, "find.html", map[string]any{"Words": words, "Found": found})
}

// hasAll reports whether text has all the words, in any case.
func hasAll(text, words string) bool {
	text = strings.ToLower(text)
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
