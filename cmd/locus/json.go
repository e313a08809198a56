package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// writeJSON writes v as one line of standard output.
func (a *app) writeJSON(v any) {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	// An error of the output is remembered below, and no value here has another.
	_ = e.Encode(v)
}

// text is octets as a JSON string: UTF-8 if they are, else ISO Latin 1, which is
// how the URI draft reads them. What a terminal could obey is escaped, which is
// the same string to a program.
type text string

func (t text) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(term.Characters(string(t)))
	quoted := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if bytes.ContainsFunc(quoted, unsafeRune) {
		quoted = escapeRunes(quoted)
	}
	return quoted, err
}

func unsafeRune(r rune) bool { return !term.IsSafe(r) }

// escapeRunes writes what is not safe for a terminal in a JSON string as escapes.
func escapeRunes(quoted []byte) []byte {
	var b []byte
	for _, r := range string(quoted) {
		if !unsafeRune(r) {
			b = utf8.AppendRune(b, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
	}
	return b
}

// present is a part of a URL as JSON: null if it is absent.
func present[T ~string](part T, ok bool) *text {
	if !ok {
		return nil
	}
	t := text(part)
	return &t
}

// fields are the decoded parts of a URL as one JSON object, in their order.
type fields []scheme.Field

func (f fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, field := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeValue(&b, field.Name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := writeValue(&b, fieldValue(field.Value)); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// fieldValue returns the value of a field as what JSON makes the right thing of.
func fieldValue(value any) any {
	switch v := value.(type) {
	case string:
		return text(v)
	case []string:
		list := make([]text, len(v))
		for i, s := range v {
			list[i] = text(s)
		}
		return list
	case [][]scheme.Field:
		list := make([]fields, len(v))
		for i, record := range v {
			list[i] = record
		}
		return list
	default:
		return v
	}
}

// violationJSON is a finding, as the command promises it.
type violationJSON struct {
	Rule    string `json:"rule"`
	Section string `json:"section"`
	Offset  int    `json:"offset"`
	Text    text   `json:"text"`
	Help    text   `json:"help"`
	Kind    string `json:"kind"`
}

// findings divides a list into what breaks the rules and what is only a note.
// Neither is nil: in JSON they are lists.
func findings(list []locus.Violation) (violations, notes []violationJSON) {
	violations, notes = []violationJSON{}, []violationJSON{}
	for _, v := range list {
		j := violationJSON{v.Rule, v.Section, v.Offset, text(v.Text), text(v.Help), v.Kind.String()}
		if v.Kind == locus.Note {
			notes = append(notes, j)
		} else {
			violations = append(violations, j)
		}
	}
	return violations, notes
}

// errorJSON says why an input is no URL. Offset and part are null if it is one
// and can't be used for another reason.
type errorJSON struct {
	Offset  *int  `json:"offset"`
	Part    *text `json:"part"`
	Message text  `json:"message"`
}

// failureJSON is the answer to an input that is no URL.
type failureJSON struct {
	Input text      `json:"input"`
	OK    bool      `json:"ok"`
	Error errorJSON `json:"error"`
}

func newErrorJSON(err error) errorJSON {
	var e *locus.SyntaxError
	if errors.As(err, &e) {
		return errorJSON{Offset: &e.Offset, Part: present(e.Part, true), Message: text(err.Error())}
	}
	return errorJSON{Message: text(err.Error())}
}
