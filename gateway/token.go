package gateway

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
)

// cookieName is that of the cookie by which the gateway knows a browser again, as
// long as it is open. It says nothing else about anybody.
const cookieName = "locus"

// setToken makes sure that the browser has the cookie.
func (g *Gateway) setToken(w *recorder, r *http.Request) {
	if w.token != "" {
		return
	}
	if c, err := r.Cookie(cookieName); err == nil && len(c.Value) == 32 {
		if _, err := hex.DecodeString(c.Value); err == nil {
			w.token = c.Value
			return
		}
	}
	var octets [16]byte
	rand.Read(octets[:])
	w.token = hex.EncodeToString(octets[:])
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: w.token, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: r.TLS != nil})
}

// token is what a form sends along: only a page of this gateway can know it, and
// only in the browser that has the cookie.
func (g *Gateway) token(w *recorder) string {
	if w.token == "" {
		return ""
	}
	sum := hmac.New(sha256.New, g.secret[:])
	sum.Write([]byte(w.token))
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// checkToken reports whether a form came from a page of this gateway.
func (g *Gateway) checkToken(w *recorder, r *http.Request, token string) bool {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return false
	}
	w.token = c.Value
	want := g.token(w)
	return want != "" && hmac.Equal([]byte(token), []byte(want))
}

// proxyToken is what a form sends along if a client asked its proxy for the page: a
// cookie would be one of the server of the URL, and not come with what is sent here.
// Only pages for the same client have it, and a browser says where a form comes from.
func (g *Gateway) proxyToken(r *http.Request) string {
	sum := hmac.New(sha256.New, g.secret[:])
	sum.Write([]byte("proxy " + clientOf(r).String()))
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
