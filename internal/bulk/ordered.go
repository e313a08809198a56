package bulk

import (
	"context"
	"iter"
	"sync"
)

// Steps holds the functions that [Each] calls for an item. [Each] calls Work and Finish
// concurrently for several items. [Each] calls Commit and Write for one item at a time.
// Commit, Finish and Write may be nil. After an error, [Each] starts no further steps.
type Steps[T any] struct {
	Work   func(T)
	Commit func(T) error
	Finish func(T)
	Write  func(T) error
}

// Options holds the options of [Each].
type Options struct {
	Workers   int  // maximum number of concurrent items
	Unordered bool // whether Commit and Write may be called in any order
}

// Each calls the functions in steps for each item. Each ranges over the items in the caller's
// goroutine. Each calls Commit and Write in the order of the items. Each returns the first
// error. If ctx ends, the error is the cause of ctx.
func Each[T any](ctx context.Context, items iter.Seq[T], o Options, steps Steps[T]) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type job struct {
		item          T
		commit, write *turn
	}
	jobs := make(chan job)
	var group sync.WaitGroup
	for range o.Workers {
		group.Go(func() {
			for j := range jobs {
				if ctx.Err() == nil {
					steps.Work(j.item)
				}
				do := func(t *turn, step func(T) error) {
					t.wait()
					if ctx.Err() == nil && step != nil {
						if err := step(j.item); err != nil {
							cancel(err)
						}
					}
					t.done()
				}
				do(j.commit, steps.Commit)
				if steps.Finish != nil && ctx.Err() == nil {
					steps.Finish(j.item)
				}
				do(j.write, steps.Write)
			}
		})
	}
	commit, write := firstTurn(o.Unordered), firstTurn(o.Unordered)
	for item := range items {
		select {
		case jobs <- job{item, commit, write}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		commit, write = commit.after(), write.after()
	}
	close(jobs)
	group.Wait()
	return context.Cause(ctx)
}

// turn makes an item wait for the previous item. An item proceeds after a receive from ready. The
// item then lets the next item proceed with a send to nextReady.
type turn struct{ ready, nextReady chan struct{} }

// firstTurn returns the turn of the first item, which need not wait. If unordered is true, all
// items share one turn, which acts as a lock.
func firstTurn(unordered bool) *turn {
	t := &turn{ready: make(chan struct{}, 1), nextReady: make(chan struct{}, 1)}
	if unordered {
		t.nextReady = t.ready
	}
	t.ready <- struct{}{}
	return t
}

func (t *turn) wait() { <-t.ready }
func (t *turn) done() { t.nextReady <- struct{}{} }

func (t *turn) after() *turn {
	if t.nextReady == t.ready {
		return t
	}
	return &turn{ready: t.nextReady, nextReady: make(chan struct{}, 1)}
}
