package nntp

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
)

// Overview is what a server tells of an article without the article (RFC 3977
// section 8). The texts are the octets that came.
type Overview struct {
	Number     int64
	Subject    string
	From       string
	Date       string
	MessageID  string // with "<" and ">"
	References string // message-ids, with blanks between them
	Bytes      int64  // -1: unknown
	Lines      int64  // -1: unknown
}

// overviewField is one of the fields that [Overview] has.
type overviewField uint8

const (
	fieldOther overviewField = iota
	fieldSubject
	fieldFrom
	fieldDate
	fieldMessageID
	fieldReferences
	fieldBytes
	fieldLines
)

// fieldOf returns the field of a header's name, in any case, or of a metadata
// item of RFC 3977 section 8.1.
func fieldOf(name string) overviewField {
	switch strings.ToLower(strings.Trim(name, ":")) {
	case "subject":
		return fieldSubject
	case "from":
		return fieldFrom
	case "date":
		return fieldDate
	case "message-id":
		return fieldMessageID
	case "references":
		return fieldReferences
	case "bytes":
		return fieldBytes
	case "lines":
		return fieldLines
	}
	return fieldOther
}

// OverviewFormat is the order of the fields in a line of an overview, after the
// number. The zero OverviewFormat is the one of RFC 3977 section 8.3.2.
type OverviewFormat struct {
	fields []formatField
}

type formatField struct {
	field overviewField
	full  bool // the name of the header and ":" come before its content
}

// maxFormat bounds how many fields a line may be said to have. Servers have
// about ten.
const maxFormat = 256

// standardFormat is the order that there is without being asked for.
var standardFormat = [...]formatField{
	{field: fieldSubject}, {field: fieldFrom}, {field: fieldDate}, {field: fieldMessageID},
	{field: fieldReferences}, {field: fieldBytes}, {field: fieldLines},
}

// Add adds a line of the reply to LIST OVERVIEW.FMT (RFC 3977 section 8.4).
func (f *OverviewFormat) Add(text string) {
	if len(f.fields) == maxFormat {
		return
	}
	text = strings.TrimSpace(text)
	name, suffix, _ := strings.Cut(strings.TrimPrefix(text, ":"), ":")
	f.fields = append(f.fields, formatField{fieldOf(name), strings.EqualFold(suffix, "full")})
}

// Parse reads a line of an overview: fields with a TAB between each two. Fields
// that are not there are empty, and such as nobody named are left out. The error
// wraps [scheme.ErrProtocol]: the line does not begin with the number of an
// article.
func (f *OverviewFormat) Parse(text string) (Overview, error) {
	digits, rest, more := strings.Cut(text, "\t")
	o := Overview{Bytes: -1, Lines: -1}
	var ok bool
	if o.Number, ok = parseCount(digits); !ok || o.Number == 0 {
		return Overview{}, fmt.Errorf("%w: %s is no line of an overview: a number begins one", scheme.ErrProtocol, locus.Quote(text))
	}
	fields := f.fields
	if len(fields) == 0 {
		fields = standardFormat[:]
	}
	for i := 0; more && i < len(fields); i++ {
		var content string
		content, rest, more = strings.Cut(rest, "\t")
		if fields[i].full {
			if _, after, ok := strings.Cut(content, ":"); ok {
				content = strings.TrimLeft(after, " ")
			}
		}
		o.set(fields[i].field, content)
	}
	return o, nil
}

func (o *Overview) set(field overviewField, content string) {
	switch field {
	case fieldSubject:
		o.Subject = content
	case fieldFrom:
		o.From = content
	case fieldDate:
		o.Date = content
	case fieldMessageID:
		o.MessageID = strings.TrimSpace(content)
	case fieldReferences:
		o.References = content
	case fieldBytes:
		o.Bytes = countOrUnknown(content)
	case fieldLines:
		o.Lines = countOrUnknown(content)
	}
}

// parseCount reads decimal digits, with blanks around them, of a number that an
// int can hold.
func parseCount(text string) (n int64, ok bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, strconv.IntSize)
	return n, err == nil && n >= 0
}

func countOrUnknown(text string) int64 {
	if n, ok := parseCount(text); ok {
		return n
	}
	return -1
}

// overviewOf reads the head of an article, as the reply to HEAD has it. Headers
// that go on over several lines are joined.
func overviewOf(number int64, head string) Overview {
	o := Overview{Number: number, Bytes: -1, Lines: -1}
	for head != "" {
		var text string
		text, head = cutHeader(head)
		name, content, ok := strings.Cut(text, ":")
		if field := fieldOf(name); ok && field != fieldBytes {
			o.set(field, strings.TrimSpace(content))
		}
	}
	return o
}

// cutHeader returns the first header of head, its lines joined, and what follows
// it.
func cutHeader(head string) (text, rest string) {
	text, rest, _ = strings.Cut(head, "\n")
	text = strings.TrimSuffix(text, "\r")
	for rest != "" && (rest[0] == ' ' || rest[0] == '\t') {
		var more string
		more, rest, _ = strings.Cut(rest, "\n")
		text += strings.TrimSuffix(more, "\r")
	}
	return text, rest
}

// time returns what Date says, or the zero time.
func (o *Overview) time() time.Time {
	t, _ := message.ParseDate(o.Date)
	return t
}

// item is the article in a menu. base is the URL of its newsgroup with "/" behind
// it.
func (o *Overview) item(base string) scheme.Item {
	it := scheme.Item{
		Title:   message.DecodeWords(o.Subject),
		Kind:    scheme.KindObject,
		Type:    articleType,
		Size:    o.Bytes,
		ModTime: o.time(),
		Note:    message.DecodeWords(o.From),
	}
	it.Fields = []scheme.Field{
		{Name: "number", Value: int(o.Number)},
		{Name: "from", Value: it.Note},
		{Name: "messageId", Value: unbracketed(o.MessageID)},
		{Name: "references", Value: message.ParseIDs(o.References)},
	}
	// What is too long to be a URL locates nothing.
	it.URL, _ = locus.Parse(base + strconv.FormatInt(o.Number, 10))
	return it
}

// articleType is the media type of an article.
const articleType = "message/rfc822"

// badItem is a line of a list that is none.
func badItem(text string, err error) scheme.Item {
	return scheme.Item{Title: text, Kind: scheme.KindError, Size: -1, Note: err.Error()}
}
