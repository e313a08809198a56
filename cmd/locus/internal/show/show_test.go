package show

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/cmd/locus/internal/form"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

func TestWriteTableOfArticles(t *testing.T) {
	var b strings.Builder
	tab := table{w: &b, TextDecoder: new(form.TextDecoder)}
	item := scheme.Item{URL: locus.MustParse("news:a@h"), Title: "title", Kind: scheme.KindObject, Size: 7, Note: "somebody with a very long name <a@h>"}
	item.Fields = []scheme.Field{{Name: "number", Value: 7}, {Name: "messageId", Value: "a@h"}}
	odd := scheme.Item{URL: item.URL, Title: "odd", Kind: scheme.KindMenu, Size: -1}
	bad := scheme.Item{Title: "x\ty", Kind: scheme.KindError, Size: -1, Note: "no line"}
	if err := tab.write(clitest.MenuOf(bad, item, odd, bad).Items); err != nil {
		t.Fatal(err)
	}
	want := "          x\\x09y  no line\n" +
		"       7                    somebody with a very ...  title\n" +
		"    1  menu     odd\n" +
		"          x\\x09y  no line\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestWriteTable(t *testing.T) {
	u, v := locus.MustParse("gopher://h/1a"), locus.MustParse("gopher://h/0b")
	at := time.Date(1994, 12, 1, 10, 30, 0, 0, time.UTC)
	text := scheme.Item{Title: "Welcome\nto it", Kind: scheme.KindInfo, Size: -1}
	menu := scheme.Item{URL: u, Title: "A menu", Kind: scheme.KindMenu, Size: -1, Note: "sl\u00f6w"}
	object := scheme.Item{URL: v, Title: "gr\xfcn", Kind: scheme.KindObject, Type: "text/plain; charset=x", Size: 0, ModTime: at}
	gone := scheme.Item{Title: "Gone", Kind: scheme.KindError, Size: -1}
	broken := scheme.Item{Title: "Broken", Kind: scheme.KindObject, Type: "text/plain", Size: -1, Note: "not a port"}
	group := scheme.Item{URL: u, Title: "alt.test", Kind: scheme.KindMenu, Size: -1, Note: "tests", Fields: []scheme.Field{{Name: "count", Value: 12}}}
	hit := scheme.Item{URL: v, Title: "A hit", Kind: scheme.KindObject, Type: "text/plain", Size: -1, Note: "score 640", Fields: []scheme.Field{{Name: "score", Value: 640}}}
	dated := hit
	dated.ModTime = at
	for _, test := range []struct {
		items  []scheme.Item
		want   string
		latin1 bool
	}{
		{[]scheme.Item{text, group, hit, gone}, `Welcome\x0ato it
alt.test                                    12  tests
    1  text     A hit  score 640
Gone
`, false},
		{[]scheme.Item{hit, dated, group}, `    1  text     A hit  score 640
    2  text     A hit  (1994-12-01 10:30)  score 640
    3  menu     alt.test  tests
`, false},
		{[]scheme.Item{dated, hit}, `    1  text               1994-12-01 10:30  A hit  score 640
    2  text                                 A hit  score 640
`, false},
		{nil, "", false},
		{[]scheme.Item{text}, "                Welcome\\x0ato it\n", false},
		{[]scheme.Item{text, menu, object, text}, `                Welcome\x0ato it
    1  menu     A menu  sl\u00f6w
    2  text     gr\u00fcn  (0 B 1994-12-01 10:30)
                Welcome\x0ato it
`, true},
		{[]scheme.Item{text, object, menu, text}, `                                            Welcome\x0ato it
    1  text          0 B  1994-12-01 10:30  gr\u00fcn
    2  menu                                 A menu  sl\u00f6w
                                            Welcome\x0ato it
`, true},
		{[]scheme.Item{gone, menu, broken, {Title: "x", Kind: scheme.KindUnknown}}, `       error    Gone
    1  menu     A menu  sl\u00f6w
       text     Broken  not a port
                x
`, false},
		{[]scheme.Item{object, gone}, `    1  text          0 B  1994-12-01 10:30  gr\u00fcn
       error                                Gone
`, true},
	} {
		var b strings.Builder
		l := new(form.TextDecoder)
		tab := table{w: &b, TextDecoder: l}
		if err := tab.write(clitest.MenuOf(test.items...).Items); err != nil {
			t.Fatal(err)
		}
		want := strings.NewReplacer(`\u00f6`, "\u00f6", `\u00fc`, "\u00fc").Replace(test.want)
		if b.String() != want || l.Latin1 != test.latin1 {
			t.Errorf("got\n%s\nwant\n%s\n%v", b.String(), want, l.Latin1)
		}
	}
}

// The table writes the buffered lines if no link arrives, or if it has buffered too many lines.
func TestWriteTableBuffersLines(t *testing.T) {
	text := scheme.Item{Title: "text", Kind: scheme.KindInfo, Size: -1}
	broken := errors.New("broken")
	for _, n := range []int{maxHeld - 1, maxHeld, maxHeld + 1} {
		var b strings.Builder
		tab := table{w: &b, TextDecoder: new(form.TextDecoder)}
		err := tab.write(func(yield func(scheme.Item, error) bool) {
			for range n {
				if !yield(text, nil) {
					return
				}
			}
			if held := strings.Count(b.String(), "\n") == 0; held != (n <= maxHeld) {
				t.Errorf("of %d lines nothing was written: %v", n, held)
			}
			yield(scheme.Item{}, broken)
		})
		if !errors.Is(err, broken) || strings.Count(b.String(), "                text\n") != n {
			t.Errorf("%d lines: %v, %q", n, err, b.String())
		}
	}
}

func TestShortKind(t *testing.T) {
	for _, test := range []struct {
		kind      scheme.ItemKind
		typ, want string
	}{
		{scheme.KindMenu, "application/gopher-menu", "menu"},
		{scheme.KindSession, "", "session"},
		{scheme.KindObject, "", "object"},
		{scheme.KindObject, "Text/Plain; charset=utf-8", "text"},
		{scheme.KindObject, "text/html", "html"},
		{scheme.KindObject, "image/gif", "image"},
		{scheme.KindObject, "audio/basic", "audio"},
		{scheme.KindObject, "application/octet-stream", "binary"},
		{scheme.KindObject, "application/pdf", "pdf"},
		{scheme.KindObject, "text/x-uuencode", "object"},
		{scheme.KindObject, "application/x-tar", "tar"},
		{scheme.KindObject, "a/\x1b[2J", "object"},
		{scheme.KindObject, "nonsense", "object"},
	} {
		if got := ShortKind(scheme.Item{Kind: test.kind, Type: test.typ}); got != test.want {
			t.Errorf("%s %q: %q, want %q", test.kind, test.typ, got, test.want)
		}
	}
}

func TestWriteLines(t *testing.T) {
	m := clitest.MenuOf(
		scheme.Item{Title: "a\tb\r\n"},
		scheme.Item{Title: "c", URL: locus.MustParse("ftp://u:p@h/c")},
	)
	var b strings.Builder
	if n, err := WriteLines(&b, m.Items, new(form.TextDecoder)); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if want := "a\\x09b\\x0d\\x0a\t\nc\tftp://u@h/c\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// For any title that a server sends, an item is one line and contains no control characters.
func FuzzTable(f *testing.F) {
	f.Add("title", "note", int64(1), true)
	f.Add("\x1b[2J\r\n\t", "\u202e", int64(-1), false)
	f.Add("\xff\xfe", "", int64(1<<62), true)
	f.Fuzz(func(t *testing.T, title, note string, size int64, link bool) {
		item := scheme.Item{Title: title, Note: note, Size: size, Kind: scheme.KindObject, Type: title}
		if link {
			item.URL = locus.MustParse("gopher://h/0a")
		}
		var b strings.Builder
		tab := table{w: &b, TextDecoder: new(form.TextDecoder)}
		if err := tab.write(clitest.MenuOf(item, item).Items); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		if len(lines) != 3 || term.Safe(lines[0]+lines[1]) != lines[0]+lines[1] {
			t.Errorf("%q, want two safe lines", b.String())
		}
	})
}

func FuzzSafeWriter(f *testing.F) {
	f.Add([]byte("plain"), uint8(1))
	f.Add([]byte("gr\u00fcn\r\n\u65e5\u672c\r"), uint8(2))
	f.Add([]byte("\xf0\x9f\x98\x80\xf0\x9f\xff\xe2\x80\xae"), uint8(3))
	f.Fuzz(func(t *testing.T, octets []byte, n uint8) {
		write := func(size int) string {
			var b strings.Builder
			w := &safeWriter{w: &b}
			for rest := octets; len(rest) > 0; {
				piece := rest[:min(size, len(rest))]
				rest = rest[len(piece):]
				if _, err := w.Write(piece); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		whole := write(len(octets) + 1)
		if pieces := write(int(n) + 1); pieces != whole {
			t.Errorf("%q in pieces of %d gives %q, whole %q", octets, int(n)+1, pieces, whole)
		}
		if i := strings.IndexFunc(whole, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 }); i >= 0 {
			t.Errorf("%q gives %q", octets, whole)
		}
	})
}
