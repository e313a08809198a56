package show

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
)

func TestIsMessage(t *testing.T) {
	for text, want := range map[string]bool{
		"message/rfc822": true, "Message/RFC822; x=y": true, " message/news": true, "message/global ": true,
		"": false, "message/partial": false, "text/plain": false, "message/rfc8222": false,
	} {
		if IsMessage(text) != want {
			t.Errorf("isMessage(%q) is %v", text, !want)
		}
	}
}

// A spool reads the same data from memory and from a file. Afterwards, the file no longer exists.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, size := range []int{0, 1, maxInMemory, maxInMemory + 1, maxInMemory * 2} {
		h := spool{most: maxMessage}
		octets := bytes.Repeat([]byte("0123456"), size/7+1)[:size]
		for piece := range slices.Chunk(octets, 1<<20-1) {
			if n, err := h.Write(piece); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
		}
		if inFile := h.file != nil; inFile != (size > maxInMemory) || inFile && len(h.octets) > 0 {
			t.Errorf("%d octets: in a file: %v; %d octets in memory", size, inFile, len(h.octets))
		}
		// Even a process that is killed leaves no file with a message.
		if files, _ := os.ReadDir(dir); len(files) > 0 && os.PathSeparator == '/' {
			t.Errorf("%d octets: %v has a name", size, files[0])
		}
		got, err := io.ReadAll(io.NewSectionReader(&h, 0, int64(size)))
		if err != nil || !bytes.Equal(got, octets) {
			t.Errorf("%d octets: %d, %v", size, len(got), err)
		}
		if n, err := h.ReadAt(make([]byte, 2), int64(max(size-1, 0))); n != min(size, 1) || err != io.EOF {
			t.Errorf("at the end: %d, %v", n, err)
		}
		if n, err := h.ReadAt(make([]byte, 2), int64(size)+5); n != 0 || err != io.EOF {
			t.Errorf("beyond the end: %d, %v", n, err)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		if files, _ := os.ReadDir(dir); len(files) != 0 {
			t.Errorf("%d octets: %d files are left", size, len(files))
		}
	}
}

func TestSpoolWithoutTempDir(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	h := spool{most: maxMessage}
	if _, err := h.Write(make([]byte, maxInMemory+1)); base.KindOf(err) != base.KindFile {
		t.Error(err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// The spool stops reading an endless message at the size limit.
func TestSpoolLimit(t *testing.T) {
	h := spool{most: 10}
	if n, err := h.Write(make([]byte, 10)); n != 10 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := h.Write(make([]byte, 1)); n != 0 || !errors.Is(err, scheme.ErrTooLarge) || h.size != 10 {
		t.Error(n, err, h.size)
	}
}

// cancelling cancels a context after a number of reads.
type cancelling struct {
	io.ReaderAt
	left   int
	cancel context.CancelFunc
}

func (c *cancelling) ReadAt(p []byte, at int64) (int, error) {
	if c.left--; c.left == 0 {
		c.cancel()
	}
	return c.ReaderAt.ReadAt(p, at)
}

// The parser stops when the context is cancelled.
func TestParseEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	text := "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\nx\n", 1<<20)
	r := &cancelling{strings.NewReader(text), 3, cancel}
	if _, err := message.Parse(untilDone{ctx, r}, int64(len(text)), nil); !errors.Is(err, context.Canceled) || r.left < 0 {
		t.Errorf("%v after %d reads too many", err, -r.left)
	}
}
