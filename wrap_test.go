package locus_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

func TestUnwrap(t *testing.T) {
	for _, test := range []struct {
		text, inner    string
		wrapped        bool
		withoutHyphens string
	}{
		{"http://h/", "http://h/", false, ""},
		{" http://h/ ", "http://h/", false, ""},
		{"URL:http://h/", "http://h/", true, ""},
		{"url:http://h/", "http://h/", true, ""},
		{"<URL:http://h/>", "http://h/", true, ""},
		{"<uRl: http://h/\n\ta >", "http://h/a", true, ""},
		{"<http://h/a b>", "http://h/ab", true, ""},
		{"URL:http://h/a b", "http://h/a b", true, ""},
		{"<URL:../g>", "../g", true, ""},
		{"<>", "", true, ""},
		{"<http://h/", "<http://h/", false, ""},
		{"<URL:http://h/a-\n b-c>", "http://h/a-b-c", true, "http://h/ab-c"},
		{"<URL:http://h/a- b>", "http://h/a-b", true, ""},
		{"<URL:http://h/a- \r\n b>", "http://h/a-b", true, "http://h/ab"},
	} {
		w := locus.RemoveWrapper(test.text)
		without, ok := w.WithoutHyphens()
		if w.String() != test.inner || w.Wrapped() != test.wrapped || without != test.withoutHyphens && ok || ok != (test.withoutHyphens != "") {
			t.Errorf("Unwrap(%q) = %q, %v, %q", test.text, w, w.Wrapped(), without)
		}
		if _, noted := w.Note(); noted != test.wrapped {
			t.Errorf("Unwrap(%q): note %v", test.text, noted)
		}
		at := 0
		for i := range len(test.inner) {
			next := w.Offset(i)
			if next < at || test.text[next] != test.inner[i] {
				t.Errorf("Unwrap(%q).Offset(%d) = %d", test.text, i, next)
			}
			at = next + 1
		}
	}
}

func TestUnwrapNote(t *testing.T) {
	note, _ := locus.RemoveWrapper("<URL:ftp://u:pw@h/a-\nb>").Note()
	for _, want := range []string{`"<URL:" and ">" delimit the URL`, "white space between them", `"ftp://u:**@h/ab"`} {
		if !strings.Contains(note.Help, want) {
			t.Errorf("the note lacks %q: %s", want, note.Help)
		}
	}
	if note.Kind != locus.Note || note.Rule != "wrapper" || note.Section != "RFC 1738 appendix" {
		t.Errorf("%+v", note)
	}
}

// A password must be hidden in every form of the wrapper, even if the text is not a URL.
func TestMaskWrapped(t *testing.T) {
	for _, text := range []string{
		"URL:ftp://u:s3cret@h/", "<URL:ftp://u:s3cret@h/>", "<ftp://u:s3cret@h/>", "url:ftp://u:s3cret@h:x/", "<URL:ftp://u:s3cret\n@h/>",
		"<URL:ftp://u:s3cret>", "<ftp://u:s3cret/>", "URL:ftp://u:s3cret", " //u:s3cret", "url:s3cret@h", "<URL:url:s3cret@h>",
		// The text that the wrapper hides may be part of a login.
		"URL:http://info:s3cret@h:x@", "<http://user#1:s3cret@h/>", "<ftp:///u/x:s3cret@h/>", "http://u:80/s3cret@h ", "http://u/x:s3cret@h ", "http://user#1:s3cret@h/ ",
	} {
		if masked := locus.Mask(text); strings.Contains(masked, "s3cret") || len(masked) != len(text) {
			t.Errorf("%q is shown as %q", text, masked)
		}
		if _, err := locus.ParseWrapped(text); err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Error(err)
		}
	}
	for _, text := range []string{"<URL:http://h:8080/a>", " http://h:8080/a", "URL:mailto:a:b@c"} {
		if masked := locus.Mask(text); masked != text {
			t.Errorf("%q is shown as %q", text, masked)
		}
	}
}

func TestWrap(t *testing.T) {
	long := "http://h/" + strings.Repeat("abc-/", 5)
	for _, test := range []struct {
		url, want string
		width     int
	}{
		{"http://h/", "<URL:http://h/>", 72},
		{long, "<URL:" + long + ">", 0},
		{long, "<URL:http://h/abc-/\nabc-/abc-/abc-/\nabc-/>", 20},
		{"x:aaaaaaaaaaaa", "<URL:x:\naaaaaaaaaa\naa>", 10},
		{"x:aaaaaaaaa-----aa", "<URL:x:\naaaaaaaaa\n-----aa>", 10},
		{"x:aaaaaaa%41%42%43", "<URL:x:\naaaaaaa%41\n%42%43>", 10},
		{"x:------------", "<URL:x:\n------------>", 10},
		{"x:------------a", "<URL:x:\n------------a>", 10},
	} {
		got, err := locus.Wrap(locus.MustParse(test.url), test.width)
		if got != test.want || err != nil {
			t.Errorf("Wrap(%s, %d) = %q, %v; want %q", test.url, test.width, got, err, test.want)
		}
	}
	for _, text := range []string{"x:a>b", "x:<", "x:é", "http://h/\u00ad"} {
		_, err := locus.Wrap(locus.MustParse(text), 72)
		var e *locus.SyntaxError
		if !errors.As(err, &e) || !errors.Is(err, locus.ErrValue) || e.Offset == 0 {
			t.Errorf("Wrap(%q): %v", text, err)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add("http://h/a-b/c?d=e&f#g", 10)
	f.Add("x:----%41%41----", 6)
	f.Fuzz(func(t *testing.T, text string, width int) {
		u, err := locus.Parse(text)
		if err != nil {
			return
		}
		wrapped, err := locus.Wrap(u, width)
		if err != nil {
			return
		}
		if v, err := locus.ParseWrapped(wrapped); v != u || err != nil {
			t.Fatalf("Wrap(%q, %d) = %q, which is read as %q, %v", u, width, wrapped, v, err)
		}
		if strings.Contains(wrapped, "-\n") {
			t.Fatalf("Wrap(%q, %d) = %q is broken after a hyphen", u, width, wrapped)
		}
	})
}
