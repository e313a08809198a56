package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// opening is one run of "locus open".
type opening struct {
	viewer
	forms     []*interview // those that were filled in, in order
	letter    mailtoFlags
	session   sessionFlags
	fromInput bool // standard input has the URL, so that nobody types there
}

const openLong = `Open shows what a URL leads to, and asks for what it wants first.

A form (Gopher+) or a search asks its questions at the terminal, also if standard
input is a pipe. Enter takes the answer in brackets, Ctrl-C ends it all with
nothing sent. What is sent is shown afterwards as the command that sends it
again, unless an answer was hidden. "locus help forms" tells more.

A mailto URL begins a message: the editor, which is that of the configuration, or
of VISUAL or EDITOR, is for the text; the whole message is shown; and what becomes
of it is asked. It is sent by mail.relay or mail.sendmail of the configuration, or
written to a file. Nothing is sent that nobody has seen.

A telnet, rlogin or tn3270 URL begins a session at the terminal; "locus help
sessions" tells more.

Anything else is shown by the pager, which is that of the configuration, or of
PAGER, or less, or more. Text is made safe for the terminal; what is not text is
for "locus get -O". If standard output is no terminal, it gets what "locus get"
would write.`

const openExamples = `  locus open file:///etc/
  PAGER=cat locus open file:///etc/passwd`

func newOpen(a *app) *cobra.Command {
	o := &opening{viewer: viewer{a: a}}
	cmd := &cobra.Command{
		Use:     "open URL",
		Short:   "Show what a URL leads to, and ask for what it wants first",
		Long:    openLong,
		Example: openExamples,
		Args:    urls,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.session.settle(cmd.Flags()); err != nil {
				return err
			}
			if err := o.terminal.settle(cmd.Flags(), &a.config.TN3270); err != nil {
				return err
			}
			o.fromInput = isStandardInput(args)
			return o.run(cmd.Context(), args)
		},
	}
	o.addPreferences(cmd.Flags())
	o.selection.addFlags(cmd.Flags())
	o.letter.addFlags(cmd.Flags())
	o.session.addFlags(cmd.Flags())
	o.terminal.addFlags(cmd.Flags())
	o.addVerbose(cmd.Flags())
	return cmd
}

// run opens the one URL. The error is one of usage.
func (o *opening) run(ctx context.Context, args []string) error {
	if err := o.checkPreferences(); err != nil {
		return err
	}
	if err := o.selection.settle(o.a, args); err != nil {
		return err
	}
	u, ok, err := o.input(args)
	if !ok || err != nil {
		return err
	}
	if err := o.letter.settle(u); err != nil {
		return err
	}
	options := clientOptions{fill: o.fill, patient: true, quiet: o.verbose}
	if o.verbose {
		options.trace, options.via = o.trace, o.traceVia
	}
	client, closeAll, err := newClient(o.a, options)
	if err != nil {
		return err
	}
	defer closeAll()
	o.client = client
	if err := o.a.withoutOutput(o.open(ctx, u)); err != nil {
		o.failed(u.Redacted(), err)
	}
	o.tellNotes()
	return nil
}

// input returns the one URL. ok is false if it is none, which is told.
func (o *opening) input(args []string) (u locus.URL, ok bool, err error) {
	first := true
	for text, err := range o.a.inputs(args) {
		if !first {
			return u, false, fmt.Errorf("one URL is opened at a time")
		}
		first = false
		u, ok = o.url(text, err)
	}
	return u, ok, nil
}

// open shows what u leads to, by the pager if a person looks.
func (o *opening) open(ctx context.Context, u locus.URL) error {
	if u.Scheme() == "mailto" {
		return o.write(ctx, u)
	}
	if o.a.flags.json && isSession(u) {
		return errTalkJSON
	}
	if !o.a.outTTY || o.a.flags.json {
		return o.deliver(ctx, u, o.standardOutput())
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := newPager(o.a, cancel)
	to := stream{w: bufio.NewWriter(p), tty: true, standard: true, whereTo: "\"locus get -O\" writes it to a file"}
	err := o.deliver(ctx, u, to)
	if err2 := to.w.Flush(); err == nil {
		err = err2
	}
	if p.leftEarly() {
		// Who has seen enough needs no more of it.
		err = nil
	}
	return errors.Join(p.Close(), err)
}

// deliver gets u, and shows it or keeps it as a form wants it.
func (o *opening) deliver(ctx context.Context, u locus.URL, to stream) error {
	result, err := o.fetch(ctx, u)
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
	f := found{asked: u, at: result.URL}
	for _, form := range o.forms {
		if form.file != "" {
			return o.keep(ctx, f, result.Resource, form.file)
		}
	}
	return o.show(ctx, f, result.Resource, to)
}

// fill has the person fill in a form.
func (o *opening) fill(ctx context.Context, f *scheme.Form) ([]string, bool, error) {
	if !o.a.outTTY && !o.a.errTTY {
		return nil, false, nil
	}
	tty, err := o.a.terminal()
	if err != nil {
		return nil, false, nil
	}
	defer tty.Close()
	o.a.out.Flush()
	form := newInterview(o.a, tty, f)
	if err := form.ask(ctx); err != nil {
		if errors.Is(err, context.Canceled) {
			o.later("nothing was submitted")
		}
		return nil, false, err
	}
	o.forms = append(o.forms, form)
	return form.answers, true, nil
}

// repeat says how to submit the same again.
func (o *opening) repeat(form *interview) {
	switch {
	case form.hidden:
		o.later("the URL that sends this again is not shown: it would show the answer that was hidden")
	case errors.Is(form.urlErr, locus.ErrTooLong):
		o.later("no URL sends this again: it would be longer than %d octets", locus.MaxLen)
	case form.urlErr != nil:
		o.later("no URL sends this again: %s", form.urlErr)
	default:
		o.later("to send this again: locus get %s%s", o.portFlag(form.url), shellQuote(form.url.WithoutPassword().String()))
	}
}

// portFlag returns the flag that u needs if it is typed, and a blank.
func (o *opening) portFlag(u locus.URL) string {
	port, ok := u.Port()
	if !ok || port == 0 {
		return ""
	}
	rules := policyRules(o.a)
	rules.Ports = o.a.config.Policy.AllowPorts
	if o.allowed(u, rules) {
		return ""
	}
	if rules.Ports = slices.Concat(rules.Ports, []uint16{port}); o.allowed(u, rules) {
		return fmt.Sprintf("--allow-port %d ", port)
	}
	return ""
}

func (o *opening) allowed(u locus.URL, rules policy.Rules) bool {
	p, err := policy.New(rules)
	if err != nil {
		return false
	}
	s, _ := o.a.registry.Lookup(u.Scheme())
	return p.CheckURL(access.Target(s, u), policy.Typed) == nil
}

// shellQuote writes text as one word of a shell.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// keep writes a resource to a new file. If it breaks off, what came is kept: who
// knows whether the answers can be sent a second time.
func (o *opening) keep(ctx context.Context, f found, resource scheme.Resource, path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("%w: %w", transfer.ErrFile, err)
	}
	w := &countWriter{w: file}
	to := stream{w: bufio.NewWriter(w)}
	err = o.show(ctx, f, resource, to)
	for _, end := range []func() error{to.w.Flush, file.Close} {
		if err2 := end(); err == nil {
			err = err2
		}
	}
	if err != nil {
		return scheme.Hint(err, fmt.Sprintf("%d octets are kept in %s", w.n, path))
	}
	o.later("%d octets are in %s", w.n, path)
	return nil
}
