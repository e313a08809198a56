package gateway

import "net/http"

// lockedPolicy is the Content-Security-Policy of responses that are not pages.
const lockedPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"

// protect sets the security header fields of the gateway's own responses. It does not change fields
// that are already set. Pages replace some of the fields.
func protect(h http.Header) {
	for _, f := range [...][2]string{
		{"Content-Security-Policy", lockedPolicy},
		{"X-Content-Type-Options", "nosniff"},
		{"Referrer-Policy", "no-referrer"},
		{"Cross-Origin-Resource-Policy", "same-origin"},
		{"Cache-Control", "no-store"},
	} {
		if h.Get(f[0]) == "" {
			h.Set(f[0], f[1])
		}
	}
}
