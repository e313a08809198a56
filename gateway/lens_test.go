package gateway_test

import (
	"strings"
	"testing"
)

// The lens page shows the verdict, the results, and a link to itself. A hostile URL does
// not become markup, and the page does not show or link passwords.
func TestLensPage(t *testing.T) {
	w := start(t, loopbackSetup)
	for _, test := range []struct {
		name, path  string
		want, never []string
	}{
		{"without a URL", "/-/lens", []string{`<form class="ask search" action="/-/lens"`, `<a href="/-/lens?url=http%3A%2F%2F0x7f.1%2F">http://0x7f.1/</a>`}, []string{"<table"}},
		{"read alike", "/-/lens?url=http://h.example/", []string{"that accept the URL agree", "<code>h.example</code>", `href="/-/lens?url=http%3A%2F%2Fh.example%2F">Link to this page`}, []string{"differs", "Like "}},
		{"a dangerous difference", "/-/lens?url=http://0x7f.1/", []string{`class="notice bad"`, "contacts 127.0.0.1 port 80", `<tr class="differs"><th scope="row">host`}, nil},
		{"a harmless difference", "/-/lens?url=http:/h.example/", []string{`<p class="notice">`, "contacts h.example port 80", "Similar to CVE-2021-3664 (url-parse: one slash after the scheme)", `<tr class="differs"><th scope="row">host`, "Rejected by <strong>rfc1738, rfc1630"}, nil},
		{"read by none", "/-/lens?url=%01", []string{"No parser accepts the URL."}, []string{"<table"}},
		{"markup", "/-/lens?url=" + query(`http://<b>"'/?<script>`), []string{"&lt;script&gt;"}, []string{"<script>", "<b>"}},
		{"a password", "/-/lens?url=" + query("http://u:s3cret@h.example/"), []string{"***", "There is no link to this page, because the URL contains a password"}, []string{"s3cret"}},
		{"every octet", "/-/lens?url=http://h/%00%ff%1b%0d%0a", []string{`\x1b`}, []string{"\x1b", "\x00"}},
	} {
		a := w.get(test.path)
		if a.StatusCode != 200 {
			t.Errorf("%s: %s", test.name, a.Status)
		}
		for _, want := range test.want {
			if !strings.Contains(a.body, want) {
				t.Errorf("%s: no %q in\n%s", test.name, want, a.body)
			}
		}
		for _, never := range test.never {
			if _, main, _ := strings.Cut(a.body, "<main"); strings.Contains(main, never) {
				t.Errorf("%s: %q in\n%s", test.name, never, a.body)
			}
		}
	}
}
