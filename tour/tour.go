// Package tour is a small museum: a server of every scheme, started inside the
// program, and a guide that visits each with the client code everybody uses and
// tells what was sent and what came back. It needs no network.
//
// A scheme is one file here: its room, which starts what it needs and names the
// stops worth a look.
package tour

import (
	"bufio"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

//go:embed museum
var embedded embed.FS

// Stop is one thing to look at.
type Stop struct {
	Scheme  string
	Section string // where the scheme is defined
	Title   string // what is to be seen
	URL     locus.URL
}

// Museum is the running servers. Close ends them.
type Museum struct {
	stops []Stop
	rooms []io.Closer
}

// room is what one scheme brings: its stops, and how to end what it started.
type room struct {
	stops []Stop
	close func() error
}

func (r room) Close() error { return r.close() }

// Open starts the servers of all rooms, on loopback, on ports that the kernel
// chooses.
func Open() (*Museum, error) {
	exhibits, err := fs.Sub(embedded, "museum")
	if err != nil {
		return nil, fmt.Errorf("tour: %w", err)
	}
	m := &Museum{}
	for _, open := range []func(fs.FS) (room, error){ftpRoom, httpRoom, fileRoom} {
		r, err := open(exhibits)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("tour: %w", err), m.Close())
		}
		m.rooms = append(m.rooms, r)
		m.stops = append(m.stops, r.stops...)
	}
	return m, nil
}

// Stops returns what there is to see, in the order of RFC 1738's section 3.
func (m *Museum) Stops() []Stop { return m.stops }

// Close ends the servers and removes what they left on the disk.
func (m *Museum) Close() error {
	var errs []error
	for _, r := range m.rooms {
		errs = append(errs, r.Close())
	}
	m.rooms = nil
	return errors.Join(errs...)
}

// Guide visits stops. It makes its client with a trace of its own, to tell what
// goes over the wire.
type Guide struct {
	client *access.Client
	out    io.Writer

	mu    sync.Mutex // guards lines: an opener may trace from any goroutine
	lines []string
}

// NewGuide returns a guide that tells its story to out. newClient makes the
// client that visits, with the trace it is given; Close closes it.
func NewGuide(out io.Writer, newClient func(trace func(locus.URL) scheme.TraceFunc) (*access.Client, error)) (*Guide, error) {
	g := &Guide{out: out}
	var err error
	g.client, err = newClient(func(locus.URL) scheme.TraceFunc { return g.trace })
	if err != nil {
		return nil, fmt.Errorf("tour: %w", err)
	}
	return g, nil
}

// Close closes the client.
func (g *Guide) Close() error { return g.client.Close() }

func (g *Guide) trace(sent bool, line string) {
	mark := "<"
	if sent {
		mark = ">"
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lines = append(g.lines, mark+" "+line)
}

// Visit dereferences the stop's URL and tells about it in a few lines. The error
// says why the visit failed, or why the story could not be written.
func (g *Guide) Visit(ctx context.Context, s Stop) error {
	out := bufio.NewWriter(g.out)
	fmt.Fprintf(out, "%s (%s): %s\n  %s\n", s.Scheme, s.Section, s.Title, s.URL.Redacted())
	found, err := g.look(ctx, s)
	g.mu.Lock()
	lines := g.lines
	g.lines = nil
	g.mu.Unlock()
	if len(lines) == 0 && err == nil {
		lines = []string{"(nothing is sent: this machine has it)"}
	}
	list(out, lines, mostTrace)
	if err != nil {
		fmt.Fprintf(out, "  failed: %s\n\n", term.Safe(err.Error()))
		return errors.Join(err, out.Flush())
	}
	fmt.Fprintf(out, "  %s\n", term.Safe(found.summary))
	list(out, found.lines, mostLines)
	fmt.Fprintln(out)
	return out.Flush()
}

// The guide shows so many lines of a conversation and of what it led to.
const (
	mostTrace = 22
	mostLines = 6
)

// list writes lines, indented, and says how many it left out in the middle.
func list(out io.Writer, lines []string, most int) {
	cut := len(lines)
	if len(lines) > most {
		cut = most / 2
	}
	for _, line := range lines[:cut] {
		fmt.Fprintf(out, "    %s\n", term.Safe(line))
	}
	if cut < len(lines) {
		rest := len(lines) - (most - most/2)
		fmt.Fprintf(out, "    ... %d more ...\n", rest-cut)
		for _, line := range lines[rest:] {
			fmt.Fprintf(out, "    %s\n", term.Safe(line))
		}
	}
}

// found is what a visit came to.
type found struct {
	summary string
	lines   []string
}

// mostOctets bounds what is read of an object; the museum's own are smaller.
const mostOctets = 64 << 10

func (g *Guide) look(ctx context.Context, s Stop) (found, error) {
	resource, err := g.client.Open(ctx, s.URL)
	if err != nil {
		return found{}, err
	}
	defer resource.Close()
	switch r := resource.(type) {
	case *scheme.Object:
		text, err := io.ReadAll(io.LimitReader(r.Body, mostOctets))
		if err != nil {
			return found{}, err
		}
		kind := r.Type
		if kind == "" {
			kind = "of unknown type"
		}
		return found{
			summary: fmt.Sprintf("an object, %s, %d octets:", kind, len(text)),
			lines:   strings.Split(strings.TrimRight(string(text), "\r\n"), "\n"),
		}, nil
	case *scheme.Menu:
		var f found
		for item, err := range r.Items {
			if err != nil {
				return found{}, err
			}
			f.lines = append(f.lines, fmt.Sprintf("%-8s %-20s %s", item.Kind, item.Title, item.URL.Redacted()))
		}
		f.summary = fmt.Sprintf("a menu of %d links:", len(f.lines))
		return f, nil
	default:
		return found{summary: fmt.Sprintf("%T", resource)}, nil
	}
}
