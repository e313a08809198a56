package open

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/locus-url/locus/cmd/locus/internal/form"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/submit"
)

// converse lets the user write the message, shows the message, and then does what the user
// decides.
func (w *composer) converse(ctx context.Context) error {
	if err := w.askPeople(ctx); err != nil {
		return err
	}
	if l := &w.o.message; !l.flags.Changed("body") && l.bodyFile == "" {
		if err := w.edit(ctx); err != nil {
			return err
		}
	}
	for !w.done {
		m, err := submit.Compose(w.draft)
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

func (w *composer) say(format string, args ...any) {
	fmt.Fprintln(w.tty, term.Safe(fmt.Sprintf(format, args...)))
}

func (w *composer) askPeople(ctx context.Context) error {
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

// askFor prompts the user for an answer and passes it to the callback set. If the callback returns
// an error or the answer is empty, askFor repeats the prompt.
func (w *composer) askFor(ctx context.Context, question string, set func(string) error) error {
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

// unsent reports that the command sent nothing.
func (w *composer) unsent(err error) error {
	if errors.Is(err, base.ErrNoAnswer) {
		return fmt.Errorf("%w: the input ended; nothing was sent", base.ErrNoAnswer)
	}
	w.o.NoteLater("nothing was sent")
	return err
}

func (w *composer) show(m *submit.Message) error {
	text, err := m.Preview()
	if err != nil {
		return err
	}
	fmt.Fprintf(w.tty, "\n%s", term.SafeLines(text))
	if w.method != nil {
		w.say("By        %s", w.method.name)
	}
	fmt.Fprintln(w.tty)
	w.tellIgnored(func(format string, args ...any) { w.say("Note: "+format, args...) })
	return nil
}

// decide prompts for the user's decision about the message m. If the message can't be sent, m is
// nil. The function decide returns when the message is done, or when the caller must show the
// message again.
func (w *composer) decide(ctx context.Context, m *submit.Message) error {
	question := "Send it? [y/N/e(dit)/w(rite to a file)] "
	switch {
	case m == nil:
		question = "Edit it? [e/N] "
	case w.method == nil:
		w.say("The message can't be sent: set mail.relay or mail.sendmail in the configuration.")
		question = "Write it to a file? [w/e(dit)/N] "
	}
	for {
		answer, err := w.tty.ReadLine(ctx, question)
		if err != nil {
			return w.unsent(err)
		}
		switch answer = strings.ToLower(strings.TrimSpace(answer)); {
		case (answer == "y" || answer == "yes") && m != nil && w.method != nil:
			err = w.send(ctx, m)
		case (answer == "w" || answer == "write") && m != nil:
			err = w.askFile(ctx, m)
		case answer == "e" || answer == "edit":
			return w.edit(ctx)
		case answer == "" || answer == "n" || answer == "no":
			// "no" discards the text. Enter keeps the text, because the user may have
			// pressed it by mistake.
			w.done, w.keep = true, answer == ""
			if !errors.Is(w.failure, submit.ErrUncertain) {
				w.o.NoteLater("nothing was sent")
			}
			// Return the last failure if the message could not be sent.
			return w.failure
		default:
			continue
		}
		if err != nil || w.done {
			return err
		}
	}
}

// send sends the message. If sending fails, it stores the reason in w.failure, and the user
// decides again. An error means that the context ctx was cancelled.
func (w *composer) send(ctx context.Context, m *submit.Message) error {
	limited := ctx
	if limit := w.o.App.Flags.MaxTime; limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	reply, err := w.method.send(limited, m)
	w.failure = err
	if err == nil {
		w.done = true
		if reply != "" {
			reply = ": " + form.Quote(reply)
		}
		w.o.NoteLater("the message was sent to %d of %d recipients%s", len(m.Recipients()), len(m.Recipients()), reply)
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

func (w *composer) askFile(ctx context.Context, m *submit.Message) error {
	name, err := w.tty.ReadLine(ctx, "File: ")
	if err != nil {
		return w.unsent(err)
	}
	if name == "" {
		return nil
	}
	if err := w.toFile(m, name); err != nil {
		w.say("%s", err)
		return nil
	}
	w.done = true
	return nil
}

func (w *composer) edit(ctx context.Context) error {
	if err := w.writeText(); err != nil {
		return err
	}
	editor := cmp.Or(w.o.App.Config.Editor, w.o.App.Getenv("VISUAL"), w.o.App.Getenv("EDITOR"), "vi")
	// The user configured this command and its arguments. The shell does not parse the file
	// name.
	command := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", w.file)
	// Open the terminal again, because Close does not end a blocked Read on a file that a
	// child process uses.
	tty, err := w.o.App.OpenTerminal()
	if err != nil {
		return err
	}
	defer tty.Close()
	command.Stdin, command.Stdout, command.Stderr = tty, tty, tty
	// The editor receives Ctrl-C while it uses the terminal.
	w.o.App.PagerRuns.Store(true)
	err = command.Run()
	w.o.App.PagerRuns.Store(false)
	if err != nil {
		return fmt.Errorf("nothing was sent: the editor %s: %w", form.Quote(editor), err)
	}
	text, err := base.ReadFile(w.file, maxAttached)
	w.draft.Body = string(text)
	return err
}

// writeText writes the text to a file that only the user can read.
func (w *composer) writeText() error {
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

func (w *composer) keepText() {
	if w.file == "" {
		return
	}
	if info, err := os.Stat(w.file); w.done && !w.keep || err == nil && info.Size() == 0 {
		os.Remove(w.file)
		return
	}
	w.o.NoteLater("the text was saved in %s", w.file)
}
