package base

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// A Part is an App that processes some of the inputs. It buffers its output and messages until the
// caller calls [App.Join], so that parts can run concurrently.
type Part struct {
	*App
	Text     []byte // text for standard output, complete after Out is flushed
	errors   []byte
	messages []message
}

// message is the output of one call to standard error.
type message struct {
	at   int    // offset in Text at which Join writes the message
	end  int    // end of the message in the field errors
	once bool   // write only the first such message
	rule string // the rule that an invalid line violates; empty for other messages
}

// NewPart returns an empty part. The caller must set the flags and the configuration of a before
// the call.
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
	p.messages = append(p.messages, message{len(p.Text), len(p.errors), p.noting, p.invalid.rule})
	return len(b), nil
}

// Begin resets p for inputs of the source with the given name. The caller must first call
// [App.Join]; otherwise the output of earlier inputs is lost.
func (p *Part) Begin(source string) {
	p.Source, p.LineNumber, p.wrapperNoted, p.status = source, 0, false, StatusDone
	p.Text, p.errors, p.messages = p.Text[:0], p.errors[:0], p.messages[:0]
	p.invalid.shown = 0
	clear(p.invalid.more)
}

// Keep removes pieces of p.Text. The parameter ends contains the end offset of each piece. Keep
// removes a piece if its element in the parameter keep is false.
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

// Join writes the output and messages of p in order, and raises the exit status. If several parts
// wrote the same note about their first line, Join writes the note only once.
func (a *App) Join(p *Part) {
	at, said := 0, 0
	for _, m := range p.messages {
		text := p.errors[said:m.end]
		said = m.end
		if m.once && a.wrapperNoted || m.rule != "" && !a.invalid.show(m.rule) {
			continue
		}
		a.wrapperNoted = a.wrapperNoted || m.once
		a.Out.Write(p.Text[at:m.at])
		at = m.at
		a.FlushTerminal()
		a.writeError(text)
	}
	a.Out.Write(p.Text[at:])
	for rule, n := range p.invalid.more {
		a.invalid.add(rule, n)
	}
	a.RaiseStatus(p.status)
}

// maxInvalid is the number of invalid lines in a run that get their own message.
const maxInvalid = 20

// invalidLines counts the messages about invalid lines.
type invalidLines struct {
	shown int
	more  map[string]int64 // number of omitted messages for each rule
	rule  string           // rule for the message that is being written
}

// show reports whether the part must write a message about a line that violates the rule. If the
// result is false, show only counts the message.
func (i *invalidLines) show(rule string) bool {
	if i.shown < maxInvalid {
		i.shown++
		return true
	}
	i.add(rule, 1)
	return false
}

func (i *invalidLines) add(rule string, n int64) {
	if i.more == nil {
		i.more = map[string]int64{}
	}
	i.more[rule] += n
}

// FailLine is like [App.FailInput] for a line that violates the given rule. After the first
// maxInvalid messages of a run, FailLine only counts the line for [App.SummarizeInvalid].
func (p *Part) FailLine(rule, input string, err error) {
	if p.Flags.JSON || p.LineNumber == 0 {
		p.FailInput(input, err)
		return
	}
	p.RaiseStatus(StatusUsage)
	if p.invalid.show(rule) {
		p.invalid.rule = rule
		p.FailInput(input, err)
		p.invalid.rule = ""
	}
}

// SummarizeInvalid writes, for each rule, how many invalid lines got no message. It then writes
// the given advice.
func (a *App) SummarizeInvalid(advice string) {
	total := int64(0)
	for _, n := range a.invalid.more {
		total += n
	}
	if total == 0 || a.OutputFailed() {
		return
	}
	a.PrintError(fmt.Sprintf("invalid lines without a message: %d", total))
	for _, rule := range slices.SortedFunc(maps.Keys(a.invalid.more), func(x, y string) int {
		return cmp.Or(cmp.Compare(a.invalid.more[y], a.invalid.more[x]), cmp.Compare(x, y))
	}) {
		a.PrintError(fmt.Sprintf("%d %s", a.invalid.more[rule], rule))
	}
	if advice != "" {
		a.PrintError(advice)
	}
}

func (a *App) writeError(text []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ErrOut.Write(text)
}
