package wais

import (
	"bytes"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/schemetest"
)

// FuzzArchived checks that any archived bytes result in a resource or an error, and that the
// reader is closed.
func FuzzArchived(f *testing.F) {
	f.Add([]byte(noResponse))
	f.Add(packetOf(hitOf("i", "a", "TEXT")))
	f.Add(bytes.Join([][]byte{packetOf(hitOf("s", "About", "WSRC")), documentAnswerOf(`(:source :database-name "a")`)}, nil))
	f.Add([]byte("0000000000z2wais        0"))
	s := Scheme(nil)
	f.Fuzz(func(t *testing.T, octets []byte) {
		for _, text := range []string{"wais://h/db", "wais://h/db?words", "wais://h/db/TEXT/1=a;"} {
			schemetest.ReadArchived(t, s, locus.MustParse(text), "", octets)
		}
	})
}

func documentAnswerOf(text string) []byte { return packetOf(textOf(text)) }
