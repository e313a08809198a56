package open

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cmd/locus/internal/form"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/mailto"
	"github.com/locus-url/locus/submit"
)

type mailtoFlags struct {
	subject, body, bodyFile string
	from                    string
	cc, bcc, attach         []string
	output                  string
	by                      string // --send-with: "smtp", "sendmail", "file", or empty

	flags *pflag.FlagSet // all flags of the subcommand
}

var sendMethods = []string{"smtp", "sendmail", "file"}

func (l *mailtoFlags) addFlags(f *pflag.FlagSet) {
	f.StringVar(&l.from, "from", "", "send from `ADDRESS`, which may have a name: \"Name <ADDRESS>\"")
	f.StringVar(&l.subject, "subject", "", "use `TEXT` as the subject")
	f.StringVar(&l.body, "body", "", "use `TEXT` as the body instead of opening the editor")
	f.StringVar(&l.bodyFile, "body-file", "", "read the body from `FILE`; \"-\" is standard input")
	f.StringArrayVar(&l.cc, "cc", nil, "send copies to `ADDRESSES` (repeatable)")
	f.StringArrayVar(&l.bcc, "bcc", nil, "send hidden copies to `ADDRESSES` (repeatable)")
	f.StringArrayVar(&l.attach, "attach", nil, "attach `FILE` (repeatable)")
	f.StringVarP(&l.output, "output", "o", "", "send nothing; write the message to `FILE`, \"-\" for standard output")
	f.StringVar(&l.by, "send-with", "", "send by `METHOD`: smtp, sendmail or file")
	l.flags = f
}

func (l *mailtoFlags) settle(u locus.URL) error {
	set := l.flags.Changed
	var wrong error
	l.flags.VisitAll(func(f *pflag.Flag) {
		if wrong == nil && f.Changed && u.Scheme() != "mailto" {
			wrong = fmt.Errorf("--%s needs a mailto URL", f.Name)
		}
	})
	if wrong != nil {
		return wrong
	}
	switch {
	case set("body") && set("body-file"):
		return errors.New("--body and --body-file can't be used together")
	case set("output") && l.output == "":
		return errors.New("--output needs a file name")
	case set("output") && set("send-with"):
		return errors.New("--output can't be used with --send-with: it sends nothing")
	case set("send-with") && !slices.Contains(sendMethods, l.by):
		return fmt.Errorf("--send-with: unknown method %s: choose smtp, sendmail or file", locus.Quote(l.by))
	}
	return nil
}

// write lets the user write a message to the address in u. The command sends only text that the
// user has seen.
func (o *opener) write(ctx context.Context, u locus.URL) error {
	w := composer{o: o, url: u}
	if err := w.begin(); err != nil {
		return err
	}
	if o.message.output != "" {
		return w.fail(w.toOutput())
	}
	method, err := o.sendMethod()
	if err != nil {
		return err
	}
	w.method = method
	if !o.App.OutTTY && !o.App.ErrTTY {
		return w.unseen()
	}
	tty, err := o.App.Terminal()
	if err != nil {
		return w.unseen()
	}
	defer tty.Close()
	o.App.Out.Flush()
	w.tty = tty
	err = w.converse(ctx)
	w.keepText()
	return w.fail(err)
}

func (w *composer) unseen() error {
	return w.fail(&policy.DeniedError{
		Rule: "unseen", Subject: locus.Quote(w.url.Shown()),
		Reason: "a message must be shown before it is sent, but there is no terminal", Help: "use --output FILE to write it to a file",
	})
}

type composer struct {
	o       *opener
	url     locus.URL
	draft   submit.Draft
	ignored []submit.Field // fields that a URL must not set
	fields  bool           // the URL contains header fields
	method  *sendMethod    // may be nil
	tty     *base.Terminal

	failure error // error from the last attempt to send; may be nil

	file string // file with the text for the editor; empty if there is no such file
	done bool   // the user has decided what to do with the message
	keep bool   // preserve the text even if done is true
}

func (w *composer) fail(err error) error {
	if err == nil {
		return nil
	}
	return access.NewError("open", w.url, err)
}

func (w *composer) begin() error {
	m, err := mailto.Parse(w.url)
	if err != nil {
		return err
	}
	proposal, err := m.Headers()
	if err != nil {
		return err
	}
	for _, address := range proposal.To {
		w.draft.To = append(w.draft.To, submit.Mailbox{Address: address})
	}
	w.fields = len(proposal.Fields) > 0
	fields := make([]submit.Field, len(proposal.Fields))
	for i, f := range proposal.Fields {
		fields[i] = submit.Field{Name: f.Name, Value: charset.Text(f.Value)}
	}
	if w.ignored, err = w.draft.Propose(fields); err != nil {
		return w.fail(err)
	}
	return w.fail(w.applyFlags())
}

func (w *composer) applyFlags() error {
	l, d := &w.o.message, &w.draft
	d.From = w.o.App.Config.Mail.From.Mailbox
	if l.from != "" {
		var from config.Sender
		if err := from.UnmarshalText([]byte(l.from)); err != nil {
			return base.NewWrongAnswer(fmt.Errorf("--from: %w", err))
		}
		d.From = from.Mailbox
	}
	if l.flags.Changed("subject") {
		d.Subject = l.subject
	}
	for _, more := range []struct {
		flag  string
		Texts []string
		list  *[]submit.Mailbox
	}{{"cc", l.cc, &d.Cc}, {"bcc", l.bcc, &d.Bcc}} {
		for _, text := range more.Texts {
			list, err := submit.ParseMailboxes(text)
			if err != nil {
				return base.NewWrongAnswer(fmt.Errorf("--%s: %w", more.flag, err))
			}
			*more.list = append(*more.list, list...)
		}
	}
	if err := w.readBody(); err != nil {
		return err
	}
	return w.readAttachments()
}

func (w *composer) readBody() error {
	l := &w.o.message
	text, err := []byte(w.draft.Body), error(nil)
	switch {
	case l.flags.Changed("body"):
		text = []byte(l.body)
	case l.bodyFile == "-":
		text, err = base.ReadLimited(w.o.App.In, "standard input", maxAttached)
	case l.bodyFile != "":
		text, err = base.ReadFile(w.o.App.ExpandHome(l.bodyFile), maxAttached)
	}
	w.draft.Body = string(text)
	return err
}

func (w *composer) readAttachments() error {
	left := maxAttached
	for _, name := range w.o.message.attach {
		content, err := base.ReadFile(w.o.App.ExpandHome(name), maxAttached)
		if err != nil {
			return err
		}
		if left -= len(content); left < 0 {
			return fmt.Errorf("%w: the attached files exceed %d bytes", scheme.ErrTooLarge, maxAttached)
		}
		w.draft.Attachments = append(w.draft.Attachments, submit.Attachment{Name: filepath.Base(name), Content: content})
	}
	return nil
}

// maxAttached limits the total size of attached files, in bytes. Mail servers do not accept larger
// messages.
const maxAttached = 64 << 20

func (w *composer) toOutput() error {
	m, err := submit.Compose(w.draft)
	if err != nil {
		if w.draft.From.Address == "" {
			err = scheme.Hint(err, "set --from, or mail.from in the configuration")
		}
		return err
	}
	w.tellIgnored(w.o.NoteLater)
	if w.o.message.output == "-" {
		_, err := m.WriteTo(w.o.App.Out)
		return err
	}
	return w.toFile(m, w.o.message.output)
}

// toFile writes the message to a new file, and reports the file to the user.
func (w *composer) toFile(m *submit.Message, name string) error {
	if err := submit.WriteFile(w.o.App.ExpandHome(name), m); err != nil {
		return err
	}
	w.o.NoteLater("wrote %d bytes to %s; nothing was sent", m.Size(), name)
	if hidden := m.Hidden(); len(hidden) > 0 {
		w.o.NoteLater("the file omits the Bcc recipients: %s", strings.Join(hidden, ", "))
	}
	return nil
}

// tellIgnored calls the function tell to report the header fields of the URL that locus ignores.
func (w *composer) tellIgnored(tell func(string, ...any)) {
	if w.fields {
		tell(`the text after "?" was read as RFC 6068 fields; in RFC 1738 it is part of the address`)
	}
	for _, f := range w.ignored {
		tell("ignored a field that a URL must not set: %s: %s", f.Name, term.Truncate(f.Value, form.MaxShown))
	}
}

type sendMethod struct {
	name string // name for display
	send func(context.Context, *submit.Message) (string, error)
}

// sendMethod returns the sending method that the flag or the configuration selects. It returns nil
// if neither selects a method. Each error is a usage error.
func (o *opener) sendMethod() (*sendMethod, error) {
	mail := &o.App.Config.Mail
	hasRelay, hasProgram := mail.Relay.Host != "", len(mail.Sendmail) > 0
	switch by := o.message.by; {
	case by == "file":
		return nil, nil
	case by == "smtp" && !hasRelay:
		return nil, base.NewWrongAnswer(errors.New("--send-with smtp: mail.relay in the configuration is not set"))
	case by == "sendmail" && !hasProgram:
		return nil, base.NewWrongAnswer(errors.New("--send-with sendmail: mail.sendmail in the configuration is not set"))
	case hasRelay && by != "sendmail":
		relay := mail.Relay.Relay
		name := relay.String()
		if relay.Security == submit.Clear {
			name += ", without encryption"
		}
		// The policy must permit the mail server.
		server := submit.NewSMTP(relay, o.Client.Dialer(), &submit.SMTPOptions{Ask: client.NewLogin(o.App).AskRelay, Clear: mail.Clear, Wait: o.App.Flags.Timeout})
		return &sendMethod{name, server.Submit}, nil
	case hasProgram:
		program, err := submit.NewSendmail(mail.Sendmail)
		if err != nil {
			return nil, err
		}
		return &sendMethod{strings.Join(mail.Sendmail, " "), func(ctx context.Context, m *submit.Message) (string, error) {
			return "", program.Submit(ctx, m)
		}}, nil
	}
	return nil, nil
}
