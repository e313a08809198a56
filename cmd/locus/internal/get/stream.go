package get

import (
	"bufio"
	"context"
	"errors"
	"os"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// toStream fetches the URLs in the order of the input, and writes the resources to a stream.
func (g *getter) toStream(ctx context.Context, args []string, to show.Stream) error {
	for text, err := range g.App.Inputs(args) {
		u, ok := g.ReadURL(text, err)
		if !ok {
			continue
		}
		if err := g.App.WithoutOutputError(g.one(ctx, u, to)); err != nil {
			g.Fail(u.Shown(), err)
		}
		g.WriteNotes()
	}
	return nil
}

func (g *getter) one(ctx context.Context, u locus.URL, to show.Stream) error {
	result, err := g.Fetch(ctx, u)
	if err != nil {
		return err
	}
	defer result.Resource.Close()
	return g.Show(ctx, show.Found{Asked: u, At: result.URL}, result.Resource, to)
}

func (g *getter) toFile(ctx context.Context, args []string) error {
	dir, name, err := g.place()
	if errors.Is(err, transfer.ErrExists) {
		g.Fail(locus.Mask(args[0]), err)
		return nil
	}
	if err != nil {
		return err
	}
	if name != "" && g.Part != "" {
		return g.partsToFolder(ctx, args, dir, name)
	}
	if u, err := locus.ParseWrapped(args[0]); err == nil && g.App.Registry.Scheme(u).Traits.Has(scheme.Interactive) && name != "" {
		if err := g.sessionToFile(ctx, u, dir, name); err != nil {
			g.Fail(u.Shown(), err)
		}
		return nil
	}
	if name != "" {
		return g.toFolder(ctx, args, dir, func(locus.URL) string { return name })
	}
	// A device or pipe needs no temporary name.
	f, err := os.OpenFile(dir, os.O_WRONLY, 0)
	if err != nil {
		g.App.Fail(base.StatusAccess, err)
		return nil
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if err := g.toStream(ctx, args, show.Stream{Writer: w}); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		g.App.Fail(base.StatusAccess, err)
	}
	return nil
}
