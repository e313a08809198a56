package shape

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// ErrMenu is that what is read is no menu in JSON.
var ErrMenu = errors.New("shape: this is no menu")

// ReadMenu reads a menu that [MenuWriter] wrote: its head at once, and its items
// when they are asked for, one at a time. Texts are UTF-8 then, whatever the server
// wrote. A form can't be submitted: that takes the menu itself. The error with
// which the items broke off is one that [access.KindOf] knows.
func ReadMenu(r io.Reader) (*scheme.Menu, error) {
	d := json.NewDecoder(r)
	m := &scheme.Menu{}
	if err := delim(d, '{'); err != nil {
		return nil, err
	}
	for d.More() {
		key, err := name(d)
		if err != nil {
			return nil, err
		}
		if key == "items" {
			if err := delim(d, '['); err != nil {
				return nil, err
			}
			m.Items = items(d)
			return m, nil
		}
		if err := readHead(d, key, m); err != nil {
			return nil, err
		}
	}
	return nil, ErrMenu
}

func readHead(d *json.Decoder, key string, m *scheme.Menu) error {
	var err error
	switch key {
	case "url":
		m.URL, err = readURL(d)
	case "title":
		err = d.Decode(&m.Title)
	case "form":
		m.Form, err = readForm(d)
	default:
		err = d.Decode(new(json.RawMessage))
	}
	if m.Form != nil && m.Form.URL.IsZero() {
		m.Form.URL = m.URL
	}
	return wrap(err)
}

func items(d *json.Decoder) iter.Seq2[scheme.Item, error] {
	return func(yield func(scheme.Item, error) bool) {
		for d.More() {
			i, err := readItem(d)
			if !yield(i, err) || err != nil {
				return
			}
		}
		if err := end(d); err != nil {
			yield(scheme.Item{}, err)
		}
	}
}

// end reads what is behind the items.
func end(d *json.Decoder) error {
	if err := delim(d, ']'); err != nil {
		return err
	}
	for d.More() {
		key, err := name(d)
		if err != nil {
			return err
		}
		var reason Reason
		if err := d.Decode(&reason); err != nil {
			return wrap(err)
		}
		if key == "error" {
			return &toldError{reason}
		}
	}
	return delim(d, '}')
}

// toldError is an error that was written down and read again.
type toldError struct{ reason Reason }

func (e *toldError) Error() string { return string(e.reason.Message) }

// Unwrap returns what [access.KindOf] goes by.
func (e *toldError) Unwrap() error {
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

// readItem reads an [Item].
func readItem(d *json.Decoder) (scheme.Item, error) {
	var v struct {
		URL       *string         `json:"url"`
		Title     string          `json:"title"`
		Kind      scheme.ItemKind `json:"kind"`
		MediaType string          `json:"mediaType"`
		Size      *int64          `json:"size"`
		Modified  *time.Time      `json:"modified"`
		Note      string          `json:"note"`
		Fields    json.RawMessage `json:"fields"`
	}
	if err := d.Decode(&v); err != nil {
		return scheme.Item{}, wrap(err)
	}
	i := scheme.Item{Title: v.Title, Kind: v.Kind, Type: v.MediaType, Size: -1, Note: v.Note}
	if v.Size != nil && *v.Size >= 0 {
		i.Size = *v.Size
	}
	if v.Modified != nil {
		i.ModTime = *v.Modified
	}
	var err error
	if v.URL != nil {
		i.URL, err = locus.Parse(*v.URL)
	}
	if err == nil && v.Fields != nil {
		i.Fields, err = readFields(json.NewDecoder(bytes.NewReader(v.Fields)))
	}
	return i, wrap(err)
}

// readFields reads [Fields], in their order.
func readFields(d *json.Decoder) ([]scheme.Field, error) {
	d.UseNumber()
	if err := delim(d, '{'); err != nil {
		return nil, err
	}
	var list []scheme.Field
	for d.More() {
		key, err := name(d)
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, wrap(err)
		}
		value, err := readValue(raw)
		if err != nil {
			return nil, err
		}
		list = append(list, scheme.Field{Name: key, Value: value})
	}
	return list, delim(d, '}')
}

// readValue reads a value of a field as [scheme.Field] has it.
func readValue(raw json.RawMessage) (any, error) {
	text := strings.TrimSpace(string(raw))
	switch {
	case text == "null":
		return nil, nil
	case text == "true", text == "false":
		return text == "true", nil
	case strings.HasPrefix(text, `"`):
		var s string
		err := json.Unmarshal(raw, &s)
		return s, wrap(err)
	case strings.HasPrefix(text, "["):
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, wrap(err)
		}
		return readList(list)
	}
	var n int
	err := json.Unmarshal(raw, &n)
	return n, wrap(err)
}

func readList(list []json.RawMessage) (any, error) {
	if len(list) > 0 && strings.HasPrefix(string(list[0]), "{") {
		records := make([][]scheme.Field, len(list))
		for i, raw := range list {
			var err error
			if records[i], err = readFields(json.NewDecoder(bytes.NewReader(raw))); err != nil {
				return nil, err
			}
		}
		return records, nil
	}
	texts := make([]string, len(list))
	for i, raw := range list {
		if err := json.Unmarshal(raw, &texts[i]); err != nil {
			return nil, wrap(err)
		}
	}
	return texts, nil
}

func readForm(d *json.Decoder) (*scheme.Form, error) {
	var v struct {
		URL    string `json:"url"`
		Title  string `json:"title"`
		Fields []struct {
			Kind    scheme.FieldKind `json:"kind"`
			Prompt  string           `json:"prompt"`
			Default string           `json:"default"`
			Choices []string         `json:"choices"`
		} `json:"fields"`
	}
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	f := &scheme.Form{Title: v.Title, Submit: func([]string) (locus.URL, error) {
		return locus.URL{}, fmt.Errorf("shape: %w: a form that was written down can't be submitted", scheme.ErrUnsupported)
	}}
	for _, field := range v.Fields {
		f.Fields = append(f.Fields, scheme.FormField{Kind: field.Kind, Prompt: field.Prompt, Default: field.Default, Choices: field.Choices})
	}
	var err error
	if v.URL != "" {
		f.URL, err = locus.Parse(v.URL)
	}
	return f, err
}

func readURL(d *json.Decoder) (locus.URL, error) {
	var text string
	if err := d.Decode(&text); err != nil {
		return locus.URL{}, err
	}
	return locus.Parse(text)
}

func delim(d *json.Decoder, want json.Delim) error {
	token, err := d.Token()
	if err != nil {
		return wrap(err)
	}
	if token != want {
		return ErrMenu
	}
	return nil
}

func name(d *json.Decoder) (string, error) {
	token, err := d.Token()
	if err != nil {
		return "", wrap(err)
	}
	text, ok := token.(string)
	if !ok {
		return "", ErrMenu
	}
	return text, nil
}

// wrap makes the error of something that is no JSON; one of the reader stays what
// it is.
func wrap(err error) error {
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
