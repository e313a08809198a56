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

// Options are what a [Client] can be told. The zero value is fine.
type Options struct {
	// Root is the directory that paths begin in, and that nothing outside of is
	// opened from: "file:///x" is x in it. nil: the whole file system. It stays
	// the caller's to close.
	Root *os.Root
	// Hosts returns the names of this machine. nil: what the system calls it,
	// with and without its domain.
	Hosts func() []string
}

// Client opens files of this machine. It may be used from many goroutines at
// once.
type Client struct {
	tree   tree
	rooted bool
	hosts  func() []string
}

var _ scheme.Opener = (*Client)(nil)

// New returns a client. o may be nil.
func New(o *Options) *Client {
	c := &Client{tree: system{}, hosts: sync.OnceValue(machineNames)}
	if o != nil && o.Root != nil {
		c.tree, c.rooted = o.Root, true
	}
	if o != nil && o.Hosts != nil {
		c.hosts = o.Hosts
	}
	return c
}

// tree is what of a file system is needed; a *os.Root is one.
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

// Get opens what f locates: [Client.Open] without a limit, from the start.
func (c *Client) Get(ctx context.Context, f URL) (scheme.Resource, error) {
	return c.open(ctx, &scheme.Request{URL: f.URL()}, f)
}

// Open opens what req.URL locates: a [*scheme.Object] for a file, a
// [*scheme.Menu] for a directory. It reads "file:/path" (RFC 8089) too, and then
// the resource has a note. req.Dial is not used: nothing here reaches a
// network.
//
// Errors wrap a [*locus.SyntaxError] or one of scheme's: ErrNotFound, ErrAuth (no
// permission, or out of the root), ErrTooLarge, ErrUnsupported (another machine's
// file, a device, a pipe, a socket), ErrUnreachable (the file system failed).
func (c *Client) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	if !isShort(req.URL) {
		f, err := Parse(req.URL)
		if err != nil {
			return nil, fmt.Errorf("file: %w", err)
		}
		return c.open(ctx, req, f)
	}
	long, err := fromShort(req.URL)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	again := *req
	again.URL = long
	r, err := c.Open(ctx, &again)
	note := "this form is that of RFC 8089; by RFC 1738 3.10 it is " + locus.Quote(long.String())
	switch r := r.(type) {
	case *scheme.Object:
		r.Note = note
	case *scheme.Menu:
		r.Note = note
	}
	return r, err
}

// fromShort returns the URL of RFC 1738 for one in the short form of RFC 8089.
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
		err := fmt.Errorf("file: %w: %s is not this machine, and a file URL says no way to get a file from another", scheme.ErrUnsupported, locus.Quote(f.Host()))
		return nil, scheme.Hint(err, "write file:///... for a file of this machine, or a URL of the protocol that serves it there")
	}
	name, directory, err := f.name(runtime.GOOS == "windows", c.rooted)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	file, info, err := c.openFile(name)
	if err != nil {
		return nil, failure(name, err)
	}
	if info.IsDir() {
		return c.menu(ctx, req.URL, name, file), nil
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

// isHere reports whether f is on this machine.
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

// errSpecial is for what is neither a file nor a directory.
var errSpecial = errors.New("neither a file nor a directory")

// openFile opens a file or directory. It looks before it opens, since opening a
// device can do something, and again after, since what is there can change.
func (c *Client) openFile(name string) (*os.File, fs.FileInfo, error) {
	info, err := c.tree.Stat(name)
	if err == nil {
		err = ordinary(info)
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := c.tree.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	if info, err = file.Stat(); err == nil {
		err = ordinary(info)
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// ordinary refuses what is no file and no directory.
func ordinary(info fs.FileInfo) error {
	if kind := special(info.Mode()); kind != "" {
		return fmt.Errorf("%w but a %s", errSpecial, kind)
	}
	return nil
}

// special names what a mode is of, if that is neither a file nor a directory.
func special(mode fs.FileMode) string {
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

// failure says which name err is about, and of which kind it is.
func failure(name string, err error) error {
	// The name in a PathError is not made safe.
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	kind := scheme.ErrUnreachable
	switch {
	case errors.Is(err, scheme.ErrTooLarge):
		return fmt.Errorf("file: %s: %w", locus.Quote(name), err)
	case errors.Is(err, errSpecial):
		kind = scheme.ErrUnsupported
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		kind = scheme.ErrNotFound
	case errors.Is(err, fs.ErrPermission), isEscape(err):
		kind = scheme.ErrAuth
	}
	return fmt.Errorf("file: %s: %w: %w", locus.Quote(name), kind, err)
}

// isEscape reports whether err is what a [*os.Root] says of a link that leads
// out of it; package os does not export it.
func isEscape(err error) bool { return err.Error() == "path escapes from parent" }

// object makes an object of an open file. It is what the file is now: if it
// grows, what is added is not of it, and if it shrinks, reading fails.
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
		// Files that the system makes up as they are read (/proc, /sys) have a size
		// that says nothing.
		o.Size, o.Tag = -1, ""
	}
	if req.Limit > 0 && o.Size > req.Limit {
		return nil, fmt.Errorf("%w: %d octets, and %d are the limit", scheme.ErrTooLarge, o.Size, req.Limit)
	}
	if goesOn(req, o) {
		o.Start = req.Offset
		if _, err := file.Seek(o.Start, io.SeekStart); err != nil {
			return nil, err
		}
	}
	o.Resumable = o.Size >= 0
	o.Body = &body{ctx: ctx, file: file, at: o.Start, size: o.Size}
	if o.Size < 0 {
		o.Body = scheme.Limit(o.Body, req.Limit)
	}
	return o, nil
}

// goesOn reports whether the part that is there is of o.
func goesOn(req *scheme.Request, o *scheme.Object) bool {
	switch {
	case req.Offset <= 0 || req.Offset > o.Size:
		return false
	case req.Tag != "":
		return req.Tag == o.Tag
	case !req.ModTime.IsZero():
		// Who keeps times often keeps whole seconds.
		return req.ModTime.Truncate(time.Second).Equal(o.ModTime.Truncate(time.Second))
	}
	return true
}

// body reads a file up to the size that it had.
type body struct {
	ctx      context.Context
	file     *os.File
	at, size int64 // size is -1 if it is unknown
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, fmt.Errorf("file: %w", err)
	}
	if b.size >= 0 {
		if b.at == b.size {
			return 0, io.EOF
		}
		p = p[:min(int64(len(p)), b.size-b.at)]
	}
	n, err := b.file.Read(p)
	b.at += int64(n)
	switch {
	case err == io.EOF && b.at < b.size:
		err = fmt.Errorf("file: %w: got %d of %d octets: the file is shorter now", scheme.ErrProtocol, b.at, b.size)
	case err != nil && err != io.EOF:
		err = failure(b.file.Name(), err)
	}
	return n, err
}

func (b *body) Close() error { return b.file.Close() }

// machineNames returns what the system calls this machine: its name, that name
// without its domain, and with the domain that the system's table of hosts has
// for it. No name server is asked.
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

// namesOf returns name, its first label, and the names in a table of hosts that
// are name and a domain.
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
