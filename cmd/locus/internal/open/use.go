package open

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme"
)

// newOpener returns an opener for another subcommand, with the default flags.
func newOpener(a *base.App, c *access.Client) (*opener, error) {
	o := &opener{Viewer: show.Viewer{App: a, Client: c}}
	flags := pflag.NewFlagSet("open", pflag.ContinueOnError)
	o.message.addFlags(flags)
	o.session.addFlags(flags)
	return o, o.session.settle(flags)
}

// Converse runs and closes a session at the terminal. The parameter safe selects the same filter
// as the flag --safe.
func Converse(ctx context.Context, a *base.App, s *scheme.Session, safe bool) error {
	defer s.Close()
	o, err := newOpener(a, nil)
	if err != nil {
		return err
	}
	o.session.safe, o.session.chosen = safe, true
	defer o.WriteNotes()
	return o.converse(ctx, s)
}

// Compose lets the user write a message to the address in a mailto URL, in the same way as "locus
// open".
func Compose(ctx context.Context, a *base.App, c *access.Client, u locus.URL) error {
	o, err := newOpener(a, c)
	if err != nil {
		return err
	}
	defer o.WriteNotes()
	return o.write(ctx, u)
}
