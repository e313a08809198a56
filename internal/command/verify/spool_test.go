package verify

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

// The temporary file for a report has no name, so a killed process leaves no file.
func TestSpoolHasNoName(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	text := strings.Repeat("a line\n", 100_000)
	var s spool
	s.write(func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	if files, _ := os.ReadDir(dir); len(files) > 0 && os.PathSeparator == '/' {
		t.Errorf("%v has a name", files[0])
	}
	var got bytes.Buffer
	if err := s.copyTo(&got); err != nil || got.String() != text {
		t.Errorf("%d octets, want %d: %v", got.Len(), len(text), err)
	}
	if err := s.remove(); err != nil {
		t.Error(err)
	}
	if files, _ := os.ReadDir(dir); len(files) > 0 {
		t.Errorf("%v is left", files[0])
	}
}
