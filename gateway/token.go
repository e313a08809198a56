package gateway

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
)

// cookieName is the name of the session cookie, a random text. Forms are bound to it.
const cookieName = "locus"

// setToken sets the cookie unless the browser has it.
func (g *Gateway) setToken(w *recorder, r *http.Request) {
	if w.token != "" {
		return
	}
	if c, err := r.Cookie(cookieName); err == nil && len(c.Value) == len(rand.Text()) {
		w.token = c.Value
		return
	}
	w.token = rand.Text()
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: w.token, Path: g.options.Prefix + "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.TLS != nil})
}

// token returns the token for the forms of a page. Only pages of this gateway in the
// browser with the cookie contain it.
func (g *Gateway) token(w *recorder) string {
	if w.token == "" {
		return ""
	}
	return g.sign("form", w.token)
}

// sign returns a signature of texts that only this gateway can compute.
func (g *Gateway) sign(texts ...string) string {
	sum := hmac.New(sha256.New, g.secret[:])
	for _, text := range texts {
		fmt.Fprintf(sum, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// checkToken reports whether the token of a form belongs to the browser's cookie.
func (g *Gateway) checkToken(w *recorder, r *http.Request, token string) bool {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return false
	}
	w.token = c.Value
	want := g.token(w)
	return want != "" && hmac.Equal([]byte(token), []byte(want))
}

// proxyToken returns the token for the forms of a page for a proxy client. On such a page,
// a cookie would belong to the server of the URL, and the browser would not send it with
// the form. The token is bound to the client's address, and browsers send Origin.
func (g *Gateway) proxyToken(r *http.Request) string {
	return g.sign("proxy", clientOf(r).String())
}
