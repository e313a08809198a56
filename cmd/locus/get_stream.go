package main

import (
	"bufio"
	"context"
	"errors"
	"os"

	"github.com/locus-url/locus"
)

// toStream gets the URLs in the order of the input.
func (g *getter) toStream(ctx context.Context, args []string, to stream) error {
	for text, err := range g.a.inputs(args) {
		u, ok := g.url(text, err)
		if !ok {
			continue
		}
		if err := g.a.withoutOutput(g.one(ctx, u, to)); err != nil {
			g.failed(u.Redacted(), err)
		}
		g.tellNotes()
	}
	return nil
}

// one gets one URL.
func (g *getter) one(ctx context.Context, u locus.URL, to stream) error {
	result, err := g.fetch(ctx, u)
	if err != nil {
		return err
	}
	defer result.Resource.Close()
	return g.show(ctx, found{asked: u, at: result.URL}, result.Resource, to)
}

// toFile gets one URL into the file of -o.
func (g *getter) toFile(ctx context.Context, args []string) error {
	dir, name, err := g.place()
	if errors.As(err, new(*linkError)) {
		g.failed(locus.Mask(args[0]), err)
		return nil
	}
	if err != nil {
		return err
	}
	if name != "" && g.part != "" {
		return g.partsToFolder(ctx, args, dir, name)
	}
	if u, err := locus.ParseWrapped(args[0]); err == nil && isSession(u) && name != "" {
		if err := g.sessionToFile(ctx, u, dir, name); err != nil {
			g.failed(u.Redacted(), err)
		}
		return nil
	}
	if name != "" {
		return g.toFolder(ctx, args, dir, func(locus.URL) string { return name })
	}
	// A device or pipe has no use for a temporary name.
	f, err := os.OpenFile(dir, os.O_WRONLY, 0)
	if err != nil {
		g.a.problem(statusAccess, err)
		return nil
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if err := g.toStream(ctx, args, stream{w: w}); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		g.a.problem(statusAccess, err)
	}
	return nil
}
