package get

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/cli/show"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/transfer"
)

const (
	// sessionPatience is the time for a step without --timeout.
	sessionPatience = 30 * time.Second
	// expectWindow is the number of latest octets that --expect can match.
	expectWindow = 64 << 10
)

// session runs the script in a session, and writes the output of the host.
func (g *getter) session(ctx context.Context, f show.Found, s *scheme.Session, to show.Stream) error {
	err := g.play(ctx, f, s, to)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%s: %w", f.Asked.Redacted(), err)
}

func (g *getter) play(ctx context.Context, f show.Found, s *scheme.Session, to show.Stream) error {
	if t, ok := s.Conn.(telnet.Terminal3270); ok {
		return g.screen(ctx, f, t, to)
	}
	p := &player{
		ctx: ctx, conn: s.Conn, limit: g.App.Flags.MaxSize, stepTime: g.stepTime(), tell: g.transcript(f, to),
		pieces: make(chan []byte), done: make(chan struct{}),
	}
	go p.read()
	err := p.play(&g.script)
	p.close()
	if err = errors.Join(err, p.written); err == nil && g.App.Flags.JSON && to.IsStdout {
		g.App.WriteJSON(sessionJSON{f.Describe("session"), p.got})
	}
	return err
}

type sessionJSON struct {
	shape.Resource
	Received int64 `json:"received"` // octets
}

func (g *getter) stepTime() time.Duration { return cmp.Or(g.App.Flags.Timeout, sessionPatience) }

// sessionToFile writes the output of a session to a file, as it comes.
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
	URL   shape.Text `json:"url"`
	Event string     `json:"event"` // "received", "sent", "matched"
	Text  shape.Text `json:"text"`
}

// transcript returns the writer of session events for the stream.
func (g *getter) transcript(f show.Found, to show.Stream) func(event string, octets []byte) error {
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
	return func(event string, octets []byte) (err error) {
		switch event {
		case "received":
			_, err = w.Write(octets)
		case "closed":
			restore()
		}
		return err
	}
}

// sessionEvents returns the writer of JSON events. It keeps the start of a split
// character for the next event.
func (g *getter) sessionEvents(f show.Found) func(event string, octets []byte) error {
	var rest []byte
	return func(event string, octets []byte) error {
		switch event {
		case "received":
			octets = append(rest, octets...)
			end := len(octets) - show.Incomplete(octets)
			octets, rest = octets[:end], bytes.Clone(octets[end:])
			if end == 0 {
				return nil
			}
		case "closed":
			if len(rest) == 0 {
				return nil
			}
			event, octets = "received", rest
		}
		g.App.WriteJSON(sessionEvent{shape.Text(f.Asked.Redacted()), event, shape.Text(charset.Text(string(octets)))})
		return g.App.Out.Flush()
	}
}

// player runs a script in a session of octets.
type player struct {
	ctx      context.Context
	conn     scheme.Terminal
	limit    int64         // octets that may come; 0: unlimited
	stepTime time.Duration // for each step
	tell     func(event string, octets []byte) error
	written  error // of tell

	pieces chan []byte // output of the host; closed at its end
	done   chan struct{}
	end    error // why pieces is closed

	got    int64
	window []byte // output since the last match, as far as it is kept
}

// read passes on the output of the host until done is closed.
func (p *player) read() {
	defer close(p.pieces)
	buf := make([]byte, 32<<10)
	for {
		n, err := p.conn.Read(buf)
		if n > 0 {
			select {
			case p.pieces <- bytes.Clone(buf[:n]):
			case <-p.done:
				return
			}
		}
		if err != nil {
			p.end = err
			return
		}
	}
}

// close ends the session, and waits for the reader.
func (p *player) close() {
	close(p.done)
	p.conn.Close()
	for range p.pieces {
	}
	p.say("closed", nil)
}

func (p *player) say(event string, octets []byte) {
	if p.written == nil {
		p.written = p.tell(event, octets)
	}
}

// play runs the steps, each within its time, and then reads until the host is silent.
func (p *player) play(s *script) error {
	for _, st := range s.steps {
		var err error
		switch st.kind {
		case stepSend:
			err = p.send(st.send)
		case stepExpect:
			err = p.expect(st.expect)
		}
		if err != nil {
			return err
		}
	}
	for {
		switch err := p.receive(time.After(s.settle)); {
		case errors.Is(err, errSilent), errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// errSilent means that nothing came in time.
var errSilent = errors.New("silent")

type lateError string

func (e lateError) Error() string { return string(e) }
func (e lateError) Timeout() bool { return true }

func late(format string, args ...any) error { return lateError(fmt.Sprintf(format, args...)) }

func (p *player) receive(late <-chan time.Time) error {
	select {
	case piece, ok := <-p.pieces:
		if !ok {
			return p.end
		}
		return p.take(piece)
	case <-late:
		return errSilent
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	}
}

// take reports output, and keeps it for --expect.
func (p *player) take(piece []byte) error {
	if p.got += int64(len(piece)); p.limit > 0 && p.got > p.limit {
		return fmt.Errorf("%w: more than %d octets came", scheme.ErrTooLarge, p.limit)
	}
	p.say("received", piece)
	p.window = append(p.window, piece...)
	if n := len(p.window) - expectWindow; n > 0 {
		p.window = append(p.window[:0], p.window[n:]...)
	}
	return p.written
}

// send types octets, and takes output meanwhile.
func (p *player) send(octets string) error {
	select {
	case piece, ok := <-p.pieces:
		if !ok {
			return fmt.Errorf("%w: the host ended the session before all was sent%s", scheme.ErrProtocol, p.last())
		}
		if err := p.take(piece); err != nil {
			return err
		}
	default:
	}
	// The echo of the host comes after this event.
	p.say("sent", []byte(octets))
	sent := make(chan error, 1)
	go func() {
		_, err := io.WriteString(p.conn, octets)
		sent <- err
	}()
	tooLate := time.After(p.stepTime)
	pieces := p.pieces
	for {
		select {
		case err := <-sent:
			return errors.Join(err, p.written)
		case piece, ok := <-pieces:
			if !ok {
				// The octets that were sent may have ended the session.
				pieces = nil
				continue
			}
			if err := p.take(piece); err != nil {
				return err
			}
		case <-tooLate:
			return late("the host did not accept what was sent within %v", p.stepTime)
		case <-p.ctx.Done():
			return context.Cause(p.ctx)
		}
	}
}

func (p *player) expect(re *regexp.Regexp) error {
	tooLate := time.After(p.stepTime)
	for {
		if at := re.FindIndex(p.window); at != nil {
			p.say("matched", p.window[at[0]:at[1]])
			p.window = p.window[at[1]:]
			return p.written
		}
		err := p.receive(tooLate)
		switch {
		case errors.Is(err, errSilent):
			return late("nothing that matches %s came within %v%s", locus.Quote(re.String()), p.stepTime, p.last())
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%w: the host ended the session before anything matched %s%s", scheme.ErrProtocol, locus.Quote(re.String()), p.last())
		case err != nil:
			return err
		}
	}
}

// last quotes the last line of the output, for a message.
func (p *player) last() string {
	lines := bytes.Split(bytes.TrimSpace(p.window), []byte("\n"))
	if last := bytes.TrimSpace(lines[len(lines)-1]); len(last) > 0 {
		return ", and its last line was " + locus.Quote(string(last))
	}
	return ""
}
