package base

import "bufio"

// A Part is a run for a part of the inputs. It keeps what it writes until [App.Join], so
// that several parts can be worked on side by side.
type Part struct {
	*App
	Text     []byte // for standard output, once Out is flushed
	errors   []byte
	messages []message
}

// message is what one call wrote to standard error.
type message struct {
	at   int  // in Text
	end  int  // in errors
	once bool // later ones are left out
}

// NewPart returns an empty part. a must have its flags and configuration.
func (a *App) NewPart() *Part {
	p := &Part{App: &App{
		Context: a.Context, OutTTY: a.OutTTY, ErrTTY: a.ErrTTY, Width: a.Width, Getenv: a.Getenv, Environ: a.Environ,
		Flags: a.Flags, Config: a.Config, words: a.words, Registry: a.Registry, NewRegistry: a.NewRegistry,
	}}
	p.App.ErrOut = errorPart{p}
	p.sink.w = textPart{p}
	p.Out = bufio.NewWriter(&p.sink)
	return p
}

type textPart struct{ *Part }

func (p textPart) Write(b []byte) (int, error) {
	p.Text = append(p.Text, b...)
	return len(b), nil
}

type errorPart struct{ *Part }

func (p errorPart) Write(b []byte) (int, error) {
	p.Out.Flush()
	p.errors = append(p.errors, b...)
	p.messages = append(p.messages, message{len(p.Text), len(p.errors), p.noting})
	return len(b), nil
}

// Begin empties p for inputs of source. [App.Join] must have taken what it had.
func (p *Part) Begin(source string) {
	p.Source, p.LineNumber, p.wrapperNoted, p.status = source, 0, false, StatusDone
	p.Text, p.errors, p.messages = p.Text[:0], p.errors[:0], p.messages[:0]
}

// Keep leaves out pieces of p.Text: ends are where they end, and keep says which stay.
func (p *Part) Keep(ends []int, keep []bool) {
	start, size, moved := 0, 0, 0
	for i, end := range ends {
		for ; moved < len(p.messages) && p.messages[moved].at < end; moved++ {
			within := p.messages[moved].at - start
			if !keep[i] {
				within = 0
			}
			p.messages[moved].at = size + within
		}
		if keep[i] {
			size += copy(p.Text[size:], p.Text[start:end])
		}
		start = end
	}
	for ; moved < len(p.messages); moved++ {
		p.messages[moved].at = size
	}
	p.Text = p.Text[:size]
}

// Join writes what p kept, in its order, and raises the status. Of the notes that several
// parts have for their first line that deserves it, only the first is written.
func (a *App) Join(p *Part) {
	at, said := 0, 0
	for _, m := range p.messages {
		text := p.errors[said:m.end]
		said = m.end
		if m.once && a.wrapperNoted {
			continue
		}
		a.wrapperNoted = a.wrapperNoted || m.once
		a.Out.Write(p.Text[at:m.at])
		at = m.at
		a.FlushTerminal()
		a.writeError(text)
	}
	a.Out.Write(p.Text[at:])
	a.RaiseStatus(p.status)
}

func (a *App) writeError(text []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ErrOut.Write(text)
}
