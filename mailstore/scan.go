package mailstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/locus-url/locus"
)

// errNoFile is for what is no ordinary file.
var errNoFile = errors.New("no ordinary file")

// openFile opens a file for reading. What is no ordinary file is an error.
func openFile(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, about(path, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNoFile
	}
	if err != nil {
		f.Close()
		return nil, nil, about(path, err)
	}
	return f, info, nil
}

// about says which file err is about; the name in a PathError is not made safe.
func about(path string, err error) error {
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		err = inner.Err
	}
	return fmt.Errorf("mailstore: %s: %w", locus.Quote(path), err)
}

// content is what a file is.
type content int

const (
	contentOther content = iota
	contentMessage
	contentMbox
)

// sniff tells what the file is that w is of.
func (w *window) sniff(path string) content {
	switch {
	case w.isFrom(0, true):
		return contentMbox
	case !isField(w.from(0, mostLine)):
		return contentOther
	case strings.HasSuffix(strings.ToLower(path), ".eml"), w.isMail():
		return contentMessage
	}
	return contentOther
}

// isMail reports whether one of the first lines is a field that hardly anything
// but a message has.
func (w *window) isMail() bool {
	for line := range bytes.Lines(w.from(0, mostLine)) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return false
		}
		name, _, _ := bytes.Cut(line, []byte{':'})
		switch strings.ToLower(string(name)) {
		case "message-id", "return-path", "received", "delivered-to", "x-original-to", "mime-version", "newsgroups", "from", "subject":
			return true
		}
	}
	return false
}

// headSize is how much of the start of an mbox, and of what was its end, tells
// whether it has only grown.
const headSize = 4 << 10

// ends returns hashes of the start of what an mbox was when it had size octets,
// and of its end.
func ends(r io.ReaderAt, size int64) (head, tail hash, err error) {
	n := min(size, headSize)
	if head, err = hashAt(r, 0, n); err != nil {
		return 0, 0, err
	}
	tail, err = hashAt(r, size-n, n)
	return head, tail, err
}

func hashAt(r io.ReaderAt, at, n int64) (hash, error) {
	octets := make([]byte, n)
	if got, err := r.ReadAt(octets, at); int64(got) < n {
		return 0, err
	}
	sum := sha256.Sum256(octets)
	return hash(binary.BigEndian.Uint64(sum[:])), nil
}

// headerOf reads the header of the message at offset of an mbox, or of the message
// that a file is; it returns where the message's own octets begin.
func (w *window) headerOf(mbox bool, offset int64) (h header, octets int64, ok bool) {
	octets = offset
	if w.has(offset, "From ") {
		_, octets, _ = w.line(offset)
	} else if mbox {
		return h, 0, false
	}
	h = w.header(octets, mbox)
	return h, octets, w.err == nil
}

// readHeader is headerOf for a file that is not open.
func readHeader(ctx context.Context, w *window, path string, mbox bool, offset int64) (h header, err error) {
	f, info, err := openFile(path)
	if err != nil {
		return h, err
	}
	defer f.Close()
	w.reset(ctx, f, info.Size())
	h, _, _ = w.headerOf(mbox, offset)
	if w.err != nil {
		return h, about(path, w.err)
	}
	return h, nil
}
