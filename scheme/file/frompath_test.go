package file

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

func TestFromPath(t *testing.T) {
	for _, c := range []struct {
		path    string
		windows bool
		url     string // empty if FromPath rejects the path
	}{
		{"/", false, "file:///"},
		{"/etc/motd", false, "file:///etc/motd"},
		{"/a b/c?d#e%f;g", false, "file:///a%20b/c%3Fd%23e%25f%3Bg"},
		{"/pub/", false, "file:///pub/"},
		{"//a//b", false, "file:////a//b"},
		{"/a/../b/./c", false, "file:///a/../b/./c"},
		{`/C:\x`, false, "file:///C:%5Cx"},
		{"/\xff\n~", false, "file:///%FF%0A%7E"},
		{"", false, ""},
		{"etc/motd", false, ""},
		{"./x", false, ""},
		{"~/x", false, ""},
		{"/a\x00b", false, ""},
		{`C:\x`, false, ""},
		{"/" + strings.Repeat("x", locus.MaxLen), false, ""},

		{`C:\Users\me\a b.txt`, true, "file:///C:/Users/me/a%20b.txt"},
		{"c:/Users/me", true, "file:///c:/Users/me"},
		{`C:\`, true, "file:///C:/"},
		{`C:\pub\`, true, "file:///C:/pub/"},
		{`C:\a\..\b`, true, "file:///C:/a/../b"},
		{`\\server\share\a b.txt`, true, "file://server/share/a%20b.txt"},
		{`\\wsl$\Debian\etc`, true, "file://wsl$/Debian/etc"},
		{`//10.0.0.1/share/`, true, "file://10.0.0.1/share/"},
		{`C:`, true, ""},
		{`C:x`, true, ""},
		{`\x`, true, ""},
		{`/etc/motd`, true, ""},
		{`x`, true, ""},
		{`C:\x:stream`, true, ""},
		{`C:\a\C:\b`, true, ""},
		{`\\?\C:\x`, true, ""},
		{`\\.\pipe\x`, true, ""},
		{`\\server`, true, ""},
		{`\\server\`, true, ""},
		{`\\server\\share`, true, ""},
		{`\\localhost\C$\x`, true, ""},
		{`\\a b\share`, true, ""},
		{`\\`, true, ""},
		{"C:\\a\x00", true, ""},
	} {
		u, err := fromPath(c.path, c.windows)
		if c.url == "" {
			if !errors.Is(err, locus.ErrValue) || !u.IsZero() {
				t.Errorf("%.80q: %v, %v; want an error", c.path, u, err)
			}
			continue
		}
		if err != nil || u.String() != c.url {
			t.Errorf("%q: %v, %v; want %s", c.path, u, err, c.url)
			continue
		}
		want := c.path
		if c.windows {
			want = strings.ReplaceAll(want, "/", `\`)
		}
		if back, err := toPath(u, c.windows); err != nil || back != want {
			t.Errorf("%s: path %q, %v; want %q", u, back, err, want)
		}
	}
}

func TestToPath(t *testing.T) {
	for _, c := range []struct {
		url     string
		windows bool
		want    string // empty if Path rejects the URL, with an error at offset
		offset  int
	}{
		{"file://localhost/etc/motd", false, "/etc/motd", 0},
		{"file:/etc/motd", false, "/etc/motd", 0},
		{"file:///%7Eme", false, "/~me", 0},
		{"file:///C:/x", false, "/C:/x", 0},
		{"file://server/share/x", false, "", 7},
		{"file:///x#y", false, "", 9},
		{"file:///a%2Fb", false, "", 8},
		{"file:///a/%00", false, "", 10},
		{"http://h/x", false, "", 0},
		{"file://LOCALHOST/C:/x", true, `C:\x`, 0},
		{"file://server/share/a%2Eb", true, `\\server\share\a.b`, 0},
		{"file:////server/share/x", true, "", 8},
		{"file://server/", true, "", 14},
		{"file://server/s/a:b", true, "", 16},
		{"file://a%5Cb/s/x", true, "", 7},
		{"file://./pipe/x", true, "", 7},
		{"file://%3F/C:/x", true, "", 7},
		{"file:///C:/a%5Cb", true, "", 11},
	} {
		got, err := toPath(locus.MustParse(c.url), c.windows)
		var at *locus.SyntaxError
		if c.want == "" && (!errors.As(err, &at) || at.Offset != c.offset || got != "") || c.want != "" && (err != nil || got != c.want) {
			t.Errorf("%s: %q, %v", c.url, got, err)
		}
	}
}

// FuzzFromPath checks that FromPath returns an error, or a URL that converts back to the same
// path.
func FuzzFromPath(f *testing.F) {
	for _, path := range []string{"/etc/motd", "/a b%", "x", `C:\x`, `\\server\share\x`, "//a", `\\?\C:\x`} {
		f.Add(path, false)
		f.Add(path, true)
	}
	f.Fuzz(func(t *testing.T, path string, windows bool) {
		u, err := fromPath(path, windows)
		if err != nil {
			if !windows && strings.HasPrefix(path, "/") && strings.IndexByte(path, 0) < 0 && len(path) < locus.MaxLen/3-10 {
				t.Errorf("%q: %v", path, err)
			}
			return
		}
		if list := check(u, locus.RFC1738); list != nil && !windows {
			t.Errorf("%q: %s: %v", path, u, list)
		}
		want := path
		if windows {
			want = strings.ReplaceAll(path, "/", `\`)
		}
		if back, err := toPath(u, windows); err != nil || back != want {
			t.Errorf("%q: %s: %q, %v", path, u, back, err)
		}
		if windows == (runtime.GOOS == "windows") {
			if public, err := FromPath(path); err != nil || public != u {
				t.Errorf("%q: %v, %v", path, public, err)
			}
		}
	})
}
