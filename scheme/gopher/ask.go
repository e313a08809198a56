package gopher

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/line"
	"github.com/locus-url/locus/scheme"
)

// AskKind is what a line of an +ASK attribute asks for.
type AskKind string

// The kinds of Gopher+. What is of another kind is answered as KindAsk is.
const (
	KindNote    AskKind = "Note"    // nothing: a text to read
	KindAsk     AskKind = "Ask"     // one line
	KindAskP    AskKind = "AskP"    // one line that is not shown while it is typed; sent as clear as the rest
	KindAskL    AskKind = "AskL"    // lines
	KindAskF    AskKind = "AskF"    // the name of a new local file for the reply
	KindChoose  AskKind = "Choose"  // one of the choices
	KindChooseF AskKind = "ChooseF" // a local file to send
	KindSelect  AskKind = "Select"  // yes or no, to the prompt or to each of the choices
)

// Question is one line of an +ASK attribute (RFC 1738 section 3.4.5).
type Question struct {
	Kind   AskKind // one of those above, or as the server wrote it
	Prompt string
	// Default is the answer if nobody gives another. That of a KindSelect is "0" or
	// "1" for each of its choices, without anything between them, or for itself if
	// it has none; that of a KindChoose its first choice. No file is named for a
	// KindChooseF, whatever the server proposes.
	Default string
	// Choices are those of a KindChoose, and the options of a KindSelect.
	Choices []string
}

// ParseQuestion reads a line of an +ASK attribute, without the blank before it:
//
//	Choose: Favourite colour<TAB>Red<TAB>Green
//
// A line that is empty or has no colon is a note.
func ParseQuestion(text string) Question {
	written, rest, ok := strings.Cut(text, ":")
	if !ok {
		return Question{Kind: KindNote, Prompt: text}
	}
	q := Question{Kind: askKind(written)}
	rest = strings.TrimPrefix(rest, " ")
	if q.Kind == KindNote {
		q.Prompt = rest
		return q
	}
	var more string
	q.Prompt, more, _ = strings.Cut(rest, "\t")
	switch q.Kind {
	case KindChoose:
		if more = strings.TrimRight(more, "\t"); more != "" {
			q.Choices = strings.Split(more, "\t")
			q.Default = q.Choices[0]
		}
	case KindSelect:
		q.options(strings.TrimRight(more, "\t"))
	case KindChooseF:
	default:
		q.Default, _, _ = strings.Cut(more, "\t")
	}
	return q
}

// askKind returns the kind that is written in any case, or what is written.
func askKind(written string) AskKind {
	written = strings.Trim(written, " ")
	for _, kind := range []AskKind{KindNote, KindAsk, KindAskP, KindAskL, KindAskF, KindChoose, KindChooseF, KindSelect} {
		if strings.EqualFold(written, string(kind)) {
			return kind
		}
	}
	return AskKind(written)
}

// options sets the choices of a KindSelect, which are what stands after the prompt.
// A lone 0 or 1 there is no option but what the prompt is by default.
func (q *Question) options(text string) {
	switch text {
	case "":
		q.Prompt, q.Default = cutDefault(q.Prompt)
		return
	case "0", "1":
		q.Default = text
		return
	}
	q.Choices = strings.Split(text, "\t")
	var all strings.Builder
	for i, choice := range q.Choices {
		var on string
		q.Choices[i], on = cutDefault(choice)
		all.WriteString(on)
	}
	q.Default = all.String()
}

// cutDefault splits what UMN's servers write for a check box: "prompt:1".
func cutDefault(text string) (prompt, on string) {
	if prompt, ok := strings.CutSuffix(text, ":1"); ok {
		return prompt, "1"
	}
	return strings.TrimSuffix(text, ":0"), "0"
}

// NewForm returns the form that asks, of an item whose default view is what the
// answers lead to. A Gopher+ string that of has makes no difference.
//
// The form has one field for each question, in order, but for a KindSelect with
// options one for each of those. Submit makes the URL of RFC 1738 section 3.4.9.
func NewForm(of URL, title string, ask []Question) *scheme.Form {
	return NewViewForm(of, View{}, title, ask)
}

// NewViewForm is [NewForm] for a certain view of the item.
func NewViewForm(of URL, v View, title string, ask []Question) *scheme.Form {
	return &scheme.Form{
		URL:    of.url,
		Title:  title,
		Fields: formFields(ask),
		Submit: func(answers []string) (locus.URL, error) {
			plus, err := AppendData([]byte("+"+v.String()+formStart), ask, answers)
			if err != nil {
				return locus.URL{}, err
			}
			g, err := of.withPlus(string(plus))
			if errors.Is(err, locus.ErrTooLong) {
				return locus.URL{}, fmt.Errorf("the answers don't fit into a URL, which has at most %d octets: %w", locus.MaxLen, locus.ErrTooLong)
			}
			return g.url, err
		},
	}
}

// formFields returns the fields of the form that asks.
func formFields(ask []Question) []scheme.FormField {
	fields := make([]scheme.FormField, 0, len(ask))
	for _, q := range ask {
		fields = q.appendFields(fields)
	}
	return fields
}

func (q Question) appendFields(fields []scheme.FormField) []scheme.FormField {
	f := scheme.FormField{Kind: q.fieldKind(), Prompt: q.Prompt, Default: q.Default}
	switch f.Kind {
	case scheme.FieldFile:
		f.Default = "" // it would be the contents
	case scheme.FieldChoice:
		f.Choices = q.Choices
	case scheme.FieldCheck:
		prompt := q.repeated()
		for i, choice := range q.Choices {
			f.Prompt = strings.TrimPrefix(prompt+": "+choice, ": ")
			f.Default = ""
			if i < len(q.Default) {
				f.Default = q.Default[i : i+1]
			}
			fields = append(fields, f)
		}
		if len(q.Choices) > 0 {
			return fields
		}
	}
	return append(fields, f)
}

// mostRepeated is the most octets of a prompt that come again with each option: a long
// one with many options would be a great deal.
const mostRepeated = 256

// repeated returns the prompt as it comes again with each option.
func (q Question) repeated() string {
	if len(q.Prompt) <= mostRepeated {
		return q.Prompt
	}
	end := mostRepeated
	for end > mostRepeated-utf8.UTFMax && !utf8.RuneStart(q.Prompt[end]) {
		end--
	}
	return q.Prompt[:end]
}

// fieldKind tells how the question is answered. A choice of nothing could not be
// answered as one.
func (q Question) fieldKind() scheme.FieldKind {
	switch q.Kind {
	case KindNote:
		return scheme.FieldNote
	case KindAskP:
		return scheme.FieldHidden
	case KindAskL:
		return scheme.FieldLines
	case KindAskF:
		return scheme.FieldSaveAs
	case KindChooseF:
		return scheme.FieldFile
	case KindSelect:
		return scheme.FieldCheck
	case KindChoose:
		if len(q.Choices) > 0 {
			return scheme.FieldChoice
		}
	}
	return scheme.FieldText
}

// AppendData appends the data block of RFC 1738 section 3.4.9, which follows the
// line of the request: the line "+-1", the answers, and a lone dot line. answers are
// one for each field of the form that [NewForm] makes of ask, such as
// [scheme.Form.Check] takes.
//
// A note has no line in the block, and a KindAskL one for how many lines it has and
// then those. If a file is sent, its octets are the end of the block, which then
// begins with "+" and the length of all that follows, and has no dot.
//
// The error is a [*scheme.AnswerError]. An answer can't be a lone dot, which would
// end the block, and there can be one file. dst is then returned as it was.
func AppendData(dst []byte, ask []Question, answers []string) ([]byte, error) {
	form := scheme.Form{Fields: formFields(ask)}
	if err := form.Check(answers); err != nil {
		return dst, err
	}
	var lines []byte
	file := ""
	for i, field := range form.Fields {
		var err error
		if field.Kind == scheme.FieldFile {
			file, err = oneFile(file, answers[i])
		} else {
			lines, err = appendAnswer(lines, field.Kind, answers[i])
		}
		if err != nil {
			return dst, &scheme.AnswerError{Field: i, Prompt: field.Prompt, Err: err}
		}
	}
	if file == "" {
		dst = append(append(dst, "+-1\r\n"...), lines...)
		return append(dst, ".\r\n"...), nil
	}
	dst = strconv.AppendInt(append(dst, '+'), int64(len(lines)+len(file)), 10)
	dst = append(append(dst, "\r\n"...), lines...)
	return append(dst, file...), nil
}

// oneFile returns which of two files is sent: not both.
func oneFile(first, second string) (string, error) {
	if first != "" && second != "" {
		return "", errors.New("one file can be sent, and another one is already")
	}
	return first + second, nil
}

// appendAnswer appends the lines that send an answer.
func appendAnswer(dst []byte, kind scheme.FieldKind, answer string) ([]byte, error) {
	switch kind {
	case scheme.FieldNote:
		return dst, nil
	case scheme.FieldLines:
		return appendLines(dst, answer)
	}
	return appendLine(dst, answer)
}

func appendLines(dst []byte, answer string) ([]byte, error) {
	if answer == "" {
		return append(dst, "0\r\n"...), nil
	}
	dst = strconv.AppendInt(dst, int64(strings.Count(answer, "\n")+1), 10)
	dst = append(dst, "\r\n"...)
	for text := range strings.SplitSeq(answer, "\n") {
		var err error
		if dst, err = appendLine(dst, text); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// appendLine appends one line. It trusts no field: a choice that the server offers
// may be one that can't be sent.
func appendLine(dst []byte, text string) ([]byte, error) {
	if text == "." {
		return dst, errors.New("a line can't be a dot alone: it would end the form")
	}
	return line.Append(dst, text)
}
