// Package open implements the subcommand "locus open", which fills in forms, runs sessions,
// composes messages and shows pages.
package open

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

type opener struct {
	show.Viewer
	forms     []*formDialog // forms that the user has filled in, the first form first
	message   mailtoFlags
	session   sessionFlags
	fromInput bool // the URL comes from standard input, so standard input is not a keyboard
}

const openLong = `open shows a page in the pager of the configuration, in $PAGER, in less or in more. It
makes text safe for the terminal. For binary data use "locus get -O". If standard output
is not a terminal, open writes the same as "locus get".

Forms:
For a form or search, open prompts at the terminal, even if standard input is a pipe.
Enter accepts the answer in brackets. Ctrl-C cancels, and nothing is sent. Afterwards
open prints the command that repeats the submission, unless it contains a hidden answer.
See "locus help forms".

Messages:
For a mailto URL, open starts the editor and shows the complete message. You decide
whether to send it. mail.relay or mail.sendmail in the configuration sends it; you can
also write it to a file. open never sends a message that you have not seen.

Sessions:
For a telnet, rlogin or tn3270 URL, open connects the terminal to the host. See "locus
help sessions".`

const openExamples = `  locus open gopher://gopher.example.net/1/
  locus open https://www.example.com/`

// New returns the subcommand "open".
func New(a *base.App) *cobra.Command {
	o := &opener{Viewer: show.Viewer{App: a}}
	cmd := &cobra.Command{
		Use:     "open URL",
		Short:   "Open a URL interactively: page, form, session or message",
		Long:    openLong,
		Example: openExamples,
		Args:    base.RequireURLs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.session.settle(cmd.Flags()); err != nil {
				return err
			}
			if err := o.Screen.Apply(cmd.Flags(), &a.Config.TN3270); err != nil {
				return err
			}
			o.fromInput = base.IsStdin(args)
			return o.run(cmd.Context(), args)
		},
	}
	base.AddFlags(cmd, "Selection", o.AddSelectionFlags)
	base.AddFlags(cmd, "Messages", o.message.addFlags)
	base.AddFlags(cmd, "Sessions", func(f *pflag.FlagSet) {
		o.session.addFlags(f)
		o.Screen.AddFlags(f)
	})
	base.AddFlags(cmd, "Output", o.AddVerboseFlag)
	base.UseNetworkFlags(cmd)
	base.CompleteFlag(cmd, "send-with", func() []string { return sendMethods })
	show.CompleteScreenFlags(cmd)
	return cmd
}

// run opens the URL. It returns only usage errors.
func (o *opener) run(ctx context.Context, args []string) error {
	if err := o.CheckPreferences(); err != nil {
		return err
	}
	if err := o.Selection.Check(o.App, args); err != nil {
		return err
	}
	u, ok, err := o.input(args)
	if !ok || err != nil {
		return err
	}
	if err := o.message.settle(u); err != nil {
		return err
	}
	options := client.Options{Fill: o.fill, NoTimeLimit: true, NoProgress: o.Verbose}
	if o.Verbose {
		options.Trace, options.Observe = o.Trace, o.TraceProxies
	}
	client, closeAll, err := client.New(o.App, options)
	if err != nil {
		return err
	}
	defer closeAll()
	o.Client = client
	if err := o.App.WithoutOutputError(o.open(ctx, u)); err != nil {
		o.Fail(u.Shown(), err)
	}
	o.WriteNotes()
	return nil
}

// input returns the URL. If the argument is not a URL, input reports an error to the user and
// returns false.
func (o *opener) input(args []string) (u locus.URL, ok bool, err error) {
	first := true
	for text, err := range o.App.Inputs(args) {
		if !first {
			return u, false, errors.New("open needs exactly one URL")
		}
		first = false
		u, ok = o.ReadURL(text, err)
	}
	return u, ok, nil
}

// open shows the resource at u. On a terminal, it uses the pager.
func (o *opener) open(ctx context.Context, u locus.URL) error {
	if o.App.Registry.Scheme(u).Traits.Has(scheme.Composes) {
		return o.write(ctx, u)
	}
	if o.App.Flags.JSON && o.App.Registry.Scheme(u).Traits.Has(scheme.Interactive) {
		return errSessionJSON
	}
	if !o.App.OutTTY || o.App.Flags.JSON {
		return o.deliver(ctx, u, o.Stdout())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := newPager(o.App, cancel)
	to := show.Stream{Writer: bufio.NewWriter(p), ForPeople: true, IsStdout: true, BinaryAdvice: "use \"locus get -O\" to write it to a file"}
	err := o.deliver(ctx, u, to)
	if err2 := to.Writer.Flush(); err == nil {
		err = err2
	}
	if p.leftEarly() {
		// The user quit the pager, which is not a failure.
		err = nil
	}
	return errors.Join(p.Close(), err)
}

func (o *opener) deliver(ctx context.Context, u locus.URL, to show.Stream) error {
	result, err := o.Fetch(ctx, u)
	for _, form := range o.forms {
		if !errors.Is(err, context.Canceled) {
			o.repeat(form)
		}
	}
	if err != nil {
		return err
	}
	defer result.Resource.Close()
	if s, ok := result.Resource.(*scheme.Session); ok {
		return o.converse(ctx, s)
	}
	f := show.Found{Asked: u, At: result.URL}
	for _, form := range o.forms {
		if form.file != "" {
			return o.keep(ctx, f, result.Resource, form.file)
		}
	}
	return o.Show(ctx, f, result.Resource, to)
}

func (o *opener) fill(ctx context.Context, f *scheme.Form) ([]string, bool, error) {
	if !o.App.OutTTY && !o.App.ErrTTY {
		return nil, false, nil
	}
	tty, err := o.App.Terminal()
	if err != nil {
		return nil, false, nil
	}
	defer tty.Close()
	o.App.Out.Flush()
	form := newFormDialog(o.App, tty, f)
	if err := form.ask(ctx); err != nil {
		if errors.Is(err, context.Canceled) {
			o.NoteLater("nothing was submitted")
		}
		return nil, false, err
	}
	o.forms = append(o.forms, form)
	return form.answers, true, nil
}

func (o *opener) repeat(form *formDialog) {
	switch {
	case form.hidden:
		o.NoteLater("the URL that repeats this submission is not shown, because it contains a hidden answer")
	case errors.Is(form.urlErr, locus.ErrTooLong):
		o.NoteLater("no URL repeats this submission: it would exceed %d bytes", locus.MaxLen)
	case form.urlErr != nil:
		o.NoteLater("no URL repeats this submission: %s", form.urlErr)
	default:
		o.NoteLater("to repeat this submission: locus get %s%s", o.portFlag(form.url), base.ShellQuote(form.url.WithoutPassword().String()))
	}
}

// portFlag returns the flag that permits the port of u, followed by a space.
func (o *opener) portFlag(u locus.URL) string {
	rules := client.Rules(o.App)
	rules.Ports = o.App.Config.Policy.AllowPorts
	p, err := policy.New(rules)
	if err != nil {
		return ""
	}
	err = access.New(o.App.Registry, p, nil).Check(u, nil)
	if denied, ok := errors.AsType[*policy.DeniedError](err); ok && denied.Port != 0 {
		return fmt.Sprintf("--allow-port %d ", denied.Port)
	}
	return ""
}

// keep writes a resource to a new file. After an error, it preserves the received part of the
// resource, because the server may accept the answers to a form only once.
func (o *opener) keep(ctx context.Context, f show.Found, resource scheme.Resource, path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("%w: %w", transfer.ErrFile, err)
	}
	w := &show.CountWriter{Writer: file}
	to := show.Stream{Writer: bufio.NewWriter(w)}
	err = o.Show(ctx, f, resource, to)
	for _, end := range []func() error{to.Writer.Flush, file.Close} {
		if err2 := end(); err == nil {
			err = err2
		}
	}
	if err != nil {
		return scheme.Hint(err, fmt.Sprintf("wrote %d bytes to %s", w.Count, path))
	}
	o.NoteLater("wrote %d bytes to %s", w.Count, path)
	return nil
}
