package lens

import "testing"

// What curl would not read as a URL is not given to it: it opens a file that "@" names.
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
