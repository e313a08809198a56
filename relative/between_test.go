package relative_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
)

func TestBetween(t *testing.T) {
	for _, test := range []struct{ base, target, want string }{
		{"http://a/b/c/d", "http://a/b/c/d", ""},
		{"http://a/b/c/d#f", "http://a/b/c/d", ""},
		{"http://a/b/c/d", "http://a/b/c/d#s", "#s"},
		{"http://a/b/c/d", "http://a/b/c/d#", "#"},
		{"http://a/b/c/d", "http://a/b/c/g", "g"},
		{"http://a/b/c/d", "http://a/b/c/", "."},
		{"http://a/b/c/d", "http://a/b/", ".."},
		{"http://a/b/c/d", "http://a/b", "/b"},
		{"http://a/bbbb/c/d", "http://a/bbbb", "/bbbb"},
		{"http://a/bbb/c/d/e", "http://a/bbb/g/h", "/bbb/g/h"},
		{"http://a/bbbb/c/d", "http://a/bbbb/g/h", "../g/h"},
		{"http://a/b/c/d", "http://a/", "/"},
		{"http://a/b/c/d", "http://g/", "//g/"},
		{"http://a/b/c/d", "http://a", "//a"},
		{"http://a/b/c/d", "ftp://a/b/c/d", "ftp://a/b/c/d"},
		{"http://a/b/c/d", "HTTP://a/b/c/d", "HTTP://a/b/c/d"},
		{"http://a/b/c/d?q", "http://a/b/c/d?y", "?y"},
		{"http://a/b/c/d?q", "http://a/b/c/d", "d"},
		{"http://a/b/c/?q", "http://a/b/c/", "."},
		{"http://a/b/c/d", "http://a/b/c/?y", ".?y"},
		{"http://a/b/c/d", "http://a/b/c/x:y", "./x:y"},
		{"http://a/b/c/d", "http://a/b/c//x", ".//x"},
		{"http://a/b", "http://a//x", ".//x"},
		{"http://a", "http://a/g", "g"},
		{"http://a", "http://a/", "/"},
		{"http://a?q", "http://a", "//a"},
		{"mailto:a@b", "mailto:c@d", "mailto:c@d"},
		{"mailto:a@b", "mailto:a@b#s", "#s"},
		{"gopher://h/1/a", "gopher://h/1/b", "gopher://h/1/b"},
		{"x:/a/b", "x:/.//c", "/.//c"},
		{"ftp://u:p@h/a/b", "ftp://u:p@h/a/c", "c"},
		{"file:///a/b", "file:///c", "/c"},
		{"http://a/b/../c/d", "http://a/c/g", "g"},
		{"http://a/../d", "http://a/g", "g"},
		{"http://a/../d", "http://a/../d?y", "?y"},
	} {
		base, target := locus.MustParse(test.base), locus.MustParse(test.target)
		h := hierarchyOf(base)
		got, err := relative.Between(base, target, h)
		if err != nil || got.String() != test.want {
			t.Errorf("Between(%s, %s) = %q, %v; want %q", base, target, got, err, test.want)
			continue
		}
		if u, _, err := got.ResolveWith(base, relative.Options{Hierarchy: h}); err != nil || u != target {
			t.Errorf("%q in %s is %s, %v", got, base, u, err)
		}
	}
}

func TestBetweenNeedsNoDots(t *testing.T) {
	_, err := relative.Between(locus.MustParse("ftp://h/a"), locus.MustParse("ftp://u:s3cret@h/a/../b"), relative.Path)
	if err == nil || !strings.Contains(err.Error(), `".."`) || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("error %v", err)
	}
}

// TestBetweenIsShortest tries every text up to a maximum length. No text that is shorter than the
// result of Between may resolve to the same URL.
func TestBetweenIsShortest(t *testing.T) {
	const alphabet, longest = "ab/.?#:", 4
	for _, text := range []string{"x://a/b/a/b?a", "x:/a/b", "x://a", "x:a/b", "x:/a/../b/", "x:/.//a"} {
		base := locus.MustParse(text)
		shortest := map[locus.URL]string{}
		for _, text := range texts(alphabet, longest) {
			ref, err := relative.Parse(text)
			if err != nil {
				continue
			}
			target, err := ref.Resolve(base)
			if err != nil {
				continue
			}
			if old, ok := shortest[target]; !ok || len(text) < len(old) {
				shortest[target] = text
			}
		}
		for target, text := range shortest {
			got, err := relative.Between(base, target, relative.Path)
			if err != nil || len(got.String()) != len(text) {
				t.Fatalf("Between(%s, %s) = %q, %v; %q is shorter", base, target, got, err, text)
			}
		}
	}
}

// texts returns all texts of at most n letters, shortest first.
func texts(letters string, n int) []string {
	list := []string{""}
	for start := 0; n > 0; n-- {
		end := len(list)
		for _, prefix := range list[start:end] {
			for i := range len(letters) {
				list = append(list, prefix+letters[i:i+1])
			}
		}
		start = end
	}
	return list
}

func TestBetweenRoundTrip(t *testing.T) {
	segment := rapid.SampledFrom([]string{"", "a", "b", "c:d", "e;x=1", "%2F", "..x", "~"})
	url := rapid.Custom(func(t *rapid.T) locus.URL {
		text := rapid.SampledFrom([]string{"http://h", "http://u:p@h:8080", "ftp://h", "x:", "file://", "mailto:"}).Draw(t, "start")
		text += rapid.SampledFrom([]string{"", "/"}).Draw(t, "slash")
		text += strings.Join(rapid.SliceOfN(segment, 0, 6).Draw(t, "path"), "/")
		text += rapid.SampledFrom([]string{"", "", "?", "?q", "?q/r"}).Draw(t, "query")
		text += rapid.SampledFrom([]string{"", "", "#", "#s"}).Draw(t, "fragment")
		u, err := locus.Parse(text)
		if err != nil {
			t.Skip(err)
		}
		return u
	})
	rapid.Check(t, func(t *rapid.T) {
		base, target := url.Draw(t, "base"), url.Draw(t, "target")
		ref, err := relative.Between(base, target, relative.Path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ref.Resolve(base); err != nil || got != target {
			t.Fatalf("Between(%s, %s) = %q, which means %s, %v", base, target, ref, got, err)
		}
	})
}

func TestAlign(t *testing.T) {
	for _, test := range []struct {
		base, target, want string
		port               uint16
	}{
		{"http://a/b/c", "HTTP://A:80/b/d?q#f", "http://a/b/d?q#f", 80},
		{"HTTP://A:80/b/c", "http://a/b/d", "HTTP://A:80/b/d", 80},
		{"http://a:080/", "http://a:80/x", "http://a:080/x", 80},
		{"http://a/b/c", "http://a:80/b/d", "http://a:80/b/d", 0},
		{"http://a/b/c", "http://a:81/b/d", "http://a:81/b/d", 80},
		{"http://a/b/c", "http://b/b/d", "http://b/b/d", 80},
		{"http://a/b/c", "https://a/b/d", "https://a/b/d", 80},
		{"ftp://u@h/x", "ftp://U@H/y", "ftp://U@H/y", 21},
		{"ftp://u@h/x", "FTP://u@H:21/y", "ftp://u@h/y", 21},
		{"ftp://u:p@h/x", "ftp://u@h/y", "ftp://u@h/y", 21},
		{"mailto:a@b", "MAILTO:a@b", "MAILTO:a@b", 0},
		{"http://h/", "HTTP://H?x@evil", "HTTP://H?x@evil", 80},
	} {
		if got := relative.Align(locus.MustParse(test.base), locus.MustParse(test.target), test.port); got.String() != test.want {
			t.Errorf("Align(%s, %s) = %s, want %s", test.base, test.target, got, test.want)
		}
	}
}
