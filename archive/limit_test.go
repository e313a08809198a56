package archive

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme"
)

// A record contains maxConversation bytes of a conversation in maxPieces pieces, and the number
// of other bytes.
func TestConversationIsBounded(t *testing.T) {
	for _, size := range []int{1, 100, 10_001, maxPiece, maxPiece + 100} {
		c, added := new(conversation), int64(0)
		c.connected("main", nil)
		for i := range 2 * maxPieces {
			c.add("main", i%2 == 0, make([]byte, size))
			c.connected(fmt.Sprint("data", i), nil)
			added += int64(size)
		}
		kept, counted := 0, c.left
		for _, p := range c.pieces {
			if kept += len(p.text); p.mark == '=' {
				kept -= len(p.text)
			}
			counted += p.total
		}
		want := min(maxPieces/2*size, maxConversation)
		if len(c.pieces) > maxPieces || kept > maxConversation || kept < want-maxPiece || counted != added {
			t.Errorf("pieces of %d octets: %d with %d octets are kept, want about %d; %d of %d are counted", size, len(c.pieces), kept, want, counted, added)
		}
		var text strings.Builder
		if c.write(&text, "x:", nil); !strings.HasSuffix(text.String(), fmt.Sprintf("? %d\r\n", c.left)) {
			t.Errorf("pieces of %d octets: the end is %q", size, text.String()[text.Len()-20:])
		}
	}
}

// If a record is too large, the store stops reading the file with that record, but reads
// other files.
func TestLargeRecord(t *testing.T) {
	registry, err := scheme.NewRegistry(scheme.Scheme{Name: "x-own", Section: "test"})
	if err != nil {
		t.Fatal(err)
	}
	record := func(name string, size int) string {
		return fmt.Sprintf("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: x-own:%s\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			name, size, strings.Repeat("x", size))
	}
	name := filepath.Join(t.TempDir(), "a.warc")
	if err := os.WriteFile(name, []byte(record("a", 9999)+record("b", 10_000)+record("c", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	var notes []string
	s := &Store{registry: registry, files: []archiveFile{{path: name}}, options: Options{Note: func(err error) { notes = append(notes, err.Error()) }}}
	lines := newSorter(t.TempDir())
	defer lines.Close()
	scan := &scanner{store: s, ctx: t.Context(), lines: lines, maxSize: 10_000}
	if err := scan.addFile(0); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := writeSorted(t.Context(), &got, lines); err != nil {
		t.Fatal(err)
	}
	if strings.Count(got.String(), "\n") != 2 || len(notes) != 1 || !strings.Contains(notes[0], "a.warc, offset 10117: the record is too large") {
		t.Errorf("%s%q", got.String(), notes)
	}
}
