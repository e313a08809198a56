package file

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

// Options configure a [Client]. The zero value selects the defaults.
type Options struct {
	// Root restricts the client to one directory, so that "file:///x" names the file x in
	// Root. The caller must close Root. If Root is nil, the client can open all files of the
	// file system.
	Root *os.Root
}

// Client opens files of this machine. It may be used concurrently.
type Client struct {
	tree   tree
	rooted bool
	hosts  func() []string // returns the names of this machine, with and without its domain
}

var _ scheme.Opener = (*Client)(nil)

// New returns a client. The options o may be nil.
func New(o *Options) *Client {
	c := &Client{tree: system{}, hosts: sync.OnceValue(machineNames)}
	if o != nil && o.Root != nil {
		c.tree, c.rooted = o.Root, true
	}
	return c
}

// tree is the file tree that the client can open. *os.Root implements tree.
type tree interface {
	Stat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
}

// system is the whole file system.
type system struct{}

func (system) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (system) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}

// Get opens the URL f with the default request options.
func (c *Client) Get(ctx context.Context, f URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: f.URL()}, f)
}

// Open implements [scheme.Opener] without a network. It returns a file as a [*scheme.Object] and a
// directory as a [*scheme.Menu]. If the URL has the RFC 8089 form "file:/path", Open adds a note
// to the resource.
//
// The error is a [*locus.SyntaxError], or wraps an error of package scheme. It wraps ErrNotFound
// if the file does not exist, ErrAuth if access is not permitted or the file is outside Root, and
// ErrTooLarge if the file exceeds the limit. It wraps ErrUnsupported for a file on another
// machine, a device, a pipe or a socket, and ErrUnreachable if the file system failed.
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	if !isShort(req.URL) {
		f, err := Parse(req.URL)
		if err != nil {
			return nil, err
		}
		return c.open(ctx, req, f)
	}
	long, err := fromShort(req.URL)
	if err != nil {
		return nil, err
	}
	again := *req
	again.URL = long
	r, err := c.Open(ctx, &again)
	note := "this is the RFC 8089 form; in RFC 1738 3.10 it is " + locus.Quote(long.String())
	switch r := r.(type) {
	case *scheme.Object:
		r.Note = note
	case *scheme.Menu:
		r.Note = note
	}
	return r, err
}

// fromShort converts a URL from the short form of RFC 8089 to the form of RFC 1738.
func fromShort(u locus.URL) (locus.URL, error) {
	text := "file://" + u.SchemePart()
	if fragment, has := u.Fragment(); has {
		text += "#" + fragment
	}
	return locus.Parse(text)
}

func (c *Client) open(ctx context.Context, req *scheme.Request, f URL) (scheme.Resource, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	if !c.isHere(f) {
		err := fmt.Errorf("file: %w: %s is not this machine, and RFC 1738 has no protocol for files of other machines", scheme.ErrUnsupported, locus.Quote(f.Host()))
		return nil, scheme.Hint(err, "write file:///... for a file of this machine, or a URL of the protocol that serves the file")
	}
	name, directory, err := f.name(runtime.GOOS == "windows", c.rooted, "")
	if err != nil {
		return nil, err
	}
	file, info, err := c.openFile(name)
	if err != nil {
		return nil, failure(name, err)
	}
	if info.IsDir() {
		return c.menu(ctx, req, name, file), nil
	}
	if directory {
		file.Close()
		return nil, failure(name, syscall.ENOTDIR)
	}
	object, err := object(ctx, req, file, info)
	if err != nil {
		file.Close()
		return nil, failure(name, err)
	}
	return object, nil
}

func (c *Client) isHere(f URL) bool {
	if f.Local() {
		return true
	}
	for _, name := range c.hosts() {
		if strings.EqualFold(name, f.Host()) {
			return true
		}
	}
	return false
}

// errSpecial is the error for devices, pipes and sockets.
var errSpecial = errors.New("neither a file nor a directory")

// openFile opens a file or directory. It checks the file type before opening, because
// opening a device can have effects. It checks the type again afterwards, because another
// program may have replaced the file.
func (c *Client) openFile(name string) (*os.File, fs.FileInfo, error) {
	info, err := c.tree.Stat(name)
	if err == nil {
		err = checkOrdinary(info)
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := c.tree.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = checkOrdinary(info)
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// checkOrdinary returns an error unless the file is a regular file or a directory.
func checkOrdinary(info fs.FileInfo) error {
	if kind := specialKind(info.Mode()); kind != "" {
		return fmt.Errorf("%w but a %s", errSpecial, kind)
	}
	return nil
}

// specialKind returns the kind of a special file, or "" for a regular file or a directory.
func specialKind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular() || mode.IsDir():
		return ""
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return "device"
	case mode&fs.ModeSymlink != 0:
		return "symbolic link"
	default:
		return "special file"
	}
}

// failure classifies a file system error and adds the filename to it.
func failure(name string, err error) error {
	// Remove the name from a PathError, because it is not safe for a terminal.
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	kind := scheme.ErrUnreachable
	switch {
	case errors.Is(err, scheme.ErrTooLarge), errors.Is(err, fs.ErrClosed):
		return fmt.Errorf("file: %s: %w", locus.Quote(name), err)
	case errors.Is(err, errSpecial):
		kind = scheme.ErrUnsupported
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		kind = scheme.ErrNotFound
	case errors.Is(err, fs.ErrPermission), isEscape(err):
		kind = scheme.ErrAuth
	}
	return &fileError{name, kind, err}
}

// fileError is a file system error and its classification.
type fileError struct {
	name      string
	kind, err error
}

func (f *fileError) Error() string   { return "file: " + locus.Quote(f.name) + ": " + f.err.Error() }
func (f *fileError) Unwrap() []error { return []error{f.kind, f.err} }

// isEscape reports whether an [*os.Root] returned err because a symbolic link refers to a file
// outside the root. Package os does not export this error.
func isEscape(err error) bool { return err.Error() == "path escapes from parent" }

// object returns an open file as an object. The object has the current size of the file and
// excludes octets that are appended later. If the file shrinks, reading the object fails.
func object(ctx context.Context, req *scheme.Request, file *os.File, info fs.FileInfo) (*scheme.Object, error) {
	head := make([]byte, media.Head)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	o := &scheme.Object{
		URL:     req.URL,
		Name:    info.Name(),
		Type:    media.Guess(info.Name(), head[:n]),
		Size:    info.Size(),
		ModTime: info.ModTime(),
		Tag:     fmt.Sprintf("%d-%d", info.Size(), info.ModTime().UnixNano()),
	}
	if err == io.EOF && int64(n) != o.Size {
		// The size of system-generated files (/proc, /sys) is meaningless.
		o.Size, o.Tag = -1, ""
	}
	if req.Limit > 0 && o.Size > req.Limit {
		return nil, fmt.Errorf("%w: %d bytes, and the limit is %d", scheme.ErrTooLarge, o.Size, req.Limit)
	}
	if canResume(req, o) {
		o.Start = req.Offset
		if _, err := file.Seek(o.Start, io.SeekStart); err != nil {
			return nil, err
		}
	}
	o.Resumable = o.Size >= 0
	o.Body = &body{ctx: ctx, file: file, offset: o.Start, size: o.Size}
	if o.Size < 0 {
		o.Body = scheme.Limit(o.Body, req.Limit)
	}
	return o, nil
}

// canResume reports whether the transfer can resume. This is the case if the object o is the
// version of the file that the caller has partly read.
func canResume(req *scheme.Request, o *scheme.Object) bool {
	switch {
	case req.Offset <= 0 || req.Offset > o.Size:
		return false
	case req.Tag != "":
		return req.Tag == o.Tag
	case !req.ModTime.IsZero():
		// Compare whole seconds, because callers often store times without fractions of a
		// second.
		return req.ModTime.Truncate(time.Second).Equal(o.ModTime.Truncate(time.Second))
	}
	return true
}

// body reads a file up to the size that the file had when it was opened.
type body struct {
	ctx          context.Context
	file         *os.File
	offset, size int64 // offset of the next read, and file size; the size is -1 if unknown
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, fmt.Errorf("file: %w", err)
	}
	if b.size >= 0 {
		if b.offset == b.size {
			return 0, io.EOF
		}
		p = p[:min(int64(len(p)), b.size-b.offset)]
	}
	n, err := b.file.Read(p)
	b.offset += int64(n)
	switch {
	case err == io.EOF && b.offset < b.size:
		err = fmt.Errorf("file: %w: got %d of %d bytes: the file was truncated", scheme.ErrProtocol, b.offset, b.size)
	case err != nil && err != io.EOF:
		err = failure(b.file.Name(), err)
	}
	return n, err
}

func (b *body) Close() error { return b.file.Close() }

// machineNames returns the hostname of this machine with and without its domain, and the full
// names in /etc/hosts that begin with the hostname. It sends no DNS query.
func machineNames() []string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return nil
	}
	table, err := os.Open("/etc/hosts")
	if err != nil {
		return namesOf(name, strings.NewReader(""))
	}
	defer table.Close()
	return namesOf(name, table)
}

// namesOf returns the hostname name and its first label. It also returns the names in the hosts
// file table that consist of this hostname and a domain.
func namesOf(name string, table io.Reader) []string {
	name = strings.TrimSuffix(name, ".")
	label, _, _ := strings.Cut(name, ".")
	names := []string{name, label}
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		text, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(text)
		for _, field := range fields[min(1, len(fields)):] {
			if len(field) > len(name) && strings.EqualFold(field[:len(name)], name) && field[len(name)] == '.' {
				names = append(names, field)
			}
		}
	}
	return names
}
