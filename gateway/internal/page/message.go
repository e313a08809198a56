package page

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
)

// messagePage writes the page of a mail message or a news article. The page shows the main header
// fields, the texts and the inline images. It links to other parts, and to earlier messages of the
// thread.
func (p *Printer) messagePage(w io.Writer, h *Head, o *scheme.Object) error {
	m, broken := message.Read(o.Body, &message.Limits{Octets: maxMessage})
	if m == nil {
		return p.Failure(w, h, "protocol", broken)
	}
	k := kindComposed
	if m.Get("Newsgroups") != "" {
		k = kindArticle
	}
	l := messagePrinter{page: p.begin(w, h, o, k, m.Subject()), m: m, parts: m.Parts(), shown: map[string]bool{}}
	l.write()
	return l.end(broken)
}

// maxMessage is the maximum size of a message in bytes.
const maxMessage = 16 << 20

// messagePrinter writes one message.
type messagePrinter struct {
	*page
	m     *message.Message
	parts []message.Part
	shown map[string]bool // paths of the parts that the page shows inline
}

// headerFields lists the header fields that a page shows, in order.
var headerFields = []string{"From", "To", "Cc", "Newsgroups", "Date", "Reply-To", "Followup-To", "Organization", "Message-ID"}

// headerRow is a table row for a header field.
type headerRow struct {
	Name  string
	Items []hop
}

// attachment is a message part that is shown as a link or an image.
type attachment struct {
	Path, Name, Type, Size string
	Kind                   kind
	Link, Raw              string
}

func (l *messagePrinter) write() {
	l.put("letter-head", l.header(l.m.Header))
	l.container("", bare(l.m.Get("Content-Type")))
	l.put("letter-foot", struct {
		Others     []attachment
		References []hop
		Faults     []string
		Lines      string
	}{l.others(), l.references(), l.faults(), shownLines(lineEnds(l.m.Lines()))})
}

// header returns the table rows for a message header.
func (l *messagePrinter) header(h message.Header) (rows []headerRow) {
	for _, name := range headerFields {
		var items []hop
		switch name {
		case "From", "To", "Cc", "Reply-To":
			for _, a := range h.Addresses(name) {
				items = append(items, hop{shown(a.String()), l.linkText("mailto:" + a.Addr)})
			}
		case "Newsgroups", "Followup-To":
			for group := range strings.SplitSeq(h.Text(name), ",") {
				if group = strings.TrimSpace(group); group != "" {
					items = append(items, hop{shown(group), l.linkText("news:" + group)})
				}
			}
		case "Date":
			if t, ok := h.Date(); ok {
				items = append(items, hop{Text: t.Format("Monday, 2 January 2006, 15:04 -0700")})
			}
		case "Message-ID":
			if id := h.MessageID(); id != "" {
				items = append(items, hop{Text: shown(id)})
			}
		}
		if text := h.Text(name); len(items) == 0 && text != "" {
			items = append(items, hop{Text: shown(text)})
		}
		if len(items) > 0 {
			rows = append(rows, headerRow{name, items})
		}
	}
	return rows
}

// children returns the child parts of the message part at path. The empty path selects the
// whole message.
func (l *messagePrinter) children(path string) (list []message.Part) {
	for _, p := range l.parts {
		if parent := p.Path[:max(strings.LastIndexByte(p.Path, '.'), 0)]; parent == path {
			list = append(list, p)
		}
	}
	return list
}

// container writes the readable child parts of the message part at path.
func (l *messagePrinter) container(path, mediaType string) {
	children := l.children(path)
	switch {
	case len(children) == 0:
	case mediaType == "multipart/alternative":
		l.alternatives(children)
	case mediaType == "multipart/related":
		l.part(children[0])
	default:
		for _, p := range children {
			l.part(p)
		}
	}
}

// alternatives writes the alternative part with the highest plainness. It adds the HTML part, which
// the reader can unfold.
func (l *messagePrinter) alternatives(parts []message.Part) {
	best := slices.MaxFunc(parts, func(a, b message.Part) int { return cmp.Compare(l.plainness(a), l.plainness(b)) })
	l.part(best)
	for _, p := range parts {
		if p.Path == best.Path || l.plainness(p) != 1 {
			l.shown[p.Path] = true
			continue
		}
		l.put("begin-laid-out", nil)
		l.part(p)
		l.put("end-laid-out", nil)
	}
}

// plainness returns the rank of a part for [messagePrinter.alternatives]. Plain text has the
// highest rank.
func (l *messagePrinter) plainness(p message.Part) int {
	switch {
	case p.Multipart():
		most := 0
		for _, child := range l.children(p.Path) {
			most = max(most, l.plainness(child))
		}
		return most
	case p.Type == "text/html":
		return 1
	case p.Type == "text/plain":
		return 3
	case strings.HasPrefix(p.Type, "text/"):
		return 2
	}
	return 0
}

// part writes a part inline if the part is readable.
func (l *messagePrinter) part(p message.Part) {
	header, enclosed := p.Enclosed()
	class := ClassOf(p.Type)
	l.shown[p.Path] = true
	switch {
	case p.Multipart():
		l.container(p.Path, p.Type)
	case enclosed:
		l.put("begin-enclosed", struct {
			Subject string
			Rows    []headerRow
		}{shown(header.Subject()), l.header(header)})
		l.container(p.Path, bare(header.Get("Content-Type")))
		l.put("end-enclosed", nil)
	case p.Disposition == "attachment":
		l.shown[p.Path] = false
	case class == ClassDocument:
		l.document(p)
	case slices.Contains(inlineTypes, p.Type):
		l.text(p.Text())
	case class == ClassImage && l.raw(l.h.URL, l.only(p)) != "":
		l.put("letter-image", l.attachment(p))
	default:
		l.shown[p.Path] = false
	}
}

// inlineTypes lists the media types of texts that the page shows inline.
var inlineTypes = []string{"text/plain", "text/enriched", "text/markdown", "text/x-diff", "text/x-patch"}

// maxDocument is the maximum size in bytes of HTML in a page.
const maxDocument = 4 << 20

func (l *messagePrinter) document(p message.Part) {
	text, err := io.ReadAll(io.LimitReader(p.Text(), maxDocument+1))
	if len(text) > maxDocument {
		l.shown[p.Path] = false
		return
	}
	l.foreign(text, foreignOptions{base: l.h.URL, within: l.within, local: true})
	l.fails(err)
}

// fails records err, unless err is nil, is io.EOF, or reports an exceeded limit. After that, the
// page writes nothing.
func (l *messagePrinter) fails(err error) {
	if err != io.EOF && !errors.Is(err, message.ErrLimit) {
		l.err = cmp.Or(l.err, err)
	}
}

// within returns the path of the raw content of the part with the given Content-ID.
func (l *messagePrinter) within(id string) string {
	p, ok := l.m.Find(id)
	if !ok {
		return ""
	}
	l.shown[p.Path] = true
	return l.raw(l.h.URL, l.only(p))
}

// only returns a Show value that selects one part. If the page itself shows a part, the paths of
// the child parts are relative to that part.
func (l *messagePrinter) only(p message.Part) Show {
	if within := l.h.Show.Part; within != "" {
		return Show{Part: within + "." + p.Path}
	}
	return Show{Part: p.Path}
}

// attachment returns the attachment data for a message part.
func (l *messagePrinter) attachment(p message.Part) attachment {
	k, _ := kindOfType(p.Type)
	a := attachment{Path: p.Path, Name: shown(p.Name), Type: shown(p.Type), Kind: k}
	if size, err := p.DecodedSize(); err == nil {
		a.Size = human.Size(size)
	}
	a.Link, a.Raw = l.link(l.h.URL, l.only(p)), l.raw(l.h.URL, l.only(p))
	if a.Name == "" {
		a.Name = "Part " + a.Path
	}
	return a
}

// others returns the parts that the page did not show inline.
func (l *messagePrinter) others() (list []attachment) {
	for _, p := range l.parts {
		if !l.shown[p.Path] && !p.Multipart() {
			list = append(list, l.attachment(p))
		}
	}
	return list
}

// references returns links to earlier messages of the thread.
func (l *messagePrinter) references() (list []hop) {
	for _, u := range l.m.Thread(l.registry.Scheme(l.h.URL).Traits.Has(scheme.News)) {
		list = append(list, hop{shown(l.registry.Title(u)), l.link(u, Show{})})
	}
	return list
}

func (l *messagePrinter) faults() (list []string) {
	for _, f := range l.m.Faults {
		list = append(list, shown(f.String()))
	}
	return list
}

const (
	// maxQuote is the maximum quote depth that has its own style.
	maxQuote = 6
	// maxRun is the maximum size in bytes of text that is written at once.
	maxRun = 64 << 10
)

// text writes a text of a message. It marks quotes and the signature, and makes URLs into links.
func (l *messagePrinter) text(r io.Reader) {
	l.add("begin-said", nil)
	t := quoter{messagePrinter: l}
	lines := bufio.NewReaderSize(r, maxRun)
	var err error
	for (err == nil || err == bufio.ErrBufferFull) && l.err == nil {
		var piece []byte
		piece, err = lines.ReadSlice('\n')
		t.line(piece)
	}
	t.flushRun()
	l.put("end-said", nil)
	l.fails(err)
}

// quoter groups message lines of the same quote depth.
type quoter struct {
	*messagePrinter
	run       bytes.Buffer
	depth     int
	signature bool
	middle    bool // the next piece continues the current line
}

// line handles a line, or a piece of a long line.
func (q *quoter) line(piece []byte) {
	depth, rest := q.depth, piece
	if !q.middle {
		depth, rest = unquoted(piece)
	}
	q.middle = len(piece) > 0 && piece[len(piece)-1] != '\n'
	signature := q.signature || depth == 0 && (string(piece) == "-- \n" || string(piece) == "-- ")
	if depth != q.depth || signature != q.signature || q.run.Len()+len(rest) > maxRun {
		q.flushRun()
	}
	q.depth, q.signature = depth, signature
	q.run.Write(rest)
}

// unquoted returns the number of quote marks at the start of a line. The result rest is the line
// without these marks.
func unquoted(line []byte) (depth int, rest []byte) {
	rest = line
	for {
		trimmed := rest
		if depth > 0 && len(trimmed) > 0 && trimmed[0] == ' ' {
			trimmed = trimmed[1:]
		}
		if len(trimmed) == 0 || trimmed[0] != '>' {
			return depth, trimmed
		}
		depth++
		rest = trimmed[1:]
	}
}

func (q *quoter) flushRun() {
	if q.run.Len() == 0 {
		return
	}
	class := "said"
	switch {
	case q.signature:
		class = "signature"
	case q.depth > 0:
		class = "quote quote-" + itoa(int64(min(q.depth, maxQuote)))
	}
	text := lineEnds(q.run.String())
	q.run.Reset()
	q.add("begin-run", struct{ Class, Marks string }{class, strings.Repeat(">", min(q.depth, maxQuote))})
	q.linked(text)
	q.put("end-run", nil)
}

// linked writes a text with its URLs as links.
func (l *messagePrinter) linked(text string) {
	at := 0
	for m := range extract.All(text, &extract.Options{Schemes: l.page.linked()}) {
		link := l.page.linkTo(&m)
		if link == "" || int(m.Start) < at {
			continue
		}
		l.add("run", shownLines(text[at:m.Start]))
		l.add("link", struct{ Link, Text string }{link, shownLines(text[m.Start:m.End])})
		at = int(m.End)
	}
	l.add("run", shownLines(text[at:]))
}

// linkText returns the link for the URL of a mail address, a newsgroup or a message. If there is no
// link, it returns "".
func (l *messagePrinter) linkText(text string) string {
	u, err := locus.Parse(text)
	if err != nil {
		return ""
	}
	return l.link(u, Show{})
}
