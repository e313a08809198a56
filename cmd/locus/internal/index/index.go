// Package index implements the subcommand "locus index", which updates the index of the local
// mail.
package index

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/mailstore"
	"github.com/locus-url/locus/scheme"
)

type indexing struct {
	a       *base.App
	rebuild bool

	mu     sync.Mutex
	errors []string
}

// New returns the subcommand "index".
func New(a *base.App) *cobra.Command {
	x := &indexing{a: a}
	cmd := &cobra.Command{
		Use:   "index",
		Short: "Update the mail index",
		Long: `"locus get mid:..." finds messages in this index by their Message-ID. index updates the
index. It reports the size, the number of messages, the time, and unreadable mail. The
configuration names the mail in mail.stores.

Running index is optional and saves time later: if a message is not in the index, locus
searches the mail. To resume an interrupted run, run index again. --rebuild deletes the
index and reads all mail again.`,
		Example: `  locus index
  locus index --rebuild`,
		Args: base.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := x.run(cmd.Context()); err != nil {
				a.Fail(base.StatusOf(base.KindOf(err)), err)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&x.rebuild, "rebuild", false, "delete the index and read all mail again")
	return cmd
}

type indexJSON struct {
	Index    shape.Text   `json:"index"` // name of the index file
	Size     int64        `json:"size"`  // size of the index file in bytes
	Messages int64        `json:"messages"`
	New      int64        `json:"new"`    // number of messages that the run added to the index
	Octets   int64        `json:"octets"` // number of bytes read from mbox files
	Seconds  float64      `json:"seconds"`
	Rebuilt  bool         `json:"rebuilt"`
	Errors   []shape.Text `json:"troubles"` // problems in the mail files
	// WithoutID is the number of messages without a Message-ID. A lookup can't find such
	// messages, so Messages does not include them.
	WithoutID int64 `json:"withoutId"`
}

func (x *indexing) run(ctx context.Context) error {
	mail := client.NewMailbox(x.a, false)
	if mail == nil {
		return scheme.Hint(fmt.Errorf("%w: no mail is configured", scheme.ErrUnsupported), "set mail.stores in the configuration")
	}
	defer mail.Close()
	mail.OnError = x.logError
	store, err := mail.Open(ctx)
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
		mail.Report(p)
	})
	d.Seconds = time.Since(begin).Seconds()
	mail.EndProgress()
	if err != nil {
		return err
	}
	sum, err := store.Summary()
	if err != nil {
		return err
	}
	d.Index, d.Size, d.Messages = shape.Text(sum.Path), sum.Size, sum.Messages
	x.tell(d)
	return nil
}

// logError records a problem in the mail files.
func (x *indexing) logError(err error) {
	x.mu.Lock()
	x.errors = append(x.errors, err.Error())
	x.mu.Unlock()
	if !x.a.Flags.JSON {
		x.a.Note("%s", err)
	}
}

func (x *indexing) tell(d indexJSON) {
	if x.a.Flags.JSON {
		d.Errors = shape.Texts(x.errors)
		x.a.WriteJSON(d)
		return
	}
	fmt.Fprintf(x.a.Out, "%d messages, %d of them new\n%s, %s\n", d.Messages, d.New, term.Safe(string(d.Index)), human.Size(d.Size))
	if d.WithoutID > 0 {
		x.a.Note("messages without a Message-ID, which can't be found: %d", d.WithoutID)
	}
	x.a.Note("time: %s", time.Duration(d.Seconds*float64(time.Second)).Round(time.Millisecond))
}
