package open

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/config"
	"github.com/locus-url/locus/internal/cli/form"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/submit"
)

// converse has the person write the message, shows it, and does what the person
// says.
func (w *writing) converse(ctx context.Context) error {
	if err := w.askPeople(ctx); err != nil {
		return err
	}
	if l := &w.o.letter; !l.flags.Changed("body") && l.bodyFile == "" {
		if err := w.edit(ctx); err != nil {
			return err
		}
	}
	for !w.done {
		m, err := submit.Compose(w.draft, nil)
		if err == nil {
			err = w.show(m)
		}
		if err != nil {
			w.say("%s", err)
			m = nil
		}
		if err := w.decide(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// say writes a line to the terminal.
func (w *writing) say(format string, args ...any) {
	fmt.Fprintln(w.tty, term.Safe(fmt.Sprintf(format, args...)))
}

// askPeople asks who writes to whom, if nothing else says so.
func (w *writing) askPeople(ctx context.Context) error {
	if d := &w.draft; d.From.Address == "" {
		err := w.askFor(ctx, "From (your address): ", func(text string) error {
			var from config.Sender
			err := from.UnmarshalText([]byte(text))
			d.From = from.Mailbox
			return err
		})
		if err != nil {
			return err
		}
	}
	if d := &w.draft; len(d.To)+len(d.Cc)+len(d.Bcc) == 0 {
		return w.askFor(ctx, "To: ", func(text string) (err error) {
			d.To, err = submit.ParseMailboxes(text)
			return err
		})
	}
	return nil
}

// askFor asks until set takes the answer. Nothing is no answer.
func (w *writing) askFor(ctx context.Context, question string, set func(string) error) error {
	for {
		text, err := w.tty.ReadLine(ctx, question)
		if err != nil {
			return w.unsent(err)
		}
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if err = set(text); err == nil {
			return nil
		}
		w.say("  %s", err)
	}
}

// unsent says of an answer that did not come what it means.
func (w *writing) unsent(err error) error {
	if errors.Is(err, base.ErrNoAnswer) {
		return fmt.Errorf("%w: the input ended, and nothing was sent", base.ErrNoAnswer)
	}
	w.o.NoteLater("nothing was sent")
	return err
}

// show shows all that would be sent.
func (w *writing) show(m *submit.Message) error {
	text, err := m.Preview()
	if err != nil {
		return err
	}
	fmt.Fprintf(w.tty, "\n%s", term.SafeLines(text))
	if w.way != nil {
		w.say("By        %s", w.way.name)
	}
	fmt.Fprintln(w.tty)
	w.tellIgnored(func(format string, args ...any) { w.say("Note: "+format, args...) })
	return nil
}

// decide asks what becomes of m, nil if it can't be sent, and does it. It returns
// when the message is done with, or is to be shown again.
func (w *writing) decide(ctx context.Context, m *submit.Message) error {
	question := "Send it? [y/N/e(dit)/w(rite to a file)] "
	switch {
	case m == nil:
		question = "Edit it? [e/N] "
	case w.way == nil:
		w.say("There is no way to send it: mail.relay or mail.sendmail in the configuration names one.")
		question = "Write it to a file? [w/e(dit)/N] "
	}
	for {
		answer, err := w.tty.ReadLine(ctx, question)
		if err != nil {
			return w.unsent(err)
		}
		switch answer = strings.ToLower(strings.TrimSpace(answer)); {
		case (answer == "y" || answer == "yes") && m != nil && w.way != nil:
			err = w.send(ctx, m)
		case (answer == "w" || answer == "write") && m != nil:
			err = w.askFile(ctx, m)
		case answer == "e" || answer == "edit":
			return w.edit(ctx)
		case answer == "" || answer == "n" || answer == "no":
			// Who says "no" needs the text no more; Enter may be a mistake.
			w.done, w.keep = true, answer == ""
			if !errors.Is(w.failure, submit.ErrUncertain) {
				w.o.NoteLater("nothing was sent")
			}
			// Without another attempt the last failure is the outcome.
			return w.failure
		default:
			continue
		}
		if err != nil || w.done {
			return err
		}
	}
}

// send sends the message. If that fails, the person decides again, and w.failure is
// the reason; only the end of ctx ends it all.
func (w *writing) send(ctx context.Context, m *submit.Message) error {
	reply, err := w.way.send(ctx, m)
	w.failure = err
	if err == nil {
		w.done = true
		w.o.NoteLater("the message was sent to %d of %d recipients%s", len(m.Recipients()), len(m.Recipients()), quotedReply(reply))
		return nil
	}
	if ctx.Err() != nil {
		if !errors.Is(err, submit.ErrUncertain) {
			w.o.NoteLater("nothing was sent")
		}
		return err
	}
	w.say("%s", err)
	return nil
}

func quotedReply(reply string) string {
	if reply == "" {
		return ""
	}
	return ": " + form.Quote(reply)
}

// askFile asks for a file, and writes the message to it.
func (w *writing) askFile(ctx context.Context, m *submit.Message) error {
	name, err := w.tty.ReadLine(ctx, "File: ")
	if err != nil {
		return w.unsent(err)
	}
	if name == "" {
		return nil
	}
	if err := w.toFile(m, name, w.o.NoteLater); err != nil {
		w.say("%s", err)
		return nil
	}
	w.done = true
	return nil
}

// edit has the person change the text in the editor.
func (w *writing) edit(ctx context.Context) error {
	if err := w.writeText(); err != nil {
		return err
	}
	editor := cmp.Or(w.o.App.Config.Editor, w.o.App.Getenv("VISUAL"), w.o.App.Getenv("EDITOR"), "vi")
	// A command with arguments, by custom. It is the person's own text; the file is
	// an argument, which the shell does not read.
	command := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", w.file)
	command.Stdin, command.Stdout, command.Stderr = w.tty.File, w.tty.File, w.tty.File
	// Ctrl-C is for the editor while it has the terminal.
	w.o.App.PagerRuns.Store(true)
	err := command.Run()
	w.o.App.PagerRuns.Store(false)
	if err != nil {
		return fmt.Errorf("nothing was sent: the editor %s: %w", form.Quote(editor), err)
	}
	text, err := readFile(w.file)
	w.draft.Body = string(text)
	return err
}

// writeText puts the text into a file that nobody else can read.
func (w *writing) writeText() error {
	if w.file != "" {
		return os.WriteFile(w.file, []byte(w.draft.Body), 0o600)
	}
	f, err := os.CreateTemp("", "locus-*.txt")
	if err != nil {
		return err
	}
	w.file = f.Name()
	_, err = f.WriteString(w.draft.Body)
	return errors.Join(err, f.Close())
}

// keepText removes the file of a text that is not needed any more, and says where
// any other is.
func (w *writing) keepText() {
	if w.file == "" {
		return
	}
	if info, err := os.Stat(w.file); w.done && !w.keep || err == nil && info.Size() == 0 {
		os.Remove(w.file)
		return
	}
	w.o.NoteLater("the text is kept in %s", w.file)
}
