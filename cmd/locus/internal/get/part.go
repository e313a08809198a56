package get

import (
	"context"
	"fmt"
	"os"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// partsToFolder writes the selected part of each message to a file in dir. The argument name is the
// file name. If it is empty, partsToFolder uses the name of the part.
func (g *getter) partsToFolder(ctx context.Context, args []string, dir, name string) error {
	folder, err := g.openFolder(dir)
	if err == nil {
		defer folder.Close()
	}
	w := partWriter{getter: g, folder: folder, name: name}
	first := true
	for input, inputErr := range g.App.Inputs(args) {
		if !first && name != "" {
			return errOneObject
		}
		first = false
		u, ok := g.ReadURL(input, inputErr)
		if !ok {
			continue
		}
		problem := err
		if problem == nil {
			problem = w.get(ctx, u)
		}
		if problem != nil {
			g.Fail(u.Shown(), problem)
		}
		g.WriteNotes()
	}
	w.left.tell(g.App)
	return nil
}

type partWriter struct {
	*getter
	folder *os.Root
	name   string // file name; empty selects the name of the part
	jobs   []transfer.Job
	left   leftovers
}

func (w *partWriter) get(ctx context.Context, u locus.URL) error {
	result, err := w.Fetch(ctx, u)
	if err != nil {
		return err
	}
	defer result.Resource.Close()
	l, part, err := w.ReadPart(ctx, show.Found{Asked: u, At: result.URL}, result.Resource, true)
	if err != nil {
		return err
	}
	defer l.Close()
	name := w.name
	if name == "" {
		name = transfer.SafeName(part.Name)
	}
	if name == "" {
		return scheme.Hint(fmt.Errorf("%s: %w: part %s has none", u.Shown(), transfer.ErrName, w.Part), "choose one with -o FILE")
	}
	w.jobs = append(w.jobs, transfer.Job{URL: u, Name: name})
	w.distinguish(w.jobs)
	// Write the part in the same way as any other file.
	open := partClient(func(ctx context.Context, req access.Request) (*access.Result, error) {
		o, err := w.PartObject(ctx, l, part, &scheme.Request{Offset: req.Offset})
		return &access.Result{URL: result.URL, Resource: o}, err
	})
	results, err := transfer.Run(ctx, open, w.folder, w.jobs[len(w.jobs)-1:], w.transferOptions(nil))
	if err != nil {
		return err
	}
	for r := range results {
		w.result(r, w.folder.Name(), &w.left)
	}
	return nil
}

// partClient is a function that implements [transfer.Client].
type partClient func(context.Context, access.Request) (*access.Result, error)

func (c partClient) Do(ctx context.Context, req access.Request) (*access.Result, error) {
	return c(ctx, req)
}
