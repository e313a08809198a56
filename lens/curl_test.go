package lens

import "testing"

// curl must not receive a text that it would not read as a URL: it opens a file after "@".
func TestCurlTakes(t *testing.T) {
	for text, want := range map[string]bool{
		"http://h/": true, "-O": true, "http://h/\n\"": true, "\x80": true, "x@h": true,
		"": false, "@/etc/passwd": false, "@-": false, "http://h/\x00": false,
	} {
		if curlTakes(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
