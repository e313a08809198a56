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
	l := messagePrinter{page: p.beginPage(w, h, o, k, m.Subject()), m: m, parts: m.Parts(), shown: map[string]bool{}}
	l.write()
	return l.endPage(broken)
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
	l.writePiece("letter-head", l.header(l.m.Header))
	l.writeContainer("", bareMediaType(l.m.Get("Content-Type")))
	l.writePiece("letter-foot", struct {
		Others     []attachment
		References []hop
		Faults     []string
		Lines      string
	}{l.otherParts(), l.references(), l.faults(), safeLines(lineEnds(l.m.Lines()))})
}

// header returns the table rows for a message header.
func (l *messagePrinter) header(h message.Header) (rows []headerRow) {
	for _, name := range headerFields {
		var items []hop
		switch name {
		case "From", "To", "Cc", "Reply-To":
			for _, a := range h.Addresses(name) {
				items = append(items, hop{safeText(a.String()), l.linkText("mailto:" + a.Addr)})
			}
		case "Newsgroups", "Followup-To":
			for group := range strings.SplitSeq(h.Text(name), ",") {
				if group = strings.TrimSpace(group); group != "" {
					items = append(items, hop{safeText(group), l.linkText("news:" + group)})
				}
			}
		case "Date":
			if t, ok := h.Date(); ok {
				items = append(items, hop{Text: t.Format("Monday, 2 January 2006, 15:04 -0700")})
			}
		case "Message-ID":
			if id := h.MessageID(); id != "" {
				items = append(items, hop{Text: safeText(id)})
			}
		}
		if text := h.Text(name); len(items) == 0 && text != "" {
			items = append(items, hop{Text: safeText(text)})
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

// writeContainer writes the readable child parts of the message part at path.
func (l *messagePrinter) writeContainer(path, mediaType string) {
	children := l.children(path)
	switch {
	case len(children) == 0:
	case mediaType == "multipart/alternative":
		l.writeAlternative(children)
	case mediaType == "multipart/related":
		l.writePart(children[0])
	default:
		for _, p := range children {
			l.writePart(p)
		}
	}
}

// writeAlternative writes the alternative part with the highest plainness. It adds the HTML
// part, which the reader can unfold.
func (l *messagePrinter) writeAlternative(parts []message.Part) {
	best := slices.MaxFunc(parts, func(a, b message.Part) int { return cmp.Compare(l.plainness(a), l.plainness(b)) })
	l.writePart(best)
	for _, p := range parts {
		if p.Path == best.Path || l.plainness(p) != 1 {
			l.shown[p.Path] = true
			continue
		}
		l.writePiece("begin-laid-out", nil)
		l.writePart(p)
		l.writePiece("end-laid-out", nil)
	}
}

// plainness returns the rank of a part for [messagePrinter.writeAlternative]. Plain text has
// the highest rank.
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

// writePart writes a part inline if the part is readable.
func (l *messagePrinter) writePart(p message.Part) {
	header, enclosed := p.Enclosed()
	class := ClassOf(p.Type)
	l.shown[p.Path] = true
	switch {
	case p.Multipart():
		l.writeContainer(p.Path, p.Type)
	case enclosed:
		l.writePiece("begin-enclosed", struct {
			Subject string
			Rows    []headerRow
		}{safeText(header.Subject()), l.header(header)})
		l.writeContainer(p.Path, bareMediaType(header.Get("Content-Type")))
		l.writePiece("end-enclosed", nil)
	case p.Disposition == "attachment":
		l.shown[p.Path] = false
	case class == ClassDocument:
		l.document(p)
	case slices.Contains(inlineTypes, p.Type):
		l.writeText(p.Text())
	case class == ClassImage && l.rawPath(l.h.URL, l.showOf(p)) != "":
		l.writePiece("letter-image", l.attachment(p))
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
	l.writeForeign(text, foreignOptions{base: l.h.URL, partPath: l.partPath, onlyLocalImages: true})
	l.recordError(err)
}

// recordError records err, unless err is nil, is io.EOF, or reports an exceeded limit. After
// that, the page writes nothing.
func (l *messagePrinter) recordError(err error) {
	if err != io.EOF && !errors.Is(err, message.ErrLimit) {
		l.err = cmp.Or(l.err, err)
	}
}

// partPath returns the path of the raw content of the part with the given Content-ID.
func (l *messagePrinter) partPath(id string) string {
	p, ok := l.m.Find(id)
	if !ok {
		return ""
	}
	l.shown[p.Path] = true
	return l.rawPath(l.h.URL, l.showOf(p))
}

// showOf returns a Show value that selects one part. If the page itself shows a part, the
// paths of the child parts are relative to that part.
func (l *messagePrinter) showOf(p message.Part) Show {
	if within := l.h.Show.Part; within != "" {
		return Show{Part: within + "." + p.Path}
	}
	return Show{Part: p.Path}
}

// attachment returns the attachment data for a message part.
func (l *messagePrinter) attachment(p message.Part) attachment {
	k, _ := kindOfType(p.Type)
	a := attachment{Path: p.Path, Name: safeText(p.Name), Type: safeText(p.Type), Kind: k}
	if size, err := p.DecodedSize(); err == nil {
		a.Size = human.Size(size)
	}
	a.Link, a.Raw = l.pagePath(l.h.URL, l.showOf(p)), l.rawPath(l.h.URL, l.showOf(p))
	if a.Name == "" {
		a.Name = "Part " + a.Path
	}
	return a
}

// otherParts returns the parts that the page did not show inline.
func (l *messagePrinter) otherParts() (list []attachment) {
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
		list = append(list, hop{safeText(l.registry.Title(u)), l.pagePath(u, Show{})})
	}
	return list
}

func (l *messagePrinter) faults() (list []string) {
	for _, f := range l.m.Faults {
		list = append(list, safeText(f.String()))
	}
	return list
}

const (
	// maxQuote is the maximum quote depth that has its own style.
	maxQuote = 6
	// maxRun is the maximum size in bytes of text that is written at once.
	maxRun = 64 << 10
)

// writeText writes a text of a message. It marks quotes and the signature, and makes URLs into links.
func (l *messagePrinter) writeText(r io.Reader) {
	l.addPiece("begin-said", nil)
	t := quoter{messagePrinter: l}
	lines := bufio.NewReaderSize(r, maxRun)
	var err error
	for (err == nil || err == bufio.ErrBufferFull) && l.err == nil {
		var piece []byte
		piece, err = lines.ReadSlice('\n')
		t.addLine(piece)
	}
	t.flushRun()
	l.writePiece("end-said", nil)
	l.recordError(err)
}

// quoter groups message lines of the same quote depth.
type quoter struct {
	*messagePrinter
	run       bytes.Buffer
	depth     int
	signature bool
	middle    bool // the next piece continues the current line
}

// addLine adds a line, or a piece of a long line.
func (q *quoter) addLine(piece []byte) {
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

// unquoted returns the number of quote marks at the start of a line, and the content of the
// line after these marks.
func unquoted(line []byte) (depth int, content []byte) {
	content = line
	for {
		trimmed := content
		if depth > 0 && len(trimmed) > 0 && trimmed[0] == ' ' {
			trimmed = trimmed[1:]
		}
		if len(trimmed) == 0 || trimmed[0] != '>' {
			return depth, trimmed
		}
		depth++
		content = trimmed[1:]
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
	q.addPiece("begin-run", struct{ Class, Marks string }{class, strings.Repeat(">", min(q.depth, maxQuote))})
	q.writeLinked(text)
	q.writePiece("end-run", nil)
}

// writeLinked writes a text with its URLs as links.
func (l *messagePrinter) writeLinked(text string) {
	at := 0
	for m := range extract.All(text, &extract.Options{Schemes: l.page.linkedSchemes()}) {
		link := l.page.linkTo(&m)
		if link == "" || int(m.Start) < at {
			continue
		}
		l.addPiece("run", safeLines(text[at:m.Start]))
		l.addPiece("link", struct{ Link, Text string }{link, safeLines(text[m.Start:m.End])})
		at = int(m.End)
	}
	l.addPiece("run", safeLines(text[at:]))
}

// linkText returns the link for the URL of a mail address, a newsgroup or a message. If there is no
// link, it returns "".
func (l *messagePrinter) linkText(text string) string {
	u, err := locus.Parse(text)
	if err != nil {
		return ""
	}
	return l.pagePath(u, Show{})
}
