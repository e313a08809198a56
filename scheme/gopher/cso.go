package gopher

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
)

// appendQuery appends a command that searches a phone book (RFC 2378). Examples of the
// argument words are "smith" and "name=smith return name email". If appendQuery fails, the
// error wraps [locus.ErrValue], and appendQuery returns dst unchanged.
func appendQuery(dst []byte, words string) ([]byte, error) {
	if err := checkWords(words); err != nil {
		return dst, fmt.Errorf("%s: %w: %w", locus.Quote(words), locus.ErrValue, err)
	}
	return line.Append(dst, "query", words)
}

type phoneEntry struct {
	Number int // number of the entry in the server's reply, from 1
	Fields []phoneField
}

// phoneField is a field of an entry. Its texts are unchanged from the server's reply, and not
// safe for a terminal.
type phoneField struct {
	Name  string
	Lines []string // lines of the value
	// Code is the server's code for the field. Codes 200 to 299 mean that the field has a
	// value. Any other code explains why the value is missing; for example, 508 means that the
	// entry does not contain the field. In this case, Lines contains the server's explanation.
	Code int
}

// Value returns the value of the first field with the given name, with "\n" between lines. It
// ignores the case of the name. If the entry does not contain the field, ok is false.
func (e phoneEntry) Value(name string) (value string, ok bool) {
	for _, f := range e.Fields {
		if strings.EqualFold(f.Name, name) && f.hasValue() {
			return strings.Join(f.Lines, "\n"), true
		}
	}
	return "", false
}

func (f phoneField) hasValue() bool { return f.Code >= 200 && f.Code < 300 }

// Items converts the entry to menu items. The first item contains the name, and the others
// contain the fields. Fields with e-mail addresses and URLs become links.
func (e phoneEntry) Items() []scheme.Item {
	title, ok := e.Value("name")
	if !ok {
		title = "Entry " + strconv.Itoa(e.Number)
	}
	items := []scheme.Item{infoItem(title)}
	for _, f := range e.Fields {
		items = f.appendItems(items)
	}
	return items
}

// maxIndent is the maximum indentation of the lines in a value. The limit is necessary because
// a field may have a long name and many lines.
const maxIndent = 32

// appendItems appends an item for each line of the value. The first item also contains the
// field name.
func (f phoneField) appendItems(items []scheme.Item) []scheme.Item {
	label := f.Name + ": "
	for i, text := range f.Lines {
		if i == 1 {
			label = strings.Repeat(" ", min(len(label), maxIndent))
		}
		items = append(items, infoItem(label+text))
	}
	if u, ok := f.link(); ok {
		last := &items[len(items)-1]
		last.URL, last.Kind = u, scheme.KindUnknown
	}
	return items
}

// link returns the URL in the field's value. If the value contains an e-mail address instead,
// link returns a mailto URL.
func (f phoneField) link() (u locus.URL, ok bool) {
	if len(f.Lines) != 1 || !f.hasValue() {
		return locus.URL{}, false
	}
	value := strings.TrimSpace(f.Lines[0])
	var err error
	switch strings.ToLower(f.Name) {
	case "email":
		u, err = mailURL(value)
	case "url", "www":
		u, err = locus.Parse(value)
	default:
		return locus.URL{}, false
	}
	return u, err == nil
}

func mailURL(address string) (locus.URL, error) {
	text := addrspec.Encode(address, escape.Unreserved().Without(","))
	if faults := addrspec.Faults(text); faults != nil {
		return locus.URL{}, fmt.Errorf("%s: %w: %s", locus.Quote(address), locus.ErrValue, faults[0].Help)
	}
	return locus.Parts{Scheme: "mailto", SchemePart: &text}.URL()
}

// PhoneError is an error that a phone book reports. It wraps the error of package scheme that
// corresponds to the code.
type PhoneError struct {
	Code    int    // code of RFC 2378, such as 501 (no match) or 502 (too many matches)
	Message string // the server's explanation; not safe for a terminal
}

func (e *PhoneError) Error() string {
	return fmt.Sprintf("%v: the phone book reports %d %s", e.Unwrap(), e.Code, locus.Quote(e.Message))
}

// Unwrap returns the error of package scheme that corresponds to the code.
func (e *PhoneError) Unwrap() error {
	if f, ok := phoneFailures[e.Code]; ok {
		return f.kind
	}
	if e.Code >= 400 && e.Code < 500 {
		return scheme.ErrUnreachable // by RFC 2378, these codes mean temporary errors
	}
	return scheme.ErrProtocol
}

// phoneFailures contains the codes of RFC 2378 that have a specific error or hint.
var phoneFailures = map[int]struct {
	kind error
	hint string
}{
	501: {kind: scheme.ErrNotFound},
	502: {scheme.ErrTooLarge, "narrow the query: add words, or a field such as name=smith"},
	503: {kind: scheme.ErrAuth},
	504: {kind: scheme.ErrAuth},
	506: {kind: scheme.ErrAuth},
	507: {scheme.ErrProtocol, "use a field that the phone book has, such as name=smith"},
	515: {scheme.ErrProtocol, "use an indexed field, such as name=smith"},
	516: {kind: scheme.ErrAuth},
}

// hinted returns e with the hint for its code, if there is one.
func (e *PhoneError) hinted() error {
	if hint := phoneFailures[e.Code].hint; hint != "" {
		return scheme.Hint(e, hint)
	}
	return e
}

// maxEntryLines is the maximum number of lines in an entry. The reader buffers a whole entry,
// because the name may be the last line.
const maxEntryLines = 1 << 16

// phoneReader reads the reply to a phone book query, entry by entry.
type phoneReader struct {
	lines *line.Reader
	most  int // maximum number of lines in a reply
	count int // number of lines read so far
	trace func(sent bool, line string)

	entry  phoneEntry // the current entry, with the fields read so far
	size   int        // number of lines in entry
	notice PhoneError // the first line that reports an error; Code is 0 if there is none
	err    error      // the error to return after entry; io.EOF at the end of a successful reply
	ended  bool       // the reader has read the whole reply
}

// newPhoneReader returns a phoneReader for the reply in r. The phoneReader may read ahead. If
// limits is nil, the default limits apply. The value of limits.Items is the maximum number of
// lines in the reply.
func newPhoneReader(r io.Reader, limits *Limits) *phoneReader {
	l := limits.orDefault(attributeOctets)
	lines := line.NewReader(r, l.Line)
	lines.Allow(l.Octets)
	return &phoneReader{lines: lines, most: l.Items}
}

// Next returns the next entry. After the last entry, the error is io.EOF. If the phone book
// reports an error, Next returns it as a [*PhoneError]. Any other error wraps
// [scheme.ErrTooLarge] or [scheme.ErrProtocol]. If the reply is truncated, the error also
// wraps io.ErrUnexpectedEOF. Next returns an incomplete entry before it returns an error.
func (p *phoneReader) Next() (phoneEntry, error) {
	for p.err == nil {
		l, err := p.readLine()
		switch {
		case err != nil:
			p.err = err
		case l.index > 0 && l.index != p.entry.Number && p.size > 0:
			done := p.takeEntry()
			p.add(l)
			return done, nil
		case l.index > 0:
			p.add(l)
		case !l.more && l.code >= 200:
			p.err = p.end(l)
		case l.code >= 300 && p.notice.Code == 0:
			p.notice = PhoneError{l.code, l.text}
		}
	}
	if p.size > 0 {
		return p.takeEntry(), nil
	}
	return phoneEntry{}, p.err
}

func (p *phoneReader) takeEntry() phoneEntry {
	e := p.entry
	p.entry, p.size = phoneEntry{}, 0
	return e
}

// add adds a line to the current entry. A line without a field name continues the previous
// field.
func (p *phoneReader) add(l phoneLine) {
	if p.size++; p.size > maxEntryLines {
		p.size--
		p.err = fmt.Errorf("%w: an entry has more than %d lines", scheme.ErrTooLarge, maxEntryLines)
		return
	}
	p.entry.Number = l.index
	if last := len(p.entry.Fields) - 1; l.name == "" && last >= 0 {
		f := &p.entry.Fields[last]
		f.Lines = append(f.Lines, l.text)
		return
	}
	p.entry.Fields = append(p.entry.Fields, phoneField{Name: l.name, Lines: []string{l.text}, Code: l.code})
}

// end returns the error for the last line of a reply. If an earlier line reported an error,
// end returns the earlier error, because the last line then only says that the server did not
// understand the query.
func (p *phoneReader) end(l phoneLine) error {
	p.ended = true
	if l.code < 300 {
		return io.EOF
	}
	if p.notice.Code == 0 {
		p.notice = PhoneError{l.code, l.text}
	}
	return p.notice.hinted()
}

func (p *phoneReader) readLine() (phoneLine, error) {
	text, err := p.lines.Line()
	if err != nil {
		return phoneLine{}, phoneError(err)
	}
	if p.trace != nil {
		p.trace(false, string(text))
	}
	if p.count++; p.count > p.most {
		return phoneLine{}, fmt.Errorf("%w: the response has more than %d lines", scheme.ErrTooLarge, p.most)
	}
	l, ok := parsePhoneLine(text)
	if !ok {
		return phoneLine{}, fmt.Errorf("%w: invalid line %s in the phone book's response", scheme.ErrProtocol, locus.Quote(string(text)))
	}
	return l, nil
}

func phoneError(err error) error {
	switch {
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return fmt.Errorf("%w: the phone book's response is cut off: %w", scheme.ErrProtocol, io.ErrUnexpectedEOF)
	case errors.Is(err, line.ErrLong), errors.Is(err, line.ErrTotal):
		return fmt.Errorf("%w: the phone book's response: %w", scheme.ErrTooLarge, err)
	}
	return err
}

// phoneLine is one line of a reply:
//
//	[-]code:text
//	[-]code:index:name:text
type phoneLine struct {
	more       bool // a "-" precedes the code, so more lines follow
	code       int
	index      int    // number of the entry to which the line belongs; 0 if none
	name, text string // field name and text; without a name, the line continues the previous field
}

func parsePhoneLine(b []byte) (l phoneLine, ok bool) {
	b, l.more = bytes.CutPrefix(b, []byte("-"))
	code, rest, _ := strings.Cut(string(b), ":")
	n, err := strconv.ParseUint(code, 10, 16)
	if err != nil || len(code) != 3 || n < 100 || len(b) == len(code) {
		return phoneLine{}, false
	}
	l.code, l.text = int(n), rest
	if parts := strings.SplitN(rest, ":", 3); len(parts) == 3 {
		if index, err := strconv.ParseUint(parts[0], 10, 32); err == nil && index > 0 && len(parts[0]) <= 9 {
			l.index = int(index)
			l.name = strings.Trim(parts[1], " \t")
			l.text = strings.TrimPrefix(parts[2], " ")
		}
	}
	return l, true
}

// phoneMenu searches a phone book for the given words. It returns the entries as items, and
// reads them from r on demand. After the whole reply, it sends "quit".
func phoneMenu(r io.Reader, w io.Writer, words string, g URL, limits *Limits, trace func(sent bool, line string)) (iter.Seq2[scheme.Item, error], error) {
	for x := range split(g.url).faults {
		return nil, x.Error(g.url)
	}
	p := newPhoneReader(r, limits)
	p.trace = trace
	query, err := appendQuery(nil, words)
	if err != nil {
		return nil, err
	}
	if err := p.send(w, query); err != nil {
		return nil, fmt.Errorf("%w: the query was not sent: %w", scheme.ErrProtocol, err)
	}
	// Only the first entry or error reveals whether the query succeeded.
	entry, err := p.Next()
	if err != nil {
		p.quit(w)
		if err != io.EOF {
			return nil, err
		}
	}
	return func(yield func(scheme.Item, error) bool) {
		for err == nil {
			for _, item := range entry.Items() {
				if !yield(item, nil) {
					return
				}
			}
			if entry, err = p.Next(); err != nil {
				p.quit(w)
			}
		}
		if err != io.EOF {
			yield(scheme.Item{}, fmt.Errorf("gopher: %w", err))
		}
	}, nil
}

func (p *phoneReader) send(w io.Writer, text []byte) error {
	if p.trace != nil {
		p.trace(true, string(bytes.TrimSuffix(text, []byte("\r\n"))))
	}
	_, err := w.Write(text)
	return err
}

// quit sends "quit" if the reply is complete. It does not wait for a reply.
func (p *phoneReader) quit(w io.Writer) {
	if p.ended {
		_ = p.send(w, []byte("quit\r\n"))
	}
}
