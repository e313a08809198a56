package locus_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

func TestWindowsPath(t *testing.T) {
	for text, want := range map[string]string{
		`C:\Users\joe`:              "file:///C:/Users/joe",
		`c:\Program Files\a#b%.txt`: "file:///c:/Program%20Files/a%23b%25.txt",
		`C:/Users/joe`:              "file:///C:/Users/joe",
		`C:\`:                       "file:///C:/",
		`C:\é`:                      "file:///C:/%C3%A9",
		`\\server\share\a b`:        "file://server/share/a%20b",
		`C:`:                        "", `C:a`: "", `C://h/a`: "", `C:\/a`: "file:///C://a", `CD:\a`: "", `1:\a`: "", `\a`: "", `\\`: "", ``: "", "http://h/": "",
	} {
		got, ok := locus.FromWindowsPath(text)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, ok, want)
		}
		if ok {
			if _, err := locus.Parse(got); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	}
	for _, text := range []string{`C:\Users\joe`, `c:\a b`, `Z:\`, `\\server\share`} {
		_, err := locus.Parse(text)
		url, _ := locus.FromWindowsPath(text)
		if e, ok := err.(*locus.SyntaxError); !ok || !errors.Is(err, locus.ErrWindowsPath) || e.Offset != 0 || e.Part != "scheme" || !strings.Contains(err.Error(), url) {
			t.Errorf("%q: %v", text, err)
		}
	}
	// No message may show a possible password.
	if _, err := locus.Parse(`\\u:Secret@h\a`); !errors.Is(err, locus.ErrWindowsPath) || strings.Contains(err.Error(), "ecret") {
		t.Error(err)
	}
	// This is grammatical: a registry suggests the file URL.
	if u, err := locus.Parse(`C:/Users/joe`); err != nil || u.Scheme() != "c" {
		t.Error(u, err)
	}
}
