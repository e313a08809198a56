package document_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
)

// FuzzLinks executes only tens of inputs per second, because it reads each document twice, whole
// and in pieces. Each read needs buffers of half a MiB and may decompress the document.
func FuzzLinks(f *testing.F) {
	for name, s := range corpus(f) {
		f.Add(s, name, "")
		f.Add(s, "", "text/html")
	}
	f.Add("\x1F\x9D\x90a", "a", "message/rfc822")
	f.Fuzz(func(t *testing.T, s, name, typ string) {
		if len(s) > 1<<16 {
			return
		}
		o := &document.Options{Type: typ, Context: true, MaxUnpacked: 1 << 20, MaxMembers: 100, Depth: 4, MaxBuffered: 1 << 20}
		var want []string
		var damaged, damagedInPieces bool
		for l, err := range document.Links(struct{ io.Reader }{strings.NewReader(s)}, name, o) {
			want = append(want, format(l, err))
			damaged = damaged || isDamage(err)
			switch {
			case err != nil:
			case l.Start < 0 || l.End < l.Start || l.Line < 1 || l.Column < 1 || l.Type == "":
				t.Errorf("%+v", l)
			case l.URL.IsZero() == (l.Ref == ""):
				t.Errorf("a URL or a partial form: %+v", l)
			case l.Member == "" && l.Type == "text/plain" && !strings.HasPrefix(s, "\x1F") && int(l.End) > 4*len(s)+1<<20:
				t.Errorf("%+v in %d octets", l, len(s))
			}
		}
		var got []string
		for l, err := range document.Links(&pieces{s, 1 + len(s)%61}, name, o) {
			got = append(got, format(l, err))
			damagedInPieces = damagedInPieces || isDamage(err)
		}
		// The sizes of the pieces determine whether damage is found when the type is detected or
		// when the document is read. So the number of links before the damage varies.
		if damaged != damagedInPieces || !damaged && !slices.Equal(got, want) {
			t.Errorf("%q as %q in pieces: %s; whole: %s", name, typ, got, want)
		}
	})
}

// isDamage reports whether err means that the document can't be read. Errors about binary or too
// large documents do not count.
func isDamage(err error) bool {
	return err != nil && !errors.Is(err, document.ErrBinary) && !errors.Is(err, document.ErrLimit)
}
