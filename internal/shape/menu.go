package shape

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// ErrMenu means that JSON text is not a valid menu.
var ErrMenu = errors.New("shape: invalid menu")

// ReadMenu parses a menu that [MenuWriter] wrote with Stored. ReadMenu reads the keys before the
// items immediately, and the items on demand. finalURL is the URL after redirects, or the zero
// URL if the URL was not redirected. ReadMenu restores the bytes of URLs and of titles that are
// not UTF-8. If the menu contains a form, the caller can't submit the form. If the items are
// incomplete, the iteration over the items ends with an error, which has the [access.Kind] that
// the JSON contains.
func ReadMenu(r io.Reader) (m *scheme.Menu, finalURL locus.URL, err error) {
	d := json.NewDecoder(r)
	m = &scheme.Menu{}
	err = readDelim(d, '{')
	if err == nil {
		err = readMembers(d, func(key string) error {
			switch key {
			case "url":
				return decodeValue(d, func(text string) (err error) { m.URL, err = locus.Parse(encodeLatin1(text)); return err })
			case "found":
				return decodeValue(d, func(text string) (err error) { finalURL, err = locus.Parse(encodeLatin1(text)); return err })
			case "title":
				return d.Decode(&m.Title)
			case "form":
				return decodeValue(d, func(f Form) (err error) { m.Form, err = f.read(m.URL); return err })
			case "items":
				m.Items = readItems(d)
				return cmp.Or(readDelim(d, '['), errItems)
			}
			return d.Decode(new(json.RawMessage))
		})
	}
	if err == errItems {
		return m, finalURL, nil
	}
	return nil, finalURL, menuError(cmp.Or(err, ErrMenu))
}

// errItems ends the parsing of the keys before the items.
var errItems = errors.New("shape: items follow")

// decodeValue decodes a value of type T and calls handle with the value.
func decodeValue[T any](d *json.Decoder, handle func(T) error) error {
	var v T
	if err := d.Decode(&v); err != nil {
		return err
	}
	return handle(v)
}

func readItems(d *json.Decoder) iter.Seq2[scheme.Item, error] {
	return func(yield func(scheme.Item, error) bool) {
		for d.More() {
			var i scheme.Item
			err := decodeValue(d, func(v Item) (err error) { i, err = v.read(); return err })
			if !yield(i, menuError(err)) || err != nil {
				return
			}
		}
		err := readDelim(d, ']')
		if err == nil {
			err = readMembers(d, func(key string) error {
				return decodeValue(d, func(reason Reason) error {
					if key == "error" {
						return &writtenError{reason}
					}
					return nil
				})
			})
		}
		if err != nil {
			yield(scheme.Item{}, menuError(err))
		}
	}
}

// writtenError is an error that was read from JSON.
type writtenError struct{ reason Reason }

func (e *writtenError) Error() string { return string(e.reason.Message) }

// Unwrap supports [access.KindOf].
func (e *writtenError) Unwrap() error {
	return cmp.Or(sentinels[e.reason.Kind], scheme.ErrProtocol)
}

// sentinels maps each kind except [access.Protocol] to an error for which [access.KindOf] returns
// that kind.
var sentinels = map[access.Kind]error{
	access.NotFound: scheme.ErrNotFound, access.Denied: policy.ErrDenied, access.Unreachable: scheme.ErrUnreachable,
	access.Auth: scheme.ErrAuth, access.Unsupported: scheme.ErrUnsupported, access.TooLarge: scheme.ErrTooLarge,
	access.Timeout: os.ErrDeadlineExceeded, access.Interrupted: context.Canceled, access.Syntax: new(locus.SyntaxError),
}

func (v Item) read() (scheme.Item, error) {
	i := scheme.Item{Title: string(v.Title), Kind: v.Kind, Type: string(v.MediaType), Size: -1, Note: string(v.Note), Fields: v.Fields}
	if v.Size != nil && *v.Size >= 0 {
		i.Size = *v.Size
	}
	if v.Modified != nil {
		i.ModTime = *v.Modified
	}
	if v.Charset == Latin1 {
		i.Title = encodeLatin1(i.Title)
	}
	var err error
	if v.URL != nil {
		i.URL, err = locus.Parse(encodeLatin1(string(*v.URL)))
	}
	return i, err
}

// decodeLatin1 decodes octets as ISO Latin 1.
func decodeLatin1(octets Text) Text {
	text := make([]rune, len(octets))
	for i := range len(octets) {
		text[i] = rune(octets[i])
	}
	return Text(text)
}

// encodeLatin1 encodes text as ISO Latin 1. Characters outside ISO Latin 1 stay in UTF-8.
func encodeLatin1(text string) string {
	var octets []byte
	for _, r := range text {
		if r > 0xFF {
			octets = utf8.AppendRune(octets, r)
			continue
		}
		octets = append(octets, byte(r))
	}
	return string(octets)
}

func (v Form) read(u locus.URL) (*scheme.Form, error) {
	f := &scheme.Form{Title: string(v.Title), URL: u, Submit: func([]string) (locus.URL, error) {
		return locus.URL{}, fmt.Errorf("shape: %w: cannot submit a cached form", scheme.ErrUnsupported)
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
		f.URL, err = locus.Parse(encodeLatin1(string(*v.URL)))
	}
	return f, err
}

// UnmarshalJSON implements [json.Unmarshaler]. UnmarshalJSON preserves the order of the
// fields.
func (f *Fields) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if err := readDelim(d, '{'); err != nil {
		return err
	}
	return readMembers(d, func(key string) error {
		return decodeValue(d, func(raw json.RawMessage) error {
			value, err := readValue(raw)
			*f = append(*f, scheme.Field{Name: key, Value: value})
			return err
		})
	})
}

// readValue reads a field value, with the types in [scheme.Field].
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
	return err
}

// readMembers reads the remaining members of an object, and its end.
func readMembers(d *json.Decoder, member func(key string) error) error {
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		if err := member(fmt.Sprint(key)); err != nil {
			return err
		}
	}
	return readDelim(d, '}')
}

// menuError returns the error for invalid JSON. menuError does not change errors of the
// reader.
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

// MenuWriter writes a menu as one JSON object and buffers one item at a time. The caller
// must call Begin, then Item for each item, then End.
type MenuWriter struct {
	Stored bool // write all URLs as ISO Latin 1, which preserves their bytes, so that ReadMenu can read the menu
	comma  bool
}

// Begin writes the text before the items.
func (m *MenuWriter) Begin(w io.Writer, head MenuHead) error {
	if m.Stored {
		head.URL, head.Found = decodeLatin1(head.URL), decodeLatin1(head.Found)
		if head.Form != nil && head.Form.URL != nil {
			form, u := *head.Form, decodeLatin1(*head.Form.URL)
			form.URL = &u
			head.Form = &form
		}
	}
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
	d := NewItem(i)
	if m.Stored && d.URL != nil {
		u := decodeLatin1(*d.URL)
		d.URL = &u
	}
	return Write(w, d)
}

// End writes the text after the items. If failure is not nil, the text contains the member
// "error".
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
