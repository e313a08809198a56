package main

import (
	"context"
	"iter"

	"github.com/locus-url/locus/fleet"
	"github.com/locus-url/locus/verify"
)

// submission is an engine that adds documents without waiting for verdicts.
type submission struct {
	*fleet.Submitter
	command *command
}

// Run adds the documents of sources. If adding fails, it yields the error. It yields no other
// results.
func (s submission) Run(ctx context.Context, sources iter.Seq[verify.Source]) iter.Seq[verify.Result] {
	return func(yield func(verify.Result) bool) {
		if err := s.Submit(ctx, sources); err != nil && ctx.Err() == nil {
			yield(verify.Result{Err: s.command.explain(s.command.name(), err)})
		}
	}
}
