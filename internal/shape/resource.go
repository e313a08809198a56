package shape

import (
	"time"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

// Resource holds the keys with which the JSON of every resource begins.
type Resource struct {
	URL   Text   `json:"url"`
	Found Text   `json:"found,omitempty"` // URL after redirects, if different
	Kind  string `json:"kind"`
}

// NewResource describes the resource of the requested URL. finalURL is the URL after redirects,
// or the zero URL if the URL was not redirected.
func NewResource(requested, finalURL locus.URL, kind string) Resource {
	d := Resource{URL: Text(requested.Shown()), Kind: kind}
	if !finalURL.IsZero() && finalURL != requested {
		d.Found = Text(finalURL.Shown())
	}
	return d
}

// Object describes an object, without the object's data.
type Object struct {
	Resource
	MediaType *Text      `json:"mediaType"`
	Size      *int64     `json:"size"`
	Modified  *time.Time `json:"modified"`
	Note      Text       `json:"note,omitempty"`
}

// Item describes an item of a menu.
type Item struct {
	URL       *Text           `json:"url"`
	Title     Text            `json:"title"`
	Kind      scheme.ItemKind `json:"kind"`
	MediaType Text            `json:"mediaType,omitempty"`
	Charset   string          `json:"charset,omitempty"` // charset of a title that is not UTF-8
	Size      *int64          `json:"size,omitempty"`
	Modified  *time.Time      `json:"modified,omitempty"`
	Note      Text            `json:"note,omitempty"`
	Fields    Fields          `json:"fields,omitempty"` // fields whose names depend on the scheme
}

// Latin1 is the charset for decoding bytes that are not valid UTF-8.
const Latin1 = "iso-8859-1"

// NewItem describes an item.
func NewItem(i scheme.Item) Item {
	d := Item{
		URL:       Present(i.URL.WithoutPassword().String(), !i.URL.IsZero()),
		Title:     Text(i.Title),
		Kind:      i.Kind,
		MediaType: Text(i.Type),
		Size:      Known(i.Size),
		Modified:  At(i.ModTime),
		Note:      Text(i.Note),
		Fields:    i.Fields,
	}
	if !utf8.ValidString(i.Title) {
		d.Charset = Latin1
	}
	return d
}

// Form describes a form.
type Form struct {
	URL    *Text       `json:"url,omitempty"` // form URL, if different from the menu's URL
	Title  Text        `json:"title"`
	Fields []FormField `json:"fields"`
}

// FormField describes a field in a form.
type FormField struct {
	Number  int              `json:"number,omitempty"` // counts from 1; omitted for a note, which is not counted
	Kind    scheme.FieldKind `json:"kind"`
	Prompt  Text             `json:"prompt"`
	Default Text             `json:"default"`
	Choices []Text           `json:"choices,omitempty"`
}

// NewForm describes the form of the menu at u. If f is nil, NewForm returns nil. defaultAnswers
// holds the default answers. If defaultAnswers is nil, NewForm uses the form's own defaults.
// NewForm omits secret defaults.
func NewForm(f *scheme.Form, u locus.URL, defaultAnswers []string) *Form {
	if f == nil {
		return nil
	}
	d := &Form{Title: Text(f.Title), Fields: make([]FormField, len(f.Fields))}
	if !f.URL.IsZero() && f.URL != u {
		d.URL = Present(f.URL.WithoutPassword().String(), true)
	}
	number := 0
	for i, field := range f.Fields {
		d.Fields[i] = FormField{Kind: field.Kind, Prompt: Text(field.Prompt)}
		if field.Kind != scheme.FieldNote {
			number++
			d.Fields[i].Number = number
		}
		switch {
		case field.Secret():
		case defaultAnswers != nil:
			d.Fields[i].Default = Text(defaultAnswers[i])
		default:
			d.Fields[i].Default = Text(field.Default)
		}
		for _, choice := range field.Choices {
			d.Fields[i].Choices = append(d.Fields[i].Choices, Text(choice))
		}
	}
	return d
}

// MenuHead holds the keys of a menu that precede the items.
type MenuHead struct {
	Resource
	Title Text  `json:"title,omitempty"`
	Form  *Form `json:"form,omitempty"`
	Note  Text  `json:"note,omitempty"`
}

// Reason describes the cause of a failure.
type Reason struct {
	Kind    access.Kind `json:"kind"`
	Message Text        `json:"message"`
}

// NewReason describes err.
func NewReason(err error) Reason {
	return Reason{access.KindOf(err), Text(locus.MaskText(err.Error()))}
}

// Failed is the result for a URL that could not be opened.
type Failed struct {
	URL   Text   `json:"url"`
	Error Reason `json:"error"`
}

// Redirect is the result for a URL with a redirect that was not followed.
type Redirect struct {
	Resource
	To        []Text `json:"to"`
	Permanent bool   `json:"permanent"`
}

// NewRedirect describes a redirect.
func NewRedirect(d Resource, r *scheme.Redirect) Redirect {
	to := make([]Text, len(r.To))
	for i, u := range r.To {
		to[i] = Text(u.WithoutPassword().String())
	}
	return Redirect{d, to, r.Permanent}
}
