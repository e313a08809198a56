package get

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/session"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/transfer"
)

// sessionTimeout is the default time limit for a step of a script.
const sessionTimeout = 30 * time.Second

// session runs the script in a session, and writes the output of the host.
func (g *getter) session(ctx context.Context, f show.Found, s *scheme.Session, to show.Stream) error {
	err := g.play(ctx, f, s, to)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%s: %w", f.Asked.Shown(), err)
}

func (g *getter) play(ctx context.Context, f show.Found, s *scheme.Session, to show.Stream) error {
	if t, ok := s.Conn.(telnet.Terminal3270); ok {
		return g.screen(ctx, f, t, to)
	}
	var received int64
	tell := g.transcript(f, to)
	text := session.NewText(ctx, s.Conn, g.stepTime(), func(e session.Event, octets []byte) error {
		if e == session.Received {
			received += int64(len(octets))
			if limit := g.App.Flags.MaxSize; limit > 0 && received > limit {
				return fmt.Errorf("%w: received more than %d bytes", scheme.ErrTooLarge, limit)
			}
		}
		return tell(e, octets)
	})
	err := g.script.run(text)
	if closeErr := text.Close(); err == nil {
		err = closeErr
	}
	if err == nil && g.App.Flags.JSON && to.IsStdout {
		g.App.WriteJSON(sessionJSON{f.Describe("session"), received})
	}
	return err
}

type sessionJSON struct {
	shape.Resource
	Received int64 `json:"received"` // number of received bytes
}

func (g *getter) stepTime() time.Duration { return cmp.Or(g.App.Flags.Timeout, sessionTimeout) }

// sessionToFile writes the output of a session to a file as it arrives.
func (g *getter) sessionToFile(ctx context.Context, u locus.URL, dir, name string) error {
	result, err := g.Fetch(ctx, u)
	if err != nil {
		return err
	}
	defer result.Resource.Close()
	folder, err := g.openFolder(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	file, err := folder.Create(name)
	if err != nil {
		return fmt.Errorf("%w: %w", transfer.ErrFile, err)
	}
	w := &show.CountWriter{Writer: file}
	to := show.Stream{Writer: bufio.NewWriter(w)}
	f := show.Found{Asked: u, At: result.URL}
	if err := errors.Join(g.Show(ctx, f, result.Resource, to), to.Writer.Flush(), file.Close()); err != nil {
		return err
	}
	if g.App.Flags.JSON {
		g.App.WriteJSON(struct {
			shape.Resource
			File shape.Text `json:"file"`
			Size int64      `json:"size"`
		}{f.Describe("session"), shape.Text(filepath.Join(dir, name)), w.Count})
	}
	return nil
}

type sessionEvent struct {
	URL   shape.Text    `json:"url"`
	Event session.Event `json:"event"` // kind of event; never session.Closed
	Text  shape.Text    `json:"text"`
}

// transcript returns a function that writes session events to the stream.
func (g *getter) transcript(f show.Found, to show.Stream) func(event session.Event, octets []byte) error {
	if g.App.Flags.JSON && to.IsStdout {
		return g.sessionEvents(f)
	}
	w, restore := to.Unbuffered(), func() {}
	if to.ForPeople {
		d := &show.Display{Writer: w}
		if g.Raw {
			d.Level = term.Unfiltered
		}
		w, restore = d, d.Restore
	}
	return func(event session.Event, octets []byte) (err error) {
		switch event {
		case session.Received:
			_, err = w.Write(octets)
		case session.Closed:
			restore()
		}
		return err
	}
}

// sessionEvents returns a function that writes JSON events. If an event ends within a character,
// the function saves the incomplete character for the next event.
func (g *getter) sessionEvents(f show.Found) func(event session.Event, octets []byte) error {
	var rest []byte
	return func(event session.Event, octets []byte) error {
		switch event {
		case session.Received:
			octets = append(rest, octets...)
			end := len(octets) - show.Incomplete(octets)
			octets, rest = octets[:end], bytes.Clone(octets[end:])
			if end == 0 {
				return nil
			}
		case session.Closed:
			if len(rest) == 0 {
				return nil
			}
			event, octets = session.Received, rest
		}
		g.App.WriteJSON(sessionEvent{shape.Text(f.Asked.Shown()), event, shape.Text(charset.Text(string(octets)))})
		return g.App.Out.Flush()
	}
}
