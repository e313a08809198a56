package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/mailstore"
	"github.com/locus-url/locus/scheme"
)

// indexing is one run of "locus index".
type indexing struct {
	a       *app
	rebuild bool

	mu       sync.Mutex
	troubles []string
}

func newIndex(a *app) *cobra.Command {
	x := &indexing{a: a}
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Bring the index of the mail up to date",
		Long: `Bring the index up to date in which "locus get mid:..." finds messages by their
Message-Id, and tell how many messages it has, how large it is, how long it took,
and what of the mail can't be read. "locus help configuration" tells how mail.stores
names the mail.

This is never necessary: a message that is not in the index is looked for in the
mail. It saves the time later. What is interrupted is gone on with the next time.
--rebuild forgets the index and reads all mail again.`,
		Example: `  LOCUS_MAIL_STORES=~/Mail locus index --json
  LOCUS_MAIL_STORES=~/Mail:~/mbox locus index --rebuild`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := x.run(cmd.Context()); err != nil {
				a.problem(statusOf(kindOf(err)), err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&x.rebuild, "rebuild", false, "make the index anew")
	return cmd
}

// indexJSON tells of the index.
type indexJSON struct {
	Index    text    `json:"index"` // its file
	Size     int64   `json:"size"`  // of that, in octets
	Messages int64   `json:"messages"`
	New      int64   `json:"new"`    // of them, which the index did not have
	Octets   int64   `json:"octets"` // of mboxes that were read
	Seconds  float64 `json:"seconds"`
	Rebuilt  bool    `json:"rebuilt"`
	Troubles []text  `json:"troubles"` // what can't be read, and what else is good to know
	// WithoutID counts the messages that were read and can't be found, because they
	// have no Message-ID. They are not among Messages.
	WithoutID int64 `json:"withoutId"`
}

func (x *indexing) run(ctx context.Context) error {
	mail := newMailbox(x.a, false)
	if mail == nil {
		return scheme.Hint(fmt.Errorf("%w: there is no mail", scheme.ErrUnsupported), "mail.stores in the configuration names it")
	}
	defer mail.Close()
	mail.trouble = x.trouble
	store, err := mail.open(ctx)
	if err != nil {
		return err
	}
	work := store.Refresh
	if x.rebuild {
		work = store.Rebuild
	}
	d := indexJSON{Rebuilt: x.rebuild}
	begin := time.Now()
	err = work(ctx, func(p mailstore.Progress) {
		d.New, d.WithoutID, d.Octets = p.New, p.WithoutID, p.Octets
		mail.report(p)
	})
	d.Seconds = time.Since(begin).Seconds()
	mail.endProgress()
	if err != nil {
		return err
	}
	sum, err := store.Summary()
	if err != nil {
		return err
	}
	d.Index, d.Size, d.Messages = text(sum.Path), sum.Size, sum.Messages
	x.tell(d)
	return nil
}

// trouble takes what can't be read.
func (x *indexing) trouble(err error) {
	x.mu.Lock()
	x.troubles = append(x.troubles, err.Error())
	x.mu.Unlock()
	if !x.a.flags.json {
		x.a.note("%s", err)
	}
}

func (x *indexing) tell(d indexJSON) {
	if x.a.flags.json {
		d.Troubles = texts(x.troubles)
		x.a.writeJSON(d)
		return
	}
	fmt.Fprintf(x.a.out, "%d messages, %d of them new\n%s, %s\n", d.Messages, d.New, term.Safe(string(d.Index)), human.Size(d.Size))
	if d.WithoutID > 0 {
		x.a.note("messages without a Message-ID, which can't be found: %d", d.WithoutID)
	}
	x.a.note("it took %s", time.Duration(d.Seconds*float64(time.Second)).Round(time.Millisecond))
}
