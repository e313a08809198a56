package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/transfer"
)

// isPartPath reports whether text is numbers with dots between them.
func isPartPath(text string) bool {
	for number := range strings.SplitSeq(text, ".") {
		if number == "" || strings.Trim(number, "0123456789") != "" {
			return false
		}
	}
	return true
}

// readPart reads a message and finds the part that is wanted. Whoever gets the
// letter closes it.
func (g *getter) readPart(ctx context.Context, f found, resource scheme.Resource, free bool) (*letter, message.Part, error) {
	o, ok := resource.(*scheme.Object)
	if !ok || !isMessage(o.Type) {
		return nil, message.Part{}, noMessage(f, resource)
	}
	l := g.read(ctx, f, o, free)
	err := l.broken
	if err == nil && l.message == nil {
		err = noMessage(f, resource)
	}
	if err == nil {
		if part, ok := l.message.Part(g.part); ok {
			return l, part, nil
		}
		err = fmt.Errorf("%s: %w: the message has no part %s; %s", f.asked.Redacted(), scheme.ErrNotFound, g.part, listParts(l.message))
	}
	l.Close()
	return nil, message.Part{}, err
}

// noMessage is that there are no parts.
func noMessage(f found, resource scheme.Resource) error {
	what := "no object"
	if o, ok := resource.(*scheme.Object); ok && o.Type != "" {
		what = o.Type
	} else if ok {
		what = "of unknown type"
	}
	return fmt.Errorf("%s: %w: --part takes a part of a message, and this is %s", f.asked.Redacted(), scheme.ErrUnsupported, what)
}

// mostParts is how many parts a message for people lists.
const mostParts = 20

// listParts says which parts there are.
func listParts(m *message.Message) string {
	parts := m.Parts()
	var list []string
	for _, p := range parts[:min(len(parts), mostParts)] {
		list = append(list, strings.TrimSpace(p.Path+" "+p.Type+" "+p.Name))
	}
	if more := len(parts) - len(list); more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return "there are " + strings.Join(list, ", ")
}

// showPart writes the part of a message that is wanted as an object of its own. To
// people a text is shown in its characters.
func (g *getter) showPart(ctx context.Context, f found, resource scheme.Resource, to stream) error {
	l, part, err := g.readPart(ctx, f, resource, !to.tty)
	if err != nil {
		return err
	}
	defer l.Close()
	o, err := g.partObject(ctx, l, part, &scheme.Request{})
	if err != nil {
		return fmt.Errorf("%s: %w", f.asked.Redacted(), err)
	}
	if to.tty && !g.raw && !g.a.flags.json && strings.HasPrefix(part.Type, "text/") {
		o.Type, o.Size, o.Body = "text/plain; charset=utf-8", -1, io.NopCloser(part.Text())
	}
	return g.object(ctx, f, o, to)
}

// partObject makes an object of a part, as req asks for it.
func (g *getter) partObject(ctx context.Context, l *letter, part message.Part, req *scheme.Request) (*scheme.Object, error) {
	asked := *req
	asked.URL, asked.Limit = l.object.URL, g.a.flags.maxSize
	return mid.Part(ctx, &asked, l.message, part, io.NopCloser(nil))
}

// partsToFolder gets the part of each message into a file of dir: of that name, or
// of the one that the part has.
func (g *getter) partsToFolder(ctx context.Context, args []string, dir, name string) error {
	folder, err := openFolder(dir, g.dir != "")
	if err != nil {
		err = &folderError{err}
	} else {
		defer folder.Close()
	}
	w := partWriter{getter: g, folder: folder, name: name, written: map[string]locus.URL{}}
	first := true
	for input, inputErr := range g.a.inputs(args) {
		if !first && name != "" {
			return errOneObject
		}
		first = false
		u, ok := g.url(input, inputErr)
		if !ok {
			continue
		}
		problem := err
		if problem == nil {
			problem = w.get(ctx, u)
		}
		if problem != nil {
			g.failed(u.Redacted(), problem)
		}
		g.tellNotes()
	}
	w.left.tell(g.a)
	return nil
}

// partWriter writes parts of messages to files.
type partWriter struct {
	*getter
	folder  *os.Root
	name    string // of the file; empty: as the part is called
	written map[string]locus.URL
	left    leftovers
}

// get gets a part of the message at u.
func (w *partWriter) get(ctx context.Context, u locus.URL) error {
	result, err := w.fetch(ctx, u)
	if err != nil {
		return err
	}
	defer result.Resource.Close()
	l, part, err := w.readPart(ctx, found{asked: u, at: result.URL}, result.Resource, true)
	if err != nil {
		return err
	}
	defer l.Close()
	name := w.name
	if name == "" {
		name = transfer.SafeName(part.Name)
	}
	if before, ok := w.written[name]; ok {
		return fmt.Errorf("%s: %w: %s, for %s too", u.Redacted(), transfer.ErrTwice, locus.Quote(name), before.Redacted())
	}
	if name == "" {
		return scheme.Hint(fmt.Errorf("%s: %w: part %s has none", u.Redacted(), transfer.ErrName, w.part), "-o FILE chooses one")
	}
	w.written[name] = u
	return w.write(ctx, transfer.Job{URL: u, Name: name}, result.URL, func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		return w.partObject(ctx, l, part, req)
	})
}

// write writes what open opens, as every object is written.
func (w *partWriter) write(ctx context.Context, job transfer.Job, at locus.URL, open scheme.OpenerFunc) error {
	client, err := w.a.clientOf(job.URL.Scheme(), open)
	if err != nil {
		return err
	}
	defer client.Close()
	results, err := transfer.Run(ctx, client, w.folder, []transfer.Job{job}, w.transferOptions(nil))
	if err != nil {
		return err
	}
	for r := range results {
		r.URL = at
		w.result(r, w.folder.Name(), &w.left)
	}
	return nil
}

// clientOf returns a client for which all URLs of a scheme lead to what open opens.
func (a *app) clientOf(name string, open scheme.Opener) (*access.Client, error) {
	s, _ := a.registry.Lookup(name)
	s.Opener = open
	registry, err := scheme.NewRegistry(s)
	if err != nil {
		return nil, err
	}
	p, err := policy.New(a.rules())
	if err != nil {
		return nil, err
	}
	return access.New(registry, p, nil), nil
}
