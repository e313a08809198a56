// Package tour starts an in-process demonstration server for each scheme, and opens URLs on these
// servers with the ordinary client. It prints the requests, the responses and the resources. The
// tour needs no network access.
//
// The content of the servers is a museum of the network. A room is a server, and its stops are
// URLs on that server. The file museum/rooms.json lists the rooms, and the other files in museum
// are the content. The test server of a scheme can also provide a room (see [servetest.Demo]).
package tour

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
)

// Stop is a URL that the tour opens.
type Stop struct {
	Name    string // short and unique: "gopher-menu"
	Scheme  string
	Section string          // specification of the scheme
	Title   string          // a noun phrase
	Kind    scheme.ItemKind // expected kind of the resource, as in a menu item
	Type    string          // media type; empty if it is unknown or the resource is not an object
	URL     locus.URL
	From    locus.URL // URL of the document that contains a cid URL; zero for other schemes
	Answers []string  // answers to a form, or the sender, subject and text of a message
	Types   []Typed   // input for a session, in order
	Missing bool      // whether the resource is expected to be missing
}

// Heading returns the title with an initial capital letter.
func (s Stop) Heading() string { return strings.ToUpper(s.Title[:1]) + s.Title[1:] }

// Typed is a line of input for a session, and the output to wait for before it.
type Typed struct {
	Await  string // output to wait for before typing
	Text   string // input; "\r" is Enter
	Secret bool   // whether the trace hides Text
}

// Guide opens the URLs of stops. The client of a Guide traces requests and responses, and fills in
// forms.
type Guide struct {
	client *access.Client
	out    io.Writer

	mu      sync.Mutex // guards the fields below, because openers call trace and fill from any goroutine
	lines   []string
	answers []string
	filled  *Found
}

// NewGuide returns a guide that prints its output to out. The function newClient must return a
// client with the given options. The caller must call Close, which closes this client.
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

func (g *Guide) fill(_ context.Context, f *scheme.Form) (answers []string, ok bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.answers == nil {
		return nil, false, nil
	}
	if err := f.Check(g.answers); err != nil {
		return nil, false, err
	}
	g.filled = &Found{Summary: "a form, " + charset.Text(f.Title) + ", to fill in:"}
	for i, field := range f.Fields {
		g.filled.Lines = append(g.filled.Lines, describeField(field, g.answers[i])...)
	}
	return g.answers, true, nil
}

// Story is the result of a visit. It contains unfiltered text from servers, which the caller must
// escape for a terminal.
type Story struct {
	Stop
	Transcript []string // the traced lines, with the prefix "> " if sent and "< " if received
	Form       *Found   // the submitted form; may be nil
	Found
	Err error // reason why the visit failed
}

// Found describes a resource or a form.
type Found struct {
	Summary string
	Lines   []string // lines of the resource's content or the form
}

// Look opens the stop's URL.
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

// Detail selects how much output Visit prints.
type Detail int

const (
	Brief  Detail = iota // three lines: the stop, the last line that the client sent, and a summary
	Normal               // at most MaxLines lines
	Full                 // no limit
)

// MaxLines is the maximum number of lines that Visit prints with [Normal], including the
// final blank line.
const MaxLines = 25

// Visit opens the stop's URL and prints the result. It returns an error if opening or
// printing fails.
func (g *Guide) Visit(ctx context.Context, stop Stop, d Detail) error {
	s := g.Look(ctx, stop)
	out := bufio.NewWriter(g.out)
	if d == Brief {
		s.printBrief(out)
	} else {
		s.print(out, d)
	}
	fmt.Fprintln(out)
	return errors.Join(s.Err, out.Flush())
}

// printBrief prints at most three lines.
func (s *Story) printBrief(out io.Writer) {
	fmt.Fprintf(out, "%s  %s\n", s.Name, s.URL.Shown())
	for _, line := range slices.Backward(s.Transcript) {
		if strings.HasPrefix(line, "> ") {
			writeLine(out, line)
			break
		}
	}
	if s.Err != nil {
		s.Summary = "failed: " + s.Err.Error()
	}
	fmt.Fprintf(out, "  %s\n", term.Safe(strings.TrimSuffix(strings.TrimSuffix(s.Summary, ":"), ", which begins")))
}

func (s *Story) print(out io.Writer, d Detail) {
	fmt.Fprintf(out, "%s: %s (%s)\n  %s\n", s.Name, s.Title, s.Section, s.URL.Shown())
	lines := s.Transcript
	switch {
	case len(lines) > 0 || s.Err != nil:
	case s.URL.Scheme() == "mailto":
		lines = []string{"(no request: this is a preview)"}
	default:
		lines = []string{"(no request: the resource is on this computer)"}
	}
	left := MaxLines - 4 // minus the two lines above, the summary and the blank line
	printLines(out, lines, d, &left, 9)
	if s.Form != nil {
		left--
		fmt.Fprintf(out, "  %s\n", term.Safe(s.Form.Summary))
		printLines(out, s.Form.Lines, d, &left, left/2)
	}
	if s.Err != nil {
		fmt.Fprintf(out, "  failed: %s\n", term.Safe(s.Err.Error()))
		return
	}
	fmt.Fprintf(out, "  %s\n", term.Safe(s.Summary))
	printLines(out, s.Lines, d, &left, left)
}

// printLines prints lines with indentation and subtracts their number from *remaining. Unless d is
// Full, it prints at most maxLines lines, and omits lines in the middle. Text that is not valid
// UTF-8 is decoded as ISO Latin 1.
func printLines(out io.Writer, lines []string, d Detail, remaining *int, maxLines int) {
	if d != Full && len(lines) > maxLines {
		begin, end := maxLines/2, len(lines)-(maxLines-1-maxLines/2)
		cut := fmt.Sprintf("... %d more lines ...", end-begin)
		lines = slices.Concat(lines[:begin], []string{cut}, lines[end:])
	}
	*remaining -= len(lines)
	for _, line := range lines {
		writeLine(out, line)
	}
}

func writeLine(out io.Writer, line string) {
	fmt.Fprintf(out, "    %s\n", term.Text(strings.TrimSuffix(line, "\r")))
}

// maxOctets is the maximum number of bytes that the guide reads from an object or a session.
const maxOctets = 64 << 10

func (g *Guide) look(ctx context.Context, s Stop) (Found, error) {
	if s.URL.Scheme() == "mailto" {
		if err := context.Cause(ctx); err != nil {
			return Found{}, err
		}
		return describeMessage(s)
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
		return Found{Summary: "not found, as expected: " + err.Error()}, nil
	}
	if err != nil {
		return Found{}, err
	}
	defer result.Resource.Close()
	if s.Missing {
		return Found{}, fmt.Errorf("tour: %s exists, but should be missing", s.URL.Shown())
	}
	switch r := result.Resource.(type) {
	case *scheme.Object:
		return describeObject(r)
	case *scheme.Menu:
		return describeMenu(r)
	case *scheme.Session:
		return g.useSession(ctx, r, s.Types)
	default:
		return Found{Summary: fmt.Sprintf("%T", r)}, nil
	}
}

// describeObject describes an object. It shows text as lines, a message as a mail program does,
// and other content by its first bytes.
func describeObject(o *scheme.Object) (Found, error) {
	octets, err := io.ReadAll(io.LimitReader(o.Body, maxOctets))
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
		Summary: fmt.Sprintf("an object, %s, %d bytes:", kind, len(octets)),
		Lines:   strings.Split(strings.TrimRight(text, "\r\n"), "\n"),
	}, nil
}

func describeOctets(kind string, octets []byte) Found {
	const most = 4 * 16
	return Found{
		Summary: fmt.Sprintf("an object, %s, %d bytes, which begins:", kind, len(octets)),
		Lines:   strings.Split(strings.TrimRight(hex.Dump(octets[:min(most, len(octets))]), "\n"), "\n"),
	}
}

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
			line = fmt.Sprintf("%-8s %-30s %s", item.Kind, charset.Text(item.Title), item.URL.Shown())
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

// describeField returns the lines that show a form field and its answer.
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
