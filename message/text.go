package message

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/locus-url/locus/internal/human"
)

// TextOptions configure [Message.WriteText]. A nil *TextOptions and the zero value select the
// defaults.
type TextOptions struct {
	// IsArticle marks the message as a news article, even if it contains no Newsgroups field.
	// See [Header.Thread].
	IsArticle bool
}

// shownFields lists the header fields that WriteText writes.
var shownFields = []string{"Subject", "From", "To", "Cc", "Newsgroups", "Date", "Message-ID"}

// WriteText writes the message as readable text in UTF-8 with "\n" for line ends:
//
//   - the decoded fields Subject, From, To, Cc, Newsgroups, Date and Message-ID
//   - the texts; of several alternatives, the plain text; for HTML without an alternative,
//     the text and a list of the links
//   - a line such as "[2] image/png photo.png 12 KiB" for each other part, with the path for
//     [Message.Part] and the decoded size
//   - the URLs of the messages to which this message refers
//   - the faults
//
// The text may contain control characters, which callers must remove before writing the text
// to a terminal. WriteText holds only a small piece of the text in memory. An error comes from
// w or from the message's reader. WriteText truncates a part that exceeds its limit, and lists
// it as a fault.
func (m *Message) WriteText(w io.Writer, o *TextOptions) error {
	t := newTextWriter(m, w)
	t.header(m.Header)
	t.writeNode(0)
	t.otherParts()
	t.writeReferences(o)
	t.listFaults()
	return t.finish()
}

// textWriter writes a message as text. After an error, a textWriter writes no more text.
type textWriter struct {
	m      *Message
	w      *bufio.Writer
	err    error
	begun  bool // whether any text was written
	middle bool // whether the text so far ends in the middle of a line

	children [][]int // children of each node
	part     []int   // for each node, its index in m.parts, or -1 if it is not listed
	shown    []bool  // for each node, whether it was written
	faults   []Fault // faults found while reading the parts
}

func newTextWriter(m *Message, w io.Writer) *textWriter {
	t := &textWriter{m: m, w: bufio.NewWriter(w)}
	t.children = make([][]int, len(m.nodes))
	t.part = make([]int, len(m.nodes))
	t.shown = make([]bool, len(m.nodes))
	for i := range m.nodes {
		t.part[i] = -1
		if parent := m.nodes[i].parent; parent >= 0 {
			t.children[parent] = append(t.children[parent], i)
		}
	}
	for i, p := range m.parts {
		t.part[p.node] = i
	}
	return t
}

// finish flushes the text and returns the first error of the writer.
func (t *textWriter) finish() error {
	if t.middle {
		t.line("")
	}
	if t.err == nil {
		t.err = t.w.Flush()
	}
	return t.err
}

// Write writes a piece of a text.
func (t *textWriter) Write(p []byte) (int, error) {
	if t.err == nil && len(p) > 0 {
		_, t.err = t.w.Write(p)
		t.begun, t.middle = true, p[len(p)-1] != '\n'
	}
	return len(p), t.err
}

func (t *textWriter) line(text string) { fmt.Fprintln(t, text) }

// blankLine writes a blank line to separate two texts.
func (t *textWriter) blankLine() {
	if t.middle {
		t.line("")
	}
	if t.begun {
		t.line("")
	}
}

func (t *textWriter) header(h Header) {
	for _, name := range shownFields {
		if text := h.Text(name); text != "" {
			t.line(name + ": " + text)
		}
	}
}

// writeNode writes the texts of a node and of its children. The depth of recursion is at most
// [Limits.Depth].
func (t *textWriter) writeNode(i int) {
	n := &t.m.nodes[i]
	switch {
	case isMultipart(n.typ) && n.children > 0:
		t.shown[i] = true
		t.multipart(i)
	case isMessage(n.typ) && n.children > 0:
		t.shown[i] = true
		within := t.children[i][0]
		t.blankLine()
		t.line("-- " + t.describe(i))
		t.header(t.m.nodes[within].header)
		t.writeNode(within)
	case t.part[i] >= 0 && t.m.parts[t.part[i]].isReadable():
		t.shown[i] = true
		t.text(t.m.parts[t.part[i]])
	}
}

func (t *textWriter) multipart(i int) {
	children := t.children[i]
	switch t.m.nodes[i].typ {
	case "multipart/alternative":
		best := children[0]
		for _, child := range children[1:] {
			if t.readability(child) > t.readability(best) {
				best = child
			}
		}
		t.writeNode(best)
	case "multipart/related":
		t.writeNode(t.rootOf(i))
	default:
		for _, child := range children {
			t.writeNode(child)
		}
	}
}

// readability returns the rank of a node among alternatives. A higher rank is more readable.
func (t *textWriter) readability(i int) int {
	n := &t.m.nodes[i]
	switch {
	case n.typ == "text/plain":
		return 3
	case isMultipart(n.typ) && n.children > 0:
		best := 0
		for _, child := range t.children[i] {
			best = max(best, t.readability(child))
		}
		return best
	case n.typ == "text/html":
		return 1
	case t.part[i] >= 0 && t.m.parts[t.part[i]].isReadable():
		return 2
	}
	return 0
}

// rootOf returns the root part of a multipart/related (RFC 2387 section 3.2).
func (t *textWriter) rootOf(i int) int {
	_, params := parseParams(t.m.nodes[i].header.Get("Content-Type"))
	if start := trimAngles(params["start"]); start != "" {
		for _, child := range t.children[i] {
			if p := t.part[child]; p >= 0 && t.m.parts[p].ContentID == start {
				return child
			}
		}
	}
	return t.children[i][0]
}

func (p Part) isReadable() bool {
	if p.Disposition == "attachment" {
		return false
	}
	switch p.Type {
	case "text/plain", "text/html", "text/markdown", "text/enriched", "text/x-diff", "text/x-patch":
		return true
	}
	return isMultipart(p.Type) // a multipart without parts is written as text
}

func (t *textWriter) text(p Part) {
	t.blankLine()
	if p.Name != "" {
		t.line("-- " + t.describe(p.node))
	}
	var links []string
	var err error
	if p.Type == "text/html" {
		links, err = writeHTML(t, p)
	} else {
		_, err = io.Copy(t, p.Text())
	}
	t.addError(err)
	if len(links) > 0 {
		t.blankLine()
		t.line("Links:")
		for n, link := range links {
			t.line(fmt.Sprintf("[%d] %s", n+1, link))
		}
	}
}

// addError records an error from reading a part. addError records a part that exceeds its
// limit as a fault.
func (t *textWriter) addError(err error) {
	fault := Fault{}
	switch {
	case errors.As(err, &fault):
		t.faults = append(t.faults, fault)
	case t.err == nil && err != nil:
		t.err = fmt.Errorf("message: %w", err)
	}
}

// describe returns the path, type, name and size of a part in one line.
func (t *textWriter) describe(i int) string {
	if t.part[i] < 0 {
		return t.m.nodes[i].typ
	}
	p := t.m.parts[t.part[i]]
	size, err := p.DecodedSize()
	t.addError(err)
	words := []string{"[" + p.Path + "]", p.Type}
	if p.Name != "" {
		words = append(words, p.Name)
	}
	return strings.Join(append(words, human.Size(size)), " ")
}

func (t *textWriter) otherParts() {
	first := true
	for _, p := range t.m.parts {
		if t.shown[p.node] || p.Multipart() || t.err != nil {
			continue
		}
		if first {
			t.blankLine()
			t.line("Parts:")
			first = false
		}
		t.line(t.describe(p.node))
	}
}

// writeReferences writes the URLs of the messages to which this message refers.
func (t *textWriter) writeReferences(o *TextOptions) {
	links := t.m.Thread(o != nil && o.IsArticle)
	if len(links) == 0 {
		return
	}
	t.blankLine()
	t.line("References:")
	for _, u := range links {
		t.line(u.String())
	}
}

func (t *textWriter) listFaults() {
	faults := append(t.m.Faults[:len(t.m.Faults):len(t.m.Faults)], t.faults...)
	if len(faults) == 0 {
		return
	}
	t.blankLine()
	t.line("Faults:")
	for _, f := range faults {
		t.line(f.String())
	}
}
