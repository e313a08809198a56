package shape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// ErrMenu is the error for JSON that is not a menu.
var ErrMenu = errors.New("shape: invalid menu")

// ReadMenu reads a menu that [MenuWriter] wrote: its head at once, its items one at a
// time. Texts are UTF-8 then, and a form cannot be submitted. If the items broke off,
// their error has the [access.Kind] that was written.
func ReadMenu(r io.Reader) (*scheme.Menu, error) {
	d := json.NewDecoder(r)
	m := &scheme.Menu{}
	if err := readDelim(d, '{'); err != nil {
		return nil, err
	}
	for d.More() {
		key, err := readKey(d)
		switch {
		case err != nil:
		case key == "url":
			err = read(d, func(text string) (err error) { m.URL, err = locus.Parse(text); return err })
		case key == "title":
			err = d.Decode(&m.Title)
		case key == "form":
			err = read(d, func(f Form) (err error) { m.Form, err = f.read(m.URL); return err })
		case key == "items":
			m.Items = readItems(d)
			return m, readDelim(d, '[')
		default:
			err = d.Decode(new(json.RawMessage))
		}
		if err != nil {
			return nil, menuError(err)
		}
	}
	return nil, ErrMenu
}

// read decodes a value of type T and passes it to use.
func read[T any](d *json.Decoder, use func(T) error) error {
	var v T
	if err := d.Decode(&v); err != nil {
		return err
	}
	return use(v)
}

func readItems(d *json.Decoder) iter.Seq2[scheme.Item, error] {
	return func(yield func(scheme.Item, error) bool) {
		for d.More() {
			var i scheme.Item
			err := menuError(read(d, func(v Item) (err error) { i, err = v.read(); return err }))
			if !yield(i, err) || err != nil {
				return
			}
		}
		if err := readEnd(d); err != nil {
			yield(scheme.Item{}, err)
		}
	}
}

// readEnd reads what follows the items, and returns the error with which they broke off.
func readEnd(d *json.Decoder) error {
	if err := readDelim(d, ']'); err != nil {
		return err
	}
	for d.More() {
		key, err := readKey(d)
		if err != nil {
			return err
		}
		var reason Reason
		if err := d.Decode(&reason); err != nil {
			return menuError(err)
		}
		if key == "error" {
			return &writtenError{reason}
		}
	}
	return readDelim(d, '}')
}

// writtenError is an error that was written and read again.
type writtenError struct{ reason Reason }

func (e *writtenError) Error() string { return string(e.reason.Message) }

// Unwrap is for [access.KindOf].
func (e *writtenError) Unwrap() error {
	switch e.reason.Kind {
	case access.NotFound:
		return scheme.ErrNotFound
	case access.Denied:
		return policy.ErrDenied
	case access.Unreachable:
		return scheme.ErrUnreachable
	case access.Auth:
		return scheme.ErrAuth
	case access.Unsupported:
		return scheme.ErrUnsupported
	case access.TooLarge:
		return scheme.ErrTooLarge
	}
	return scheme.ErrProtocol
}

func (v Item) read() (scheme.Item, error) {
	i := scheme.Item{Title: string(v.Title), Kind: v.Kind, Type: string(v.MediaType), Size: -1, Note: string(v.Note), Fields: v.Fields}
	if v.Size != nil && *v.Size >= 0 {
		i.Size = *v.Size
	}
	if v.Modified != nil {
		i.ModTime = *v.Modified
	}
	var err error
	if v.URL != nil {
		i.URL, err = locus.Parse(string(*v.URL))
	}
	return i, err
}

// read returns the form of the menu at u.
func (v Form) read(u locus.URL) (*scheme.Form, error) {
	f := &scheme.Form{Title: string(v.Title), URL: u, Submit: func([]string) (locus.URL, error) {
		return locus.URL{}, fmt.Errorf("shape: %w: a form from a cache cannot be submitted", scheme.ErrUnsupported)
	}}
	for _, field := range v.Fields {
		choices := make([]string, len(field.Choices))
		for i, choice := range field.Choices {
			choices[i] = string(choice)
		}
		f.Fields = append(f.Fields, scheme.FormField{Kind: field.Kind, Prompt: string(field.Prompt), Default: string(field.Default), Choices: choices})
	}
	var err error
	if v.URL != nil {
		f.URL, err = locus.Parse(string(*v.URL))
	}
	return f, err
}

// UnmarshalJSON implements [json.Unmarshaler]. It keeps the order of the fields.
func (f *Fields) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if err := readDelim(d, '{'); err != nil {
		return err
	}
	for d.More() {
		key, err := readKey(d)
		if err != nil {
			return err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return err
		}
		value, err := readValue(raw)
		if err != nil {
			return err
		}
		*f = append(*f, scheme.Field{Name: key, Value: value})
	}
	return readDelim(d, '}')
}

// readValue reads a value of a field, with the types of [scheme.Field].
func readValue(raw json.RawMessage) (any, error) {
	switch {
	case string(raw) == "null":
		return nil, nil
	case raw[0] == 't' || raw[0] == 'f':
		return raw[0] == 't', nil
	case raw[0] == '"':
		return readAs[string](raw)
	case raw[0] == '[' && bytes.HasPrefix(bytes.TrimLeft(raw[1:], " \t\r\n"), []byte("{")):
		list, err := readAs[[]Fields](raw)
		records := make([][]scheme.Field, len(list))
		for i, record := range list {
			records[i] = record
		}
		return records, err
	case raw[0] == '[':
		return readAs[[]string](raw)
	}
	return readAs[int](raw)
}

func readAs[T any](raw json.RawMessage) (v T, err error) {
	err = json.Unmarshal(raw, &v)
	return v, err
}

func readDelim(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err == nil && token != want {
		err = ErrMenu
	}
	return menuError(err)
}

func readKey(d *json.Decoder) (string, error) {
	token, err := d.Token()
	if err != nil {
		return "", menuError(err)
	}
	text, ok := token.(string)
	if !ok {
		return "", ErrMenu
	}
	return text, nil
}

// menuError returns the error for invalid JSON. Errors of the reader stay as they are.
func menuError(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case err == io.EOF:
		return fmt.Errorf("%w: %w", ErrMenu, io.ErrUnexpectedEOF)
	case errors.As(err, &syntax), errors.As(err, &kind):
		return fmt.Errorf("%w: %w", ErrMenu, err)
	}
	return err
}

// MenuWriter writes a menu as one object, and holds one item at a time: call Begin, Item
// for each, and End.
type MenuWriter struct{ comma bool }

// Begin writes what precedes the items.
func (m *MenuWriter) Begin(w io.Writer, head MenuHead) error {
	var b bytes.Buffer
	if err := Write(&b, head); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("}"))
	b.WriteString(`,"items":[`)
	_, err := w.Write(b.Bytes())
	return err
}

// Item writes an item.
func (m *MenuWriter) Item(w io.Writer, i scheme.Item) error {
	if m.comma {
		if _, err := io.WriteString(w, ","); err != nil {
			return err
		}
	}
	m.comma = true
	return Write(w, NewItem(i))
}

// End writes what follows the items, with "error" if failure is not nil.
func (m *MenuWriter) End(w io.Writer, failure *Reason) error {
	if failure == nil {
		_, err := io.WriteString(w, "]}\n")
		return err
	}
	var b bytes.Buffer
	b.WriteString(`],"error":`)
	if err := Write(&b, failure); err != nil {
		return err
	}
	b.WriteString("}\n")
	_, err := w.Write(b.Bytes())
	return err
}
