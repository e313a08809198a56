package roundtrip

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// text is octets as a JSON string.
type text string

func (t text) MarshalText() ([]byte, error) { return []byte(term.Characters(string(t))), nil }

type menuJSON struct {
	URL   locus.URL  `json:"url"`
	Found *locus.URL `json:"found,omitempty"` // where referrals led, if elsewhere
	Kind  string     `json:"kind"`
	Title text       `json:"title,omitempty"`
	Form  *formJSON  `json:"form,omitempty"`
}

type formJSON struct {
	Title  text        `json:"title"`
	Fields []fieldJSON `json:"fields"`
}

type fieldJSON struct {
	Kind    scheme.FieldKind `json:"kind"`
	Prompt  text             `json:"prompt"`
	Default text             `json:"default"`
	Choices []text           `json:"choices,omitempty"`
}

type itemJSON struct {
	URL       *locus.URL      `json:"url"`
	Title     text            `json:"title"`
	Kind      scheme.ItemKind `json:"kind"`
	MediaType text            `json:"mediaType,omitempty"`
	Charset   string          `json:"charset,omitempty"` // the title's, if it is not UTF-8
	Size      *int64          `json:"size,omitempty"`
	Modified  *time.Time      `json:"modified,omitempty"`
	Note      text            `json:"note,omitempty"`
}

type errorJSON struct {
	Kind    access.Kind `json:"kind"`
	Message text        `json:"message"`
}

func describeForm(f *scheme.Form) *formJSON {
	if f == nil {
		return nil
	}
	d := &formJSON{Title: text(f.Title), Fields: make([]fieldJSON, len(f.Fields))}
	for i, field := range f.Fields {
		d.Fields[i] = fieldJSON{Kind: field.Kind, Prompt: text(field.Prompt)}
		if !field.Secret() {
			d.Fields[i].Default = text(field.Default)
		}
		for _, choice := range field.Choices {
			d.Fields[i].Choices = append(d.Fields[i].Choices, text(choice))
		}
	}
	return d
}

func describeItem(i scheme.Item) itemJSON {
	d := itemJSON{Title: text(i.Title), Kind: i.Kind, MediaType: text(i.Type), Note: text(i.Note)}
	if !i.URL.IsZero() {
		u := i.URL.WithoutPassword()
		d.URL = &u
	}
	if !utf8.ValidString(i.Title) {
		d.Charset = "iso-8859-1"
	}
	if i.Size >= 0 {
		d.Size = &i.Size
	}
	if !i.ModTime.IsZero() {
		modified := i.ModTime.UTC()
		d.Modified = &modified
	}
	return d
}

// jsonWriter writes a menu as one object, with "items" last, and behind them
// "error" if they broke off.
type jsonWriter struct {
	page
	comma bool
}

func (w *jsonWriter) begin(b *bytes.Buffer) error {
	d := menuJSON{URL: w.asked, Kind: "menu", Title: text(w.title), Form: describeForm(w.form)}
	if w.at != w.asked {
		d.Found = &w.at
	}
	if err := writeValue(b, d); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("}"))
	b.WriteString(`,"items":[`)
	return nil
}

func (w *jsonWriter) item(b *bytes.Buffer, i scheme.Item) error {
	if w.comma {
		b.WriteByte(',')
	}
	w.comma = true
	return writeValue(b, describeItem(i))
}

func (w *jsonWriter) end(b *bytes.Buffer, err error) error {
	b.WriteByte(']')
	if err != nil {
		b.WriteString(`,"error":`)
		if err := writeValue(b, errorJSON{access.KindOf(err), text(err.Error())}); err != nil {
			return err
		}
	}
	b.WriteString("}\n")
	return nil
}

// writeValue writes v as URLs are read: "&" is "&".
func writeValue(b *bytes.Buffer, v any) error {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	b.Truncate(b.Len() - len("\n"))
	return nil
}
