package news

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
)

// overview describes an article in a list (RFC 3977 section 8). Its strings are unchanged from
// the server's reply.
type overview struct {
	Number     int64
	Subject    string
	From       string
	Date       string
	MessageID  string // message-id with "<" and ">"
	References string // message-ids with spaces between them
	Bytes      int64  // size in octets; -1 if unknown
	Lines      int64  // number of lines; -1 if unknown
}

// fieldName normalizes the name of a header field or of a metadata item (RFC 3977 section
// 8.1), for the method set.
func fieldName(name string) string { return strings.ToLower(strings.Trim(name, ":")) }

func (o *overview) set(field, content string) {
	switch field {
	case "subject":
		o.Subject = content
	case "from":
		o.From = content
	case "date":
		o.Date = content
	case "message-id":
		o.MessageID = strings.TrimSpace(content)
	case "references":
		o.References = content
	case "bytes":
		o.Bytes = countOrUnknown(content)
	case "lines":
		o.Lines = countOrUnknown(content)
	}
}

// overviewFormat is the order of the fields that follow the article number in an overview
// line. The zero overviewFormat is the order of RFC 3977 section 8.3.2.
type overviewFormat struct {
	fields []formatField
}

type formatField struct {
	name string
	full bool // the name of the field and ":" precede its content
}

// maxFormat is the maximum number of fields in a format. Most servers use about ten.
const maxFormat = 256

var standardFormat = [...]formatField{
	{name: "subject"}, {name: "from"}, {name: "date"}, {name: "message-id"}, {name: "references"}, {name: "bytes"}, {name: "lines"},
}

// addLine adds a line of the reply to LIST OVERVIEW.FMT (RFC 3977 section 8.4).
func (f *overviewFormat) addLine(text string) {
	if len(f.fields) == maxFormat {
		return
	}
	name, suffix, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), ":"), ":")
	f.fields = append(f.fields, formatField{fieldName(name), strings.EqualFold(suffix, "full")})
}

// parse parses an overview line, whose fields are separated by tabs. Missing fields remain
// empty. Fields after the last field of f are ignored. If the line does not begin with an
// article number, the error wraps [scheme.ErrProtocol].
func (f *overviewFormat) parse(text string) (overview, error) {
	digits, rest, more := strings.Cut(text, "\t")
	o := overview{Bytes: -1, Lines: -1}
	var ok bool
	if o.Number, ok = parseCount(digits); !ok || o.Number == 0 {
		return overview{}, fmt.Errorf("%w: overview line %s does not begin with an article number", scheme.ErrProtocol, locus.Quote(text))
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
		o.set(fields[i].name, content)
	}
	return o, nil
}

// parseCount reads a decimal number, which may have spaces around it. If the number is
// negative or does not fit into an int, ok is false.
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

// overviewOf parses the head of an article, and ignores lines that are not header fields.
func overviewOf(number int64, head string) overview {
	o := overview{Number: number, Bytes: -1, Lines: -1}
	h, _ := message.ReadHeader(strings.NewReader(head), nil)
	for f := range h.Fields() {
		if name := strings.ToLower(f.Name); name != "bytes" {
			o.set(name, f.Value)
		}
	}
	return o
}

func (o *overview) time() time.Time {
	t, _ := message.ParseDate(o.Date)
	return t
}

// articleType is the media type of an article.
const articleType = "message/rfc822"

// item returns a menu item for the article, without a URL.
func (o *overview) item() scheme.Item {
	from := message.DecodeWords(o.From)
	return scheme.Item{
		Title:   message.DecodeWords(o.Subject),
		Kind:    scheme.KindObject,
		Type:    articleType,
		Size:    o.Bytes,
		ModTime: o.time(),
		Note:    from,
		Fields: []scheme.Field{
			{Name: "number", Value: int(o.Number)},
			{Name: "from", Value: from},
			{Name: "messageId", Value: unbracketed(o.MessageID)},
			{Name: "references", Value: message.ParseIDs(o.References)},
		},
	}
}
