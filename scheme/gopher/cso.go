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
	"github.com/locus-url/locus/internal/line"
	"github.com/locus-url/locus/scheme"
)

// AppendQuery appends the line that asks a CSO or Ph phone book for words
// (RFC 2378), as a URL's search has them: "smith", "name=smith", or "name=smith
// return name email". Whatever they are, the line is a query and no other command.
//
// Words that are nothing but blanks, or hold a TAB, CR, LF or NUL, are an error
// that wraps [locus.ErrValue]; dst is then returned as it was.
func AppendQuery(dst []byte, words string) ([]byte, error) {
	if err := checkWords(words); err != nil {
		return dst, fmt.Errorf("%s: %w: %w", locus.Quote(words), locus.ErrValue, err)
	}
	return line.Append(dst, "query", words)
}

// PhoneEntry is one entry that a phone book found.
type PhoneEntry struct {
	Number int // of the entry in the answer, as the server counts, from 1
	Fields []PhoneField
}

// PhoneField is a field of an entry. Its texts are as the server gave them: not
// safe for a terminal.
type PhoneField struct {
	Name  string
	Lines []string // the value
	// Code is that of the lines: from 200 to 299, or it says why there is no value
	// (508: it is not in the entry), and Lines are the server's words about that.
	Code int
}

// Value returns the value of the first field that has the name, in either case,
// with "\n" between its lines. ok reports whether there is one.
func (e PhoneEntry) Value(name string) (value string, ok bool) {
	for _, f := range e.Fields {
		if strings.EqualFold(f.Name, name) && f.hasValue() {
			return strings.Join(f.Lines, "\n"), true
		}
	}
	return "", false
}

func (f PhoneField) hasValue() bool { return f.Code >= 200 && f.Code < 300 }

// Items returns the lines of a menu that show the entry: whom it is about, and
// below that each field. An e-mail address and an address on the net are links.
func (e PhoneEntry) Items() []scheme.Item {
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

// mostIndent is how far the lines of a value are moved to the right at most: a name can
// be long, and the lines many.
const mostIndent = 32

// appendItems appends one item for each line of the value, the first with the name.
func (f PhoneField) appendItems(items []scheme.Item) []scheme.Item {
	label := f.Name + ": "
	for i, text := range f.Lines {
		if i == 1 {
			label = strings.Repeat(" ", min(len(label), mostIndent))
		}
		items = append(items, infoItem(label+text))
	}
	if u, ok := f.link(); ok {
		last := &items[len(items)-1]
		last.URL, last.Kind = u, scheme.KindUnknown
	}
	return items
}

// link returns the URL that the value of a field is, or stands for.
func (f PhoneField) link() (u locus.URL, ok bool) {
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

// mailURL returns the mailto URL of an address, which must be one by RFC 822.
func mailURL(address string) (locus.URL, error) {
	text := addrspec.Encode(address, escape.Unreserved().Without(","))
	if faults := addrspec.Faults(text); faults != nil {
		return locus.URL{}, fmt.Errorf("%s: %w: %s", locus.Quote(address), locus.ErrValue, faults[0].Help)
	}
	return locus.Parts{Scheme: "mailto", SchemePart: &text}.URL()
}

// PhoneError is what a phone book answered instead of entries, or after them.
type PhoneError struct {
	Code    int    // RFC 2378: 501 no match, 502 too many, 515 no indexed field in the query ...
	Message string // its words: not safe for a terminal
}

func (e *PhoneError) Error() string {
	return fmt.Sprintf("%v: the phone book says %d %s", e.Unwrap(), e.Code, locus.Quote(e.Message))
}

// Unwrap returns the kind of error that the code means.
func (e *PhoneError) Unwrap() error {
	switch {
	case e.Code == 501:
		return scheme.ErrNotFound
	case e.Code == 502:
		return scheme.ErrTooLarge
	case e.Code == 503 || e.Code == 504 || e.Code == 506 || e.Code == 516:
		return scheme.ErrAuth
	case e.Code >= 400 && e.Code < 500:
		// "Temporary": it may answer another time.
		return scheme.ErrUnreachable
	}
	return scheme.ErrProtocol
}

// hinted is e with the advice that goes with its code.
func (e *PhoneError) hinted() error {
	switch e.Code {
	case 502:
		return scheme.Hint(e, "narrow the words: more of them, or a field such as name=smith")
	case 507:
		return scheme.Hint(e, "ask for a field that it knows, such as name=smith")
	case 515:
		return scheme.Hint(e, "ask for a field that it has an index of, such as name=smith")
	}
	return e
}

// maxEntryLines is how many lines one entry may have: it is held in memory, since
// the name may be the last of them.
const maxEntryLines = 1 << 16

// PhoneReader reads the answer of a phone book to a query, entry by entry.
type PhoneReader struct {
	lines *line.Reader
	most  int // lines that an answer may have
	count int // those that came
	trace func(sent bool, line string)

	entry  PhoneEntry // as far as it was read
	size   int        // its lines
	notice PhoneError // the first line that tells of a failure; Code 0: none
	err    error      // after entry: io.EOF if the answer was good
	ended  bool       // the answer came to its end
}

// NewPhoneReader returns a reader of the answer that comes from r. It reads ahead.
// The limits may be nil; the octets of an answer are 16 MiB if they don't say, and
// their items are its lines.
func NewPhoneReader(r io.Reader, limits *Limits) *PhoneReader {
	lines := line.NewReader(r, limits.line())
	lines.Allow(limits.octets(maxPhone))
	return &PhoneReader{lines: lines, most: limits.items()}
}

// maxPhone is the most octets of an answer.
const maxPhone = 16 << 20

// Next returns the next entry. After the last the error is io.EOF; a [*PhoneError]
// if the phone book refused or gave up; else one that wraps [scheme.ErrProtocol]
// (and io.ErrUnexpectedEOF, if the server stopped in the middle) or
// [scheme.ErrTooLarge]. What came of an entry before such an error is returned
// first.
func (p *PhoneReader) Next() (PhoneEntry, error) {
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
	return PhoneEntry{}, p.err
}

func (p *PhoneReader) takeEntry() PhoneEntry {
	e := p.entry
	p.entry, p.size = PhoneEntry{}, 0
	return e
}

// add adds a line to the entry. One without a name goes on with the field before.
func (p *PhoneReader) add(l phoneLine) {
	if p.size++; p.size > maxEntryLines {
		p.size--
		p.err = fmt.Errorf("%w: an entry of more than %d lines", scheme.ErrTooLarge, maxEntryLines)
		return
	}
	p.entry.Number = l.index
	if last := len(p.entry.Fields) - 1; l.name == "" && last >= 0 {
		f := &p.entry.Fields[last]
		f.Lines = append(f.Lines, l.text)
		return
	}
	p.entry.Fields = append(p.entry.Fields, PhoneField{Name: l.name, Lines: []string{l.text}, Code: l.code})
}

// end is the error for the line that an answer ends with. If a line before it told
// of a failure, the last says no more than that the query was not understood.
func (p *PhoneReader) end(l phoneLine) error {
	p.ended = true
	if l.code < 300 {
		return io.EOF
	}
	if p.notice.Code == 0 {
		p.notice = PhoneError{l.code, l.text}
	}
	return p.notice.hinted()
}

func (p *PhoneReader) readLine() (phoneLine, error) {
	text, err := p.lines.Line()
	if err != nil {
		return phoneLine{}, phoneError(err)
	}
	if p.trace != nil {
		p.trace(false, string(text))
	}
	if p.count++; p.count > p.most {
		return phoneLine{}, fmt.Errorf("%w: an answer of more than %d lines", scheme.ErrTooLarge, p.most)
	}
	l, ok := parsePhoneLine(text)
	if !ok {
		return phoneLine{}, fmt.Errorf("%w: %s is no answer of a phone book", scheme.ErrProtocol, locus.Quote(string(text)))
	}
	return l, nil
}

// phoneError says what it means that a line did not come.
func phoneError(err error) error {
	switch {
	case err == io.EOF, err == io.ErrUnexpectedEOF:
		return fmt.Errorf("%w: the phone book stopped in the middle of its answer: %w", scheme.ErrProtocol, io.ErrUnexpectedEOF)
	case errors.Is(err, line.ErrLong), errors.Is(err, line.ErrTotal):
		return fmt.Errorf("%w: the answer of the phone book: %w", scheme.ErrTooLarge, err)
	}
	return err
}

// phoneLine is one line of an answer:
//
//	[-]code:text
//	[-]code:index:name:text
type phoneLine struct {
	more       bool // "-": it is not the last
	code       int
	index      int    // of the entry that it belongs to; 0: none
	name, text string // name may be empty: the field before goes on
}

func parsePhoneLine(b []byte) (l phoneLine, ok bool) {
	b, l.more = bytes.CutPrefix(b, []byte("-"))
	code, rest, ok := bytes.Cut(b, []byte(":"))
	if l.code = digits(code, 3); !ok || len(code) != 3 || l.code < 100 {
		return phoneLine{}, false
	}
	l.text = string(rest)
	if index, rest, ok := bytes.Cut(rest, []byte(":")); ok {
		if name, text, ok := bytes.Cut(rest, []byte(":")); ok {
			if l.index = digits(index, 9); l.index > 0 {
				l.name = string(bytes.Trim(name, " \t"))
				l.text = string(bytes.TrimPrefix(text, []byte(" ")))
			}
		}
	}
	return l, true
}

// digits reads a decimal number of at most most digits, or returns 0.
func digits(b []byte, most int) (n int) {
	if len(b) > most {
		return 0
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// phoneMenu asks the phone book at the other end of rw for words, and returns what
// it finds as items; g is the URL that has the words. The items come off the
// connection as they are asked for. At the end of its answer the server is told
// "quit", whatever the answer was. A URL that could not be sent as a request is
// refused here too.
func phoneMenu(rw io.ReadWriter, words string, g URL, limits *Limits, trace func(sent bool, line string)) (iter.Seq2[scheme.Item, error], error) {
	for x := range g.faults {
		return nil, x.Error(g.url)
	}
	p := NewPhoneReader(rw, limits)
	p.trace = trace
	query, err := AppendQuery(nil, words)
	if err != nil {
		return nil, err
	}
	if err := p.send(rw, query); err != nil {
		return nil, fmt.Errorf("%w: the query was not sent: %w", scheme.ErrProtocol, err)
	}
	// What the answer comes to is known when the first entry is.
	entry, err := p.Next()
	if err != nil {
		p.quit(rw)
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
				p.quit(rw)
			}
		}
		if err != io.EOF {
			yield(scheme.Item{}, fmt.Errorf("gopher: %w", err))
		}
	}, nil
}

// send sends a line, which ends in CR LF.
func (p *PhoneReader) send(w io.Writer, text []byte) error {
	if p.trace != nil {
		p.trace(true, string(bytes.TrimSuffix(text, []byte("\r\n"))))
	}
	_, err := w.Write(text)
	return err
}

// quit takes leave, if the answer came to its end. Nothing depends on it: what it
// is answered, and whether it arrives, is not waited for.
func (p *PhoneReader) quit(w io.Writer) {
	if p.ended {
		_ = p.send(w, []byte("quit\r\n"))
	}
}
