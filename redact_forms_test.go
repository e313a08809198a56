package locus_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/secrettest"
)

// A mistyped URL must be shown without its password. If the host is the end of the text, it must
// be shown.
func TestMistyped(t *testing.T) {
	for _, text := range secrettest.URLs(secrettest.Password, "host.example") {
		checkMistyped(t, text, secrettest.Half)
	}
}

func checkMistyped(t *testing.T, text, secret string) {
	t.Helper()
	shown := []string{locus.Mask(text), locus.NewSyntaxError(text, 0, "x", locus.ErrForm).Error()}
	u, err := locus.Parse(text)
	if err != nil {
		shown = append(shown, err.Error())
	} else {
		shown = append(shown, u.Shown(), logged(u), u.Errorf(0, "x", "y").Error())
	}
	if _, err := locus.ParseWrapped(text); err != nil {
		shown = append(shown, err.Error())
	}
	for _, s := range shown {
		if strings.Contains(s, secret) {
			t.Errorf("%q shows in %q", text, s)
		}
	}
	if len(shown[0]) != len(text) {
		t.Errorf("Mask(%q) = %q", text, shown[0])
	}
}

// Any password must be hidden in every form, with any text around it.
func FuzzMistyped(f *testing.F) {
	n := len(secrettest.URLs("", ""))
	for i := range n {
		f.Add(uint(i), "pw", "h.example:21")
	}
	f.Fuzz(func(t *testing.T, form uint, password, host string) {
		for _, s := range password + host {
			if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$'()*+,", s) {
				return
			}
		}
		const mark = "Zw9"
		if strings.Contains(password+host, "Zw") {
			return
		}
		checkMistyped(t, secrettest.URLs(mark+password+mark, host)[form%uint(n)], mark)
	})
}

// The search for passwords must take linear time with any delimiters.
func TestMaskAllocates(t *testing.T) {
	for _, part := range []string{"a:1&", "a:/", "://a:b/", "?a:", "a:x@y:", "%25", "//", "?a=b:c@", "\uff1a", "sip:"} {
		for _, frame := range []string{"%s", "http://h/?%s", "http://h/%s@h", "x:%s@h", "%s @"} {
			text := fmt.Sprintf(frame, strings.Repeat(part, locus.MaxLen/len(part)))
			if got := locus.Mask(text); len(got) != len(text) {
				t.Errorf("%q in %q: %d octets of %d", part, frame, len(got), len(text))
			}
		}
	}
}
