package lens

import "testing"

// curl must not receive an argument that it would not read as a URL, such as "@" and a file
// name.
func TestCurlTakes(t *testing.T) {
	for text, want := range map[string]bool{
		"http://h/": true, "-O": true, "http://h/\n\"": true, "\x80": true, "x@h": true,
		"": false, "@/etc/passwd": false, "@-": false, "http://h/\x00": false,
	} {
		if curlAccepts(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
