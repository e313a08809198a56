package verify

import (
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// The Verifier decodes a page before it looks for fragments in the page.
func TestCharsets(t *testing.T) {
	for _, c := range []struct {
		name, mediaType, head string
		by                    encoding.Encoding // nil means UTF-8
		fragment              string
		want                  bool
	}{
		{"header", "text/html; charset=iso-8859-1", "", charmap.ISO8859_1, "Über", true},
		{"header in quotes", `text/html; charset="windows-1252"`, "", charmap.Windows1252, "Über", true},
		{"meta charset", "text/html", "<meta charset=iso-8859-1>", charmap.ISO8859_1, "Über", true},
		{"meta http-equiv", "text/html", `<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-15">`, charmap.ISO8859_15, "Über", true},
		{"nothing said, Latin 1", "text/html", "", charmap.ISO8859_1, "Über", true},
		{"nothing said, UTF-8", "text/html", "", nil, "Über", true},
		{"UTF-8", "text/html; charset=utf-8", "", nil, "Über", true},
		{"UTF-8 over Latin 1", "text/html; charset=utf-8", "<meta charset=iso-8859-1>", nil, "Über", true},
		{"Shift_JIS", "text/html; charset=Shift_JIS", "", japanese.ShiftJIS, "日本", true},
		{"Shift_JIS by meta", "text/html", "<meta charset=Shift_JIS>", japanese.ShiftJIS, "日本", true},
		{"EUC-JP", "text/html; charset=euc-jp", "", japanese.EUCJP, "日本", true},
		{"EUC-KR", "text/html", "<meta charset=euc-kr>", korean.EUCKR, "한국", true},
		{"GBK", "text/html; charset=gb2312", "", simplifiedchinese.GBK, "中国", true},
		{"XML", "application/xhtml+xml", `<?xml version="1.0" encoding="ISO-8859-1"?>`, charmap.ISO8859_1, "Über", true},
		{"XML in single quotes", "application/xhtml+xml", `<?xml version='1.0' encoding = 'Shift_JIS' ?>`, japanese.ShiftJIS, "日本", true},
		{"unknown charset", "text/html; charset=x-unknown", "", nil, "Über", true},
		{"another id", "text/html; charset=iso-8859-1", "", charmap.ISO8859_1, "Ober", false},
	} {
		id := c.fragment
		if !c.want {
			id = "Über"
		}
		page := c.head + "<p id=" + id + ">text"
		if c.by != nil {
			encoded, err := c.by.NewEncoder().String(page)
			if err != nil {
				t.Fatal(err)
			}
			page = encoded
		}
		if got := htmlAnchors(string(decodePage([]byte(page), c.mediaType)), false).find(c.fragment); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestUTF16(t *testing.T) {
	for mark, mediaType := range map[string]string{"\uFEFF": "text/html", "": "text/html; charset=utf-16be"} {
		var page []byte
		for _, unit := range utf16.Encode([]rune(mark + "<p id=Über>text")) {
			page = append(page, byte(unit>>8), byte(unit))
		}
		if !htmlAnchors(string(decodePage(page, mediaType)), false).find("%C3%9Cber") {
			t.Errorf("%q: not found", mark)
		}
	}
}

// A page in Latin 1 may contain links with bytes in that charset.
func TestBytesOfFragments(t *testing.T) {
	a := htmlAnchors("<p id=über><p id=plain>", false)
	for fragment, want := range map[string]bool{"%FCber": true, "%C3%BCber": true, "über": true, "%FEber": false} {
		if a.find(fragment) != want {
			t.Errorf("%q: %v", fragment, !want)
		}
	}
}

// HTML parsers ignore a repeated attribute, and templates are not part of a page without scripts.
func TestIDsThatDoNotCount(t *testing.T) {
	const template = "<template><p id=in><template><p id=deep></template></template><p id=after>"
	for page, want := range map[string]string{
		"<p id=one id=two><a name=three name=four id=five>": "one three five",
		template:                             "after",
		template + "<script src=x></script>": "after in deep",
		"<noscript><p id=in></noscript>":     "in",
	} {
		var got []string
		a := htmlAnchors(page, false)
		for _, id := range []string{"one", "two", "three", "four", "five", "after", "in", "deep"} {
			if a.find(id) {
				got = append(got, id)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %s", page, got, want)
		}
	}
}

func FuzzDecodePage(f *testing.F) {
	f.Add("<meta charset=shift_jis><p id=\x93\xfa>", "text/html")
	f.Add("<?xml version='1.0' encoding='utf-16'?>", "application/xhtml+xml")
	f.Add("\xff\xfe<\x00", "text/html; charset=iso-2022-jp")
	f.Add("<?xml encoding", "")
	f.Fuzz(func(t *testing.T, page, mediaType string) {
		if got := decodePage([]byte(page), mediaType); len(got) > 4*len(page)+16 {
			t.Errorf("%d bytes of %d", len(got), len(page))
		}
	})
}
