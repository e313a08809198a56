package gateway

import (
	"net/http"
	"net/url"
)

func (g *Gateway) serveAPI(w *recorder, r *http.Request, name string, values url.Values) {
	g.fail(w, r, http.StatusNotFound, "not-found", "there is no such call")
}
