package browse

import (
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/term"
)

// For any server data, each line fits on the screen and is safe for the terminal, and the lines
// contain the whole text.
func FuzzPage(f *testing.F) {
	f.Add("text/html", "<title>a</title><p>b <a href='/c'>d</a><pre>e\tf\ng</pre><ul><li>h", uint8(20))
	f.Add("text/plain", "see ftp://h.example/ and 図書館 "+hostile, uint8(7))
	f.Add("text/markdown", "[a](b.md) <http://h/> `c`\n\n# d\n", uint8(40))
	f.Add("message/rfc822", "Subject: a\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\na\n--x\n\nb\n--x--\n", uint8(80))
	f.Fuzz(func(t *testing.T, mediaType, text string, width uint8) {
		r, err := schemes()
		if err != nil {
			t.Fatal(err)
		}
		u := locus.MustParse("http://h.example/")
		p := &page{place: place{opener: &library{registry: r}, url: u}, mediaType: mediaType}
		p.addTyped(r, mediaType, []byte(text))
		columns := int(width) + 2
		p.lay(columns)
		whole := make([]strings.Builder, len(p.blocks))
		for _, l := range p.lines {
			shown := l.prefix
			for _, r := range l.runs {
				if r.link >= len(p.links) {
					t.Fatalf("no link %d", r.link)
				}
				shown += r.text
				whole[l.block].WriteString(r.text)
			}
			if term.Safe(shown) != shown {
				t.Errorf("not safe: %q", shown)
			}
			if n := term.Width(shown); n > columns {
				t.Errorf("%d columns of %d: %q", n, columns, shown)
			}
		}
		for i := range p.blocks {
			if got, want := strings.ReplaceAll(whole[i].String(), " ", ""), strings.ReplaceAll(p.blocks[i].text(), " ", ""); got != want {
				t.Errorf("the lines have %q of %q", got, want)
			}
		}
	})
}
