package gateway

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
)

// cookieName is the name of the session cookie. The value of the cookie is a random text. A form is
// valid only with this cookie.
const cookieName = "locus"

// setToken sets the session cookie, unless the browser has sent it.
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

// token returns the token for the forms on a page. The token is valid only in the browser with the
// session cookie, and only this gateway can compute it.
func (g *Gateway) token(w *recorder) string {
	if w.token == "" {
		return ""
	}
	return g.sign("form", w.token)
}

// sign returns a signature of the given texts. Only this gateway can compute the signature.
func (g *Gateway) sign(texts ...string) string {
	sum := hmac.New(sha256.New, g.secret[:])
	for _, text := range texts {
		fmt.Fprintf(sum, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// checkToken reports whether the token of a form belongs to the session cookie of the browser.
func (g *Gateway) checkToken(w *recorder, r *http.Request, token string) bool {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return false
	}
	w.token = c.Value
	want := g.token(w)
	return want != "" && hmac.Equal([]byte(token), []byte(want))
}

// proxyToken returns the token for the forms of a page for a proxy client. On such a page, a cookie
// would belong to the server of the URL, and the browser would not send the cookie with the form.
// So the form token depends on the client's address. Browsers also send the Origin header.
func (g *Gateway) proxyToken(r *http.Request) string {
	return g.sign("proxy", clientOf(r).String())
}
