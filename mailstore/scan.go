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
	"github.com/locus-url/locus/message"
)

var errNotRegular = errors.New("not a regular file")

func openFile(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, fileError(path, err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		f.Close()
		return nil, nil, fileError(path, err)
	}
	return f, info, nil
}

// fileError adds the quoted path to err. In contrast, fs.PathError does not quote the path.
func fileError(path string, err error) error {
	if inner, ok := errors.AsType[*fs.PathError](err); ok {
		err = inner.Err
	}
	return fmt.Errorf("mailstore: %s: %w", locus.Quote(path), err)
}

type content int

const (
	contentOther content = iota
	contentMessage
	contentMbox
)

// sniffSize is the number of bytes that detecting the kind of a file reads.
const sniffSize = 8 << 10

func sniff(r io.ReaderAt, path string) (content, error) {
	head := make([]byte, sniffSize)
	n, err := r.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return contentOther, err
	}
	head = head[:n]
	switch {
	case message.IsFromLine(head, true):
		return contentMbox, nil
	case len(message.FieldName(head)) == 0:
		return contentOther, nil
	case strings.HasSuffix(strings.ToLower(path), ".eml"), isMail(head):
		return contentMessage, nil
	}
	return contentOther, nil
}

// isMail reports whether one of the first lines is a header field that is rare outside mail
// messages.
func isMail(head []byte) bool {
	for line := range bytes.Lines(head) {
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

// headSize is the number of bytes that are compared at the start of an mbox and at its former end.
// If these bytes are unchanged, the mbox has only grown.
const headSize = 4 << 10

// endHashes returns hashes of the start and the end of the first size bytes of an mbox.
func endHashes(r io.ReaderAt, size int64) (head, tail hash, err error) {
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

// section returns a reader of the bytes of a file between the offsets start and size. Reads fail
// after ctx is cancelled.
func section(ctx context.Context, f *os.File, start, size int64) *io.SectionReader {
	r := io.NewSectionReader(cancellableReader{ctx, f}, 0, size)
	r.Seek(start, io.SeekStart) // fails only for a negative offset
	return r
}

// cancellableReader reads a file. Reads fail after ctx is cancelled.
type cancellableReader struct {
	ctx context.Context
	f   *os.File
}

func (c cancellableReader) ReadAt(p []byte, at int64) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.f.ReadAt(p, at)
}

// readIDs returns the identifiers of a message. If mbox is true, the message begins at the
// given offset in an mbox. Otherwise, the message is the whole file.
func readIDs(ctx context.Context, path string, mbox bool, offset int64) ([]string, error) {
	f, info, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	ids, start, err := message.ReadIDs(section(ctx, f, offset, info.Size()), mbox)
	switch {
	case err != nil:
		return nil, fileError(path, err)
	case mbox && start == 0:
		return nil, nil // the mbox has changed, so no message begins at offset
	}
	return ids, nil
}
