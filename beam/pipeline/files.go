package pipeline

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/locus-url/locus"
)

// fileSystem returns the file system for a name: local, gs:// or s3://.
func fileSystem(ctx context.Context, name string) (system filesystem.Interface, err error) {
	defer func() {
		// The SDK panics if the configuration for s3:// is wrong.
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return filesystem.New(ctx, name)
}

// listTime is the maximum time for listing files. Without a limit, the file system for gs:// would
// retry forever.
const listTime = 5 * time.Minute

// listFiles returns the sorted names of the files that match a pattern.
func listFiles(ctx context.Context, glob string) ([]string, error) {
	system, err := fileSystem(ctx, glob)
	if err != nil {
		return nil, err
	}
	defer system.Close()
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	names, err := system.List(ctx, widened(glob))
	if err != nil {
		return nil, explain(glob, err)
	}
	if widened(glob) != glob {
		names = slices.DeleteFunc(names, func(name string) bool {
			matches, err := path.Match(glob, name)
			return err != nil || !matches
		})
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

var smallPatterns = regexp.MustCompile(`\[[^]]*\]|\?`)

// widened returns a pattern that matches at least the files that glob matches. For gs:// and
// s3://, the SDK lists only names that begin with the text before the first "*", and treats "?"
// and "[" in that text as ordinary characters.
func widened(glob string) string {
	if !strings.Contains(glob, "://") || strings.Contains(glob, "**") { // only gs:// supports "**"
		return glob
	}
	return smallPatterns.ReplaceAllString(glob, "*")
}

// explain adds advice to an error from an s3:// file system, unless the error is a response of the
// server.
func explain(name string, err error) error {
	if strings.HasPrefix(name, "s3://") && !strings.Contains(err.Error(), "api error") {
		return fmt.Errorf("set AWS_REGION and the credentials, as for the AWS CLI: %w", err)
	}
	return err
}

// shown returns the quoted name of a file for messages, without passwords.
func shown(name string) string { return locus.Quote(locus.MaskText(name)) }

// reasonOf returns the system error without the file name.
func reasonOf(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

func open(ctx context.Context, s Source, offset int64) (*reading, error) {
	system, err := fileSystem(ctx, s.Path)
	if err != nil {
		return nil, err
	}
	in, err := system.OpenRead(ctx, s.Path)
	if err != nil {
		system.Close()
		return nil, reasonOf(err)
	}
	r := &reading{in: in, fs: system}
	if offset == 0 {
		return r, nil
	}
	if seeker, ok := in.(io.Seeker); ok {
		_, err = seeker.Seek(offset, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, in, offset)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// reading is an open file. It records read errors, because the runner can retry after a read
// error, but not after a fault in the content. Read and err may be called concurrently, because a
// line reader may still read after its caller has returned.
type reading struct {
	in     io.ReadCloser
	fs     filesystem.Interface
	read   atomic.Int64 // number of bytes read so far
	failed atomic.Pointer[error]
}

// err returns the last read error, or nil.
func (r *reading) err() error {
	if err := r.failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (r *reading) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.read.Add(int64(n))
	if err != nil && err != io.EOF {
		r.failed.Store(&err)
	}
	return n, err
}

func (r *reading) Close() error { return errors.Join(r.in.Close(), r.fs.Close()) }

// document returns a reader for the file. If possible, the reader also implements the methods with
// which package document reads a zip archive without copying it.
func (r *reading) document() io.Reader {
	file, ok := r.in.(interface {
		io.ReaderAt
		io.Seeker
	})
	if !ok {
		return r
	}
	return struct {
		io.Reader
		io.ReaderAt
		io.Seeker
	}{r, file, file}
}

// skipLine skips the rest of a line and returns its length in bytes.
func skipLine(in *bufio.Reader) (n int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		n += int64(len(part))
		if err != bufio.ErrBufferFull {
			return n, err
		}
	}
}
