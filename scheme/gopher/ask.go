package gopher

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
)

// fieldKinds maps the kinds of questions, in lower case, to field kinds. The client handles
// any other kind of question like "ask".
var fieldKinds = map[string]scheme.FieldKind{
	"note":    scheme.FieldNote,
	"ask":     scheme.FieldText,
	"askp":    scheme.FieldHidden, // the program hides the input, but the client sends it without encryption
	"askl":    scheme.FieldLines,
	"askf":    scheme.FieldSaveAs,
	"choose":  scheme.FieldChoice,
	"choosef": scheme.FieldFile,
	"select":  scheme.FieldCheck, // one check box for the prompt, or one for each choice
}

// question is one line of an +ASK attribute (RFC 1738 section 3.4.5).
type question struct {
	Kind   scheme.FieldKind
	Prompt string
	// Default is the default answer. For a Select, it contains the digit "0" or "1" for each
	// choice, without separators. If a Select has no choices, Default is the digit for the
	// prompt. For a Choose, Default is the first choice. For a ChooseF, it is empty, even if
	// the server proposes an answer.
	Default string
	// Choices contains the choices of a Choose or the options of a Select.
	Choices []string
}

// parseQuestion parses a line of an +ASK attribute, such as "Choose:
// Colour<TAB>Red<TAB>Green". A line without a colon is a note.
func parseQuestion(text string) question {
	written, rest, ok := strings.Cut(text, ":")
	if !ok {
		return question{Kind: scheme.FieldNote, Prompt: text}
	}
	q := question{Kind: cmp.Or(fieldKinds[strings.ToLower(strings.Trim(written, " "))], scheme.FieldText)}
	rest = strings.TrimPrefix(rest, " ")
	if q.Kind == scheme.FieldNote {
		q.Prompt = rest
		return q
	}
	var more string
	q.Prompt, more, _ = strings.Cut(rest, "\t")
	switch q.Kind {
	case scheme.FieldChoice:
		if more = strings.TrimRight(more, "\t"); more != "" {
			q.Choices = strings.Split(more, "\t")
			q.Default = q.Choices[0]
		} else {
			q.Kind = scheme.FieldText
		}
	case scheme.FieldCheck:
		q.options(strings.TrimRight(more, "\t"))
	case scheme.FieldFile:
	default:
		q.Default, _, _ = strings.Cut(more, "\t")
	}
	return q
}

// options sets the choices of a Select from the text after the prompt. If the text is only 0
// or 1, it is the default answer to the prompt, and not an option.
func (q *question) options(text string) {
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

// cutDefault splits a text such as "prompt:1", which UMN servers send for a check box, into
// the prompt and the default answer.
func cutDefault(text string) (prompt, on string) {
	if prompt, ok := strings.CutSuffix(text, ":1"); ok {
		return prompt, "1"
	}
	return strings.TrimSuffix(text, ":0"), "0"
}

// newForm returns the form of an item. The form has a field for each question, or for each
// option of a Select. Its Submit function returns a URL that requests the view v (RFC 1738
// section 3.4.9).
func newForm(of URL, v plusView, title string, ask []question) *scheme.Form {
	return &scheme.Form{
		URL:    of.url,
		Title:  title,
		Fields: formFields(ask),
		Submit: func(answers []string) (locus.URL, error) {
			plus, err := appendData([]byte("+"+v.String()+formStart), ask, answers)
			if err != nil {
				return locus.URL{}, err
			}
			g, err := of.withPlus(string(plus))
			if errors.Is(err, locus.ErrTooLong) {
				return locus.URL{}, fmt.Errorf("the answers do not fit in a URL of at most %d bytes: %w", locus.MaxLen, locus.ErrTooLong)
			}
			return g.url, err
		},
	}
}

func formFields(ask []question) []scheme.FormField {
	fields := make([]scheme.FormField, 0, len(ask))
	for _, q := range ask {
		fields = q.appendFields(fields)
	}
	return fields
}

func (q question) appendFields(fields []scheme.FormField) []scheme.FormField {
	f := scheme.FormField{Kind: q.Kind, Prompt: q.Prompt, Default: q.Default}
	switch f.Kind {
	case scheme.FieldFile:
		f.Default = "" // the answer is the contents of a file, which has no default
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

// maxRepeated is the maximum size of a prompt that the fields for the options repeat. The
// limit is necessary because a server may send a long prompt with many options.
const maxRepeated = 256

func (q question) repeated() string {
	if len(q.Prompt) <= maxRepeated {
		return q.Prompt
	}
	end := maxRepeated
	for end > maxRepeated-utf8.UTFMax && !utf8.RuneStart(q.Prompt[end]) {
		end--
	}
	return q.Prompt[:end]
}

// appendData appends the data block for the answers (RFC 1738 section 3.4.9). The block
// consists of a line "+-1", the answers, and a lone dot. The answer to an AskL begins with the
// number of lines in the answer. If an answer is a file, the block begins with "+" and the
// length of the data, and ends with the file instead of a dot.
//
// If appendData fails, the error is a [*scheme.AnswerError], and appendData returns dst
// unchanged.
func appendData(dst []byte, ask []question, answers []string) ([]byte, error) {
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

// oneFile returns the argument that is not empty, which is the file to send. If both are
// files, it returns an error.
func oneFile(first, second string) (string, error) {
	if first != "" && second != "" {
		return "", errors.New("only one file can be sent")
	}
	return first + second, nil
}

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

// appendLine appends a line with the given text. It also rejects an invalid choice, because a
// server may offer a choice that a request cannot contain.
func appendLine(dst []byte, text string) ([]byte, error) {
	if text == "." {
		return dst, errors.New("a line can't be only a dot: that would end the form")
	}
	return line.Append(dst, text)
}

// wordsForm returns a form with one field for search words. Submit returns g with the answer
// as the search (RFC 1738 section 3.4.2), and preserves the Gopher+ string of g.
func wordsForm(g URL, title, prompt string) *scheme.Form {
	return scheme.NewForm(g.url, title, scheme.FormField{Kind: scheme.FieldText, Prompt: prompt}, func(words string) (locus.URL, error) {
		if err := checkWords(words); err != nil {
			return locus.URL{}, &scheme.AnswerError{Prompt: prompt, Err: err}
		}
		p := g.parts()
		p.Search = &words
		submitted, err := p.URL()
		return submitted.url, err
	})
}

func checkWords(words string) error {
	switch {
	case strings.Trim(words, " ") == "":
		return errors.New("enter at least one word")
	case strings.ContainsAny(words, "\t\r\n\x00"):
		return errors.New("words can't contain TAB, CR, LF or NUL")
	}
	return nil
}
