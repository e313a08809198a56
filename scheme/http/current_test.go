package http_test

import (
	"testing"

	"github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/scheme/internal/current/currenttest"
)

func TestCurrent(t *testing.T) {
	const home = "http://example.com/~smith/home.html"
	currenttest.Examples(t, http.Scheme(nil), []currenttest.Example{
		{"RFC 9110 4.2.3", "http://example.com:80/~smith/home.html", "", home},
		{"RFC 9110 4.2.3", "http://EXAMPLE.com/%7Esmith/home.html", "", home},
		{"RFC 9110 4.2.3", "http://EXAMPLE.com:/%7esmith/home.html", "", home},
		{"RFC 3986 6.2.3", "http://example.com", "", "http://example.com/"},
		{"RFC 3986 6.2.3", "http://example.com/", "", "http://example.com/"},
		{"RFC 3986 6.2.3", "http://example.com:/", "", "http://example.com/"},
		{"RFC 3986 6.2.3", "http://example.com:80/", "", "http://example.com/"},
		{"RFC 3986 1.1.2", "http://www.ietf.org/rfc/rfc2396.txt", "", ""},
		{"", "http://h/a#b", "", "http://h/a#b"},
		{"", "http://h?q", "", "http://h/?q"},
		{"", "http:///path", "host@7", ""},
		{"", "http://:80/", "host@7", ""},
		{"", "http://", "host@7", ""},
		{"", "http:", "authority@5", ""},
		{"", "http:example.com", "authority@5", ""},
		{"", "http:/example.com", "authority@5", ""},
		{"", "http://user@h/", "userinfo@11", ""},
		{"", "http://user:secret@h/", "password@11!, userinfo@18", ""},
		{"", "http://www.example.com:80@evil.example/", "password@22!, userinfo@25", ""},
		{"", "HTTP://@/", "userinfo@7, host@8", ""},
		{"", "http://h/a b", "character@10", ""},
		{"", "http://[::1]:0/", "port@13?", ""},
	})
	currenttest.Examples(t, http.SecureScheme(nil), []currenttest.Example{
		{"", "https://example.com:443", "", "https://example.com/"},
		{"", "https://example.com:80/", "", "https://example.com:80/"},
		{"", "https:///", "host@8", ""},
		{"", "https:a", "authority@6", ""},
		{"", "https://a@b", "userinfo@9", ""},
	})
}

func TestCurrentReference(t *testing.T) {
	currenttest.Reference(t, http.Scheme(nil), "//"+currenttest.Host+currenttest.Port+currenttest.PathAbempty+currenttest.Query+currenttest.Fragment,
		"http://example.com:80/~smith/home.html", "http://h", "http://h:81?a/b#c", "HTTP://a.b:/%7e/./../c")
}

func FuzzCurrent(f *testing.F) {
	currenttest.Fuzz(f, http.Scheme(nil), "http://u:p@h:80/a/../b?c#d", "http:a", "http:///", "http://[::1]", "http://%2f/%2e%2E")
}
