package locus_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/whatwg"
)

// readers return the host that a program finds in a text. If the program rejects the
// text, ok is false.
var readers = []func(text string) (host string, ok bool){
	func(text string) (string, bool) {
		u, err := locus.Parse(text)
		return u.Host(), err == nil && u.Facts().Has(locus.Internet) && u.Host() != ""
	},
	func(text string) (string, bool) {
		u, err := url.Parse(text)
		if err != nil {
			return "", false
		}
		return u.Hostname(), u.Hostname() != ""
	},
	func(text string) (string, bool) {
		u, err := whatwg.Parse(text, nil)
		return u.Hostname(), err == nil && u.Hostname() != ""
	},
}

// browserSpelling returns host in the spelling of browsers.
func browserSpelling(host string) string {
	if u, err := whatwg.Parse("http://"+host+"/", nil); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return strings.ToLower(host)
}

// checkSameHost tests that no program finds a host in a masked text that it does not find in
// the text itself, if any program accepts the text.
func checkSameHost(t *testing.T, text string) {
	t.Helper()
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '%' }) {
		return // programs spell such hosts differently
	}
	masks := []string{locus.Mask(text)}
	if !strings.ContainsAny(text, ` "<>`) {
		masks = append(masks, locus.MaskText(text)) // text is one word
	}
	if u, err := locus.Parse(text); err == nil {
		masks = append(masks, u.Shown())
	}
	found := map[string]bool{}
	for _, read := range readers {
		if host, ok := read(text); ok {
			found[browserSpelling(host)] = true
		}
	}
	for _, masked := range masks {
		if masked == text {
			continue
		}
		for i, read := range readers {
			host, ok := read(masked)
			was, wasOK := read(text)
			if !ok || wasOK && browserSpelling(host) == browserSpelling(was) || strings.Contains(host, "*") || len(found) == 0 {
				continue
			}
			if wasOK || len(found) > 1 || !found[browserSpelling(host)] {
				t.Errorf("%q is shown as %q: program %d finds the host %q, not one of %v", text, masked, i, host, found)
			}
		}
	}
}

func TestMaskKeepsHost(t *testing.T) {
	for text, want := range map[string]string{
		"http://h?q=a@b":                 "http://h?q=a@b",
		"http://h:9?u=joe@mail.example":  "http://h:*?******mail.example",
		"http://good:80?@evil/":          "http://good:**?*evil/",
		"http://good:80#@evil/":          "http://good:80#@evil/",
		`http://good:80\@evil/`:          `http://good:**\*evil/`,
		"http://u:p@good?m=b@evil":       "http://u:******?****evil",
		"http://u:p@x@good/y@evil":       "http://u:********/**evil",
		"http://u:p@good:8?x@evil/":      "http://u:********?**evil/",
		"ftp://u:?@h/":                   "ftp://u:**h/",
		"ftp://u:1?@h/":                  "ftp://u:*?*h/",
		"ftp://user:pa?ss@host/":         "ftp://user:*****@host/",
		"ftp://us?er:p@h/x":              "ftp://us?er:*@h/x",
		"ftp://u:P/W@h/":                 "ftp://u:***@h/",
		"http://[::1]:1?x@evil/":         "http://[:*****?**evil/",
		"http://h:9?u=a@b?v=ftp://u:p@c": "http://h:*?****b?v=ftp://u:*@c",
	} {
		if got := locus.Mask(text); got != want {
			t.Errorf("Mask(%q) = %q, want %q", text, got, want)
		}
		checkSameHost(t, text)
	}
	for _, end := range []string{"?", "#", `\`, "/", "?#", `\?`, "", ";", "&"} {
		for _, login := range []string{"", "u@", "u:p@", "u:p@x@", ":@", "u:1@"} {
			for _, port := range []string{"", ":", ":80", ":x"} {
				for _, rest := range []string{"@evil/", "q=a@evil", "q=a:b@evil/x", "@evil?@other", "x@evil:80/a@b", ":@evil", ":1?@evil#@c", "a/b@evil"} {
					for _, scheme := range []string{"http:", "ftp:", ""} {
						checkSameHost(t, fmt.Sprint(scheme, "//", login, "good", port, end, rest))
					}
				}
			}
		}
	}
}
