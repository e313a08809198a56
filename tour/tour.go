// Package tour is a small museum: a server of every scheme, started inside the
// program, and a guide that visits each with the client code everybody uses and
// tells what was sent and what came back. It needs no network.
//
// A scheme is one file here: its room, which starts what it needs and names the
// stops worth a look.
package tour

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/tn3270"
)

//go:embed museum
var embedded embed.FS

// Stop is one thing to look at.
type Stop struct {
	Scheme  string
	Section string          // where the scheme is defined
	Title   string          // what is to be seen
	Kind    scheme.ItemKind // what it is, as in a menu's item
	Type    string          // media type; empty: it is no object
	URL     locus.URL
	From    locus.URL // the document that URL means something in; zero: none
	Answers []string  // what to fill in if it is a form, or sender, subject and text of a letter; nil: nothing
	Types   []Typed   // what to do if it is a session, in turn; then it is left
	Missing bool      // the server has nothing by that URL, which is what the stop shows
}

// Heading is the title as it stands by itself, with a capital letter.
func (s Stop) Heading() string { return strings.ToUpper(s.Title[:1]) + s.Title[1:] }

// Typed is what is typed in a session once it shows something.
type Typed struct {
	Await  string     // what it shows, since the last that was typed
	Text   string     // what is typed then
	Secret bool       // nobody is told what
	Key    tn3270.Key // of a 3270, pressed after that; 0: none
}

// Guide visits stops. It makes its client with a trace of its own, to tell what
// goes over the wire, and fills in the forms that it meets.
type Guide struct {
	client *access.Client
	out    io.Writer

	mu      sync.Mutex // guards the rest: an opener may call from any goroutine
	lines   []string
	answers []string
	filled  *Found
}

// NewGuide returns a guide that tells its story to out. newClient makes the
// client that visits, with the options it is given; Close closes it.
func NewGuide(out io.Writer, newClient func(o *access.Options) (*access.Client, error)) (*Guide, error) {
	g := &Guide{out: out}
	var err error
	g.client, err = newClient(&access.Options{
		Trace: func(locus.URL) scheme.TraceFunc { return g.trace },
		Fill:  g.fill,
	})
	if err != nil {
		return nil, fmt.Errorf("tour: %w", err)
	}
	return g, nil
}

// Close closes the client.
func (g *Guide) Close() error { return g.client.Close() }

func (g *Guide) trace(sent bool, line string) {
	mark := "<"
	if sent {
		mark = ">"
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lines = append(g.lines, mark+" "+line)
}

// fill gives the answers that the stop has.
func (g *Guide) fill(_ context.Context, f *scheme.Form) (answers []string, ok bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.answers == nil {
		return nil, false, nil
	}
	if err := f.Check(g.answers); err != nil {
		return nil, false, err
	}
	g.filled = &Found{Summary: "a form, " + charset.Text(f.Title) + ", to be filled in:"}
	for i, field := range f.Fields {
		g.filled.Lines = append(g.filled.Lines, describeField(field, g.answers[i])...)
	}
	return g.answers, true, nil
}

// Story is what a guide has to tell of a stop. Its texts are as they came: who shows
// them filters them.
type Story struct {
	Stop
	Conversation []string // what went over the wire, behind "> " if it was sent and "< " if it came
	Form         *Found   // that was filled in on the way; nil: none was
	Found
	Err error // why there is no more to tell; nil: there is all
}

// Found is what something turned out to be.
type Found struct {
	Summary string   // what it is
	Lines   []string // what it shows
}

// Look dereferences the stop's URL.
func (g *Guide) Look(ctx context.Context, stop Stop) Story {
	g.mu.Lock()
	g.answers = stop.Answers
	g.mu.Unlock()
	found, err := g.look(ctx, stop)
	g.mu.Lock()
	defer g.mu.Unlock()
	s := Story{stop, g.lines, g.filled, found, err}
	g.lines, g.answers, g.filled = nil, nil, nil
	return s
}

// Visit dereferences the stop's URL and tells about it in a few lines. The error
// says why the visit failed, or why the story could not be written.
func (g *Guide) Visit(ctx context.Context, stop Stop) error {
	s := g.Look(ctx, stop)
	out := bufio.NewWriter(g.out)
	fmt.Fprintf(out, "%s (%s): %s\n  %s\n", s.Scheme, s.Section, s.Title, s.URL.Redacted())
	lines := s.Conversation
	switch {
	case len(lines) > 0 || s.Err != nil:
	case s.URL.Scheme() == "mailto":
		lines = []string{"(nothing is sent until somebody has seen it)"}
	default:
		lines = []string{"(nothing is sent: this machine has it)"}
	}
	list(out, lines, mostTrace)
	if s.Form != nil {
		s.Form.tell(out)
	}
	if s.Err != nil {
		fmt.Fprintf(out, "  failed: %s\n\n", term.Safe(s.Err.Error()))
		return errors.Join(s.Err, out.Flush())
	}
	s.Found.tell(out)
	fmt.Fprintln(out)
	return out.Flush()
}

// The guide shows so many lines of a conversation and of what it led to.
const (
	mostTrace = 22
	mostLines = 24
)

// list writes lines, indented, and says how many it left out in the middle.
// Characters are read as UTF-8 if they can be, and else as ISO Latin 1.
func list(out io.Writer, lines []string, most int) {
	cut := len(lines)
	if len(lines) > most {
		cut = most / 2
	}
	for _, line := range lines[:cut] {
		writeLine(out, line)
	}
	if cut < len(lines) {
		rest := len(lines) - (most - most/2)
		fmt.Fprintf(out, "    ... %d more ...\n", rest-cut)
		for _, line := range lines[rest:] {
			writeLine(out, line)
		}
	}
}

func writeLine(out io.Writer, line string) {
	fmt.Fprintf(out, "    %s\n", term.Safe(charset.Text(strings.TrimSuffix(line, "\r"))))
}

func (f Found) tell(out io.Writer) {
	fmt.Fprintf(out, "  %s\n", term.Safe(f.Summary))
	list(out, f.Lines, mostLines)
}

// mostOctets bounds what is read of an object; the museum's own are smaller.
const mostOctets = 64 << 10

func (g *Guide) look(ctx context.Context, s Stop) (Found, error) {
	if s.URL.Scheme() == "mailto" {
		if err := context.Cause(ctx); err != nil {
			return Found{}, err
		}
		return describeLetter(s)
	}
	request := access.Request{URL: s.URL}
	if !s.From.IsZero() {
		from, err := g.client.Do(ctx, access.Request{URL: s.From})
		if err != nil {
			return Found{}, err
		}
		from.Resource.Close()
		request.From = from
	}
	result, err := g.client.Do(ctx, request)
	if s.Missing && access.KindOf(err) == access.NotFound {
		return Found{Summary: "nothing, as it should be: " + err.Error()}, nil
	}
	if err != nil {
		return Found{}, err
	}
	defer result.Resource.Close()
	if s.Missing {
		return Found{}, fmt.Errorf("tour: %s is there, and should be missing", s.URL.Redacted())
	}
	switch r := result.Resource.(type) {
	case *scheme.Object:
		return describeObject(r)
	case *scheme.Menu:
		return describeMenu(r)
	case *scheme.Session:
		return g.converse(ctx, r, s.Types)
	default:
		return Found{Summary: fmt.Sprintf("%T", r)}, nil
	}
}

// describeObject shows the octets as a text, and of a message what people read.
func describeObject(o *scheme.Object) (Found, error) {
	octets, err := io.ReadAll(io.LimitReader(o.Body, mostOctets))
	if err != nil {
		return Found{}, err
	}
	text, kind := string(octets), o.Type
	switch kind {
	case "":
		kind = "of unknown type"
	case "message/rfc822":
		m, err := message.Read(bytes.NewReader(octets), nil)
		if err != nil {
			return Found{}, err
		}
		var b strings.Builder
		if err := m.WriteText(&b, nil); err != nil {
			return Found{}, err
		}
		text = b.String()
	default:
		if !strings.HasPrefix(kind, "text/") && !utf8.Valid(octets) {
			return describeOctets(kind, octets), nil
		}
	}
	return Found{
		Summary: fmt.Sprintf("an object, %s, %d octets:", kind, len(octets)),
		Lines:   strings.Split(strings.TrimRight(text, "\r\n"), "\n"),
	}, nil
}

// describeOctets shows how something begins that is no text.
func describeOctets(kind string, octets []byte) Found {
	const most = 4 * 16
	return Found{
		Summary: fmt.Sprintf("an object, %s, %d octets, which begins:", kind, len(octets)),
		Lines:   strings.Split(strings.TrimRight(hex.Dump(octets[:min(most, len(octets))]), "\n"), "\n"),
	}
}

// describeMenu tells of what can be asked and of the lines there are.
func describeMenu(m *scheme.Menu) (Found, error) {
	var f Found
	if m.Form != nil {
		for _, field := range m.Form.Fields {
			f.Lines = append(f.Lines, describeField(field, field.Default)...)
		}
	}
	links := 0
	for item, err := range m.Items {
		if err != nil {
			return Found{}, err
		}
		line := item.Title
		if !item.URL.IsZero() {
			links++
			line = fmt.Sprintf("%-8s %-30s %s", item.Kind, charset.Text(item.Title), item.URL.Redacted())
		}
		f.Lines = append(f.Lines, line)
	}
	what := "a menu"
	switch {
	case m.Form != nil && links > 0:
		what = "a menu with a search"
	case m.Form != nil:
		what = "a form"
	}
	f.Summary = fmt.Sprintf("%s, links: %d", what, links)
	return f, nil
}

// describeField tells of a field of a form and its answer.
func describeField(f scheme.FormField, answer string) []string {
	prompt := charset.Text(f.Prompt)
	switch {
	case f.Kind == scheme.FieldNote:
		return []string{prompt}
	case f.Secret() && answer != "":
		answer = "***"
	case f.Kind == scheme.FieldChoice:
		answer += " (of " + strings.Join(f.Choices, ", ") + ")"
	}
	var lines []string
	for _, line := range strings.Split(answer, "\n") {
		lines = append(lines, fmt.Sprintf("%-30s %s", prompt, line))
		prompt = ""
	}
	return lines
}
