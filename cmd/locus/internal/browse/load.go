package browse

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// opener opens URLs. An opener is an [*access.Client] that uses the network or archives.
type opener interface {
	Do(ctx context.Context, req access.Request) (*access.Result, error)
	Registry() *scheme.Registry
}

// maxText is the maximum number of bytes of an object that the browser shows.
const maxText = 16 << 20

// maxTrace limits the lines in a transcript.
const maxTrace = 2000

type loading struct {
	place    place
	ctx      context.Context
	cancel   context.CancelFunc
	items    atomic.Int64
	octets   atomic.Int64
	canceled bool
	back     *entry // history entry to open again; nil for a new entry
}

func (l *loading) progress() string {
	text := "Opening " + l.place.shown()
	if n := l.items.Load(); n > 0 {
		return fmt.Sprintf("%s: %d items", text, n)
	}
	if n := l.octets.Load(); n > 0 {
		return fmt.Sprintf("%s: %s", text, human.Size(n))
	}
	return text
}

// trace collects the lines of a request transcript.
type trace struct {
	lines []string
	more  int
}

func (t *trace) add(sent bool, text string) {
	if len(t.lines) >= maxTrace {
		t.more++
		return
	}
	mark := "< "
	if sent {
		mark = "> "
	}
	t.lines = append(t.lines, mark+term.Safe(locus.MaskText(text)))
}

// load opens the place to which l refers. After an error, it returns a page about the error. If
// the place is a session, load returns the session, which the caller must run and close.
func (l *loading) load() (p *page, session *access.Result) {
	pl := l.place
	if pl.own != nil {
		p = pl.own()
		p.place = pl
		return p, nil
	}
	if pl.read != nil {
		p = pl.read(l)
		p.place = pl
		return p, nil
	}
	p = &page{place: pl}
	r := pl.opener.Registry()
	p.title = titleOf(r, pl.url)
	var t trace
	req := access.Request{URL: pl.url, From: pl.from, Trace: t.add, Source: true}
	result, err := pl.opener.Do(l.ctx, req)
	if pl.hidden {
		t.lines = []string{"The transcript is not available, because it contains a hidden answer."}
	}
	if err != nil {
		p.trace = t.lines
		p.fail(r, err)
		return p, nil
	}
	p.result = &access.Result{URL: result.URL, Hops: result.Hops, LinkOrigin: result.LinkOrigin}
	if result.URL.WithoutFragment() != pl.url.WithoutFragment() {
		p.title = titleOf(r, result.URL)
	}
	switch res := result.Resource.(type) {
	case *scheme.Session:
		return p, result
	case *scheme.Menu:
		err = l.menu(p, r, res)
	case *scheme.Object:
		err = l.object(p, r, res)
	default:
		err = fmt.Errorf("%w: a %T", scheme.ErrUnsupported, res)
	}
	result.Close()
	p.trace = t.lines
	if t.more > 0 {
		p.trace = append(p.trace, fmt.Sprintf("(%d more lines)", t.more))
	}
	if err != nil {
		p.broken(err)
	}
	return p, nil
}

// headings holds the titles of error pages.
var headings = map[access.Kind]string{
	access.NotFound: "Not found", access.Denied: "Denied by the policy", access.Unreachable: "No connection", access.Timeout: "Timed out",
	access.Protocol: "The server violated the protocol", access.Auth: "Login required", access.Unsupported: "Not supported", access.TooLarge: "Too large",
	access.Syntax: "Not a valid URL of its scheme", access.Interrupted: "Stopped",
}

// fail turns p into a page about err.
func (p *page) fail(r *scheme.Registry, err error) {
	p.err = err
	heading := headings[base.KindOf(err)]
	if heading == "" {
		heading = "Can't open this URL"
	}
	p.title = heading
	p.addText(bold, heading)
	p.addText(plain, "", messageOf(err), "")
	above := slices.Clone(r.Parents(p.place.url))
	slices.Reverse(above)
	for _, parent := range above {
		if !parent.URL.IsZero() {
			p.addLink("Open "+term.Text(parent.Name)+" above it", link{place: place{opener: p.place.opener, url: parent.URL, from: p.place.from}})
			break
		}
	}
	p.addText(faint, "r retries, c shows what was sent, G edits the URL.")
}

// broken adds the reason why the page is incomplete to the page.
func (p *page) broken(err error) {
	p.err, p.whole = err, false
	p.addText(plain, "")
	p.addText(bold, "Incomplete: "+messageOf(err))
}

// messageOf returns the text of an error, without passwords and escaped for the terminal.
func messageOf(err error) string {
	return term.Safe(strings.TrimPrefix(locus.MaskText(base.Message(err)), "locus: "))
}

func (l *loading) menu(p *page, r *scheme.Registry, m *scheme.Menu) error {
	if title := term.Text(m.Title); title != "" {
		p.title = title
	}
	p.note = term.Text(m.Note)
	err := p.addItems(m.Items, r.Scheme(p.result.URL).Traits, func() { l.items.Add(1) })
	if m.Form != nil && err == nil {
		p.addForm(m.Form)
	}
	if len(p.blocks) == 0 && err == nil {
		p.addText(faint, "(empty)")
	}
	if m.Source != nil && err == nil {
		octets, mediaType := m.Source()
		p.octets, p.mediaType, p.whole = octets, mediaType, true
	}
	return err
}

// object shows an object: a message, a text, or a description of other data.
func (l *loading) object(p *page, r *scheme.Registry, o *scheme.Object) error {
	p.mediaType, p.note = o.Type, term.Text(o.Note)
	body := &countReader{r: o.Body, n: &l.octets}
	head := make([]byte, 4<<10)
	n, err := io.ReadFull(body, head)
	head = head[:n]
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	if err == nil && !isText(o, head) {
		p.describe(o)
		return nil
	}
	if err == nil {
		p.octets, err = io.ReadAll(io.LimitReader(body, maxText+1-int64(n)))
	}
	p.octets = append(head, p.octets...)
	if len(p.octets) > maxText {
		p.octets = p.octets[:maxText]
		err = errors.Join(err, fmt.Errorf("%w: only the first %s are shown; s saves all of it", scheme.ErrTooLarge, human.Size(maxText)))
	}
	if note := term.Text(o.Note); note != "" {
		p.note = note // reading the object may have changed p.note
	}
	p.whole = err == nil
	if show.IsMessage(o.Type) {
		return errors.Join(err, p.addMessage(r, err == nil))
	}
	p.addTyped(r, o.Type, p.octets)
	return err
}

// addTyped adds a text of the given media type.
func (p *page) addTyped(r *scheme.Registry, mediaType string, octets []byte) {
	text := decode(mediaType, octets)
	switch name, _, _ := strings.Cut(mediaType, ";"); strings.ToLower(strings.TrimSpace(name)) {
	case "text/html", "application/xhtml+xml":
		p.addHTML(r, text)
	case "text/markdown", "text/x-markdown":
		p.addMarkdown(text)
	default:
		p.addPlain(r, text)
	}
	if len(p.blocks) == 0 {
		p.addText(faint, "(empty)")
	}
}

// decode converts a text to UTF-8. Bytes that are invalid in the given charset are decoded as ISO
// Latin 1. If the media type contains no charset and the text is not UTF-8, decode treats the
// whole text as ISO Latin 1.
func decode(mediaType string, octets []byte) string {
	name := charset.OfType(mediaType)
	if charset.IsUTF8(name) {
		name = ""
	}
	text, err := io.ReadAll(charset.NewReader(name, bytes.NewReader(octets), int64(len(octets))))
	if err != nil {
		return charset.Text(string(octets))
	}
	return string(text)
}

// isText reports whether the browser can show an object as text. The object begins with the bytes
// head.
func isText(o *scheme.Object, head []byte) bool {
	name, _, _ := strings.Cut(strings.ToLower(o.Type), "/")
	if o.Encoding != "" || name == "image" && !strings.Contains(o.Type, "svg") || name == "audio" || name == "video" || name == "font" {
		return false
	}
	return bytes.IndexByte(head, 0) < 0 || strings.Contains(charset.OfType(o.Type), "16")
}

// describe adds a description of data that the browser cannot show.
func (p *page) describe(o *scheme.Object) {
	p.notRead = true
	p.addText(bold, p.title)
	p.addText(plain, "")
	for _, row := range [...][2]string{
		{"Type", term.Text(o.Type)}, {"Size", human.Size(o.Size)}, {"Modified", human.Time(o.ModTime)}, {"Coding", term.Text(o.Encoding)}, {"Name", term.Text(o.Name)},
	} {
		if row[1] != "" {
			p.addText(plain, fmt.Sprintf("%-9s %s", row[0], row[1]))
		}
	}
	p.addText(plain, "")
	p.addText(faint, "This is not text. s saves it, o opens it with another program.")
}

// countReader counts the bytes that its Read method returns.
type countReader struct {
	r io.Reader
	n *atomic.Int64
}

func (c *countReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}
