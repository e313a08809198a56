package main

import (
	"bytes"
	"encoding/json"
	"io"
	"time"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// found is what was asked for, and where it was in the end.
type found struct{ asked, at locus.URL }

// resourceJSON begins the description of every resource.
type resourceJSON struct {
	URL   text   `json:"url"`
	Found text   `json:"found,omitempty"` // where referrals led, if elsewhere
	Kind  string `json:"kind"`
}

func (f found) describe(kind string) resourceJSON {
	d := resourceJSON{URL: text(f.asked.Redacted()), Kind: kind}
	if !f.at.IsZero() && f.at != f.asked {
		d.Found = text(f.at.Redacted())
	}
	return d
}

type objectJSON struct {
	resourceJSON
	Part      string     `json:"part,omitempty"` // of a message
	MediaType *text      `json:"mediaType"`
	Size      *int64     `json:"size"`
	Modified  *time.Time `json:"modified"`
	File      text       `json:"file,omitempty"`
	Resumed   int64      `json:"resumed,omitempty"` // octets that were there before
	Skipped   bool       `json:"skipped,omitempty"` // the file was there already
	Note      text       `json:"note,omitempty"`

	Message *messageJSON `json:"message,omitempty"` // if it is one
}

func describe(f found, o *scheme.Object) objectJSON {
	d := objectJSON{resourceJSON: f.describe("object"), Size: known(o.Size), Modified: at(o.ModTime), MediaType: present(o.Type, o.Type != ""), Note: text(o.Note)}
	return d
}

// describeFile tells of a resource that was written to a file.
func (g *getter) describeFile(r transfer.Result, file string) any {
	f := found{r.Job.URL, r.URL}
	d := objectJSON{resourceJSON: f.describe("object")}
	switch resource := r.Resource.(type) {
	case *scheme.Object:
		d = describe(f, resource)
		d.Part = g.part
		if isMessage(resource.Type) {
			d.Message = describeStored(resource.URL, file)
		}
	case *scheme.Menu:
		return struct {
			resourceJSON
			File text `json:"file"`
		}{f.describe("menu"), text(file)}
	}
	d.Size, d.File, d.Resumed, d.Skipped = &r.Size, text(file), r.Resumed, r.Skipped
	return d
}

type itemJSON struct {
	URL       *text           `json:"url"`
	Title     text            `json:"title"`
	Kind      scheme.ItemKind `json:"kind"`
	MediaType text            `json:"mediaType,omitempty"`
	Charset   string          `json:"charset,omitempty"` // the title's, if it is not UTF-8
	Size      *int64          `json:"size,omitempty"`
	Modified  *time.Time      `json:"modified,omitempty"`
	Note      text            `json:"note,omitempty"`
	Fields    fields          `json:"fields,omitempty"` // what else is known, by scheme
}

func describeItem(item scheme.Item) itemJSON {
	d := itemJSON{
		URL:       present(item.URL.WithoutPassword().String(), !item.URL.IsZero()),
		Title:     text(item.Title),
		Kind:      item.Kind,
		MediaType: text(item.Type),
		Size:      known(item.Size),
		Modified:  at(item.ModTime),
		Note:      text(item.Note),
		Fields:    item.Fields,
	}
	if !utf8.ValidString(item.Title) {
		d.Charset = latin1
	}
	return d
}

// accessJSON tells that a URL came to nothing.
type accessJSON struct {
	URL   text       `json:"url"`
	Error reasonJSON `json:"error"`
}

type reasonJSON struct {
	Kind    access.Kind `json:"kind"`
	Message text        `json:"message"`
}

func newReasonJSON(err error) reasonJSON { return reasonJSON{kindOf(err), text(err.Error())} }

// menuJSON writes a menu as one object, but never holds more than an item of it.
// If an error ends the items, the object has it in "error" behind those that
// came before.
func (g *getter) menuJSON(f found, m *scheme.Menu) error {
	head, err := json.Marshal(struct {
		resourceJSON
		Title text      `json:"title,omitempty"`
		Form  *formJSON `json:"form,omitempty"`
	}{f.describe("menu"), text(m.Title), describeForm(m.Form)})
	if err != nil {
		return err
	}
	w := g.a.out
	w.Write(bytes.TrimSuffix(head, []byte("}")))
	w.WriteString(`,"items":[`)
	separator := ""
	var failure error
	for item, err := range m.Items {
		if err != nil {
			failure = err
			break
		}
		w.WriteString(separator)
		separator = ","
		if err := writeValue(w, describeItem(item)); err != nil {
			return err
		}
	}
	w.WriteString("]")
	if failure != nil {
		reason := newReasonJSON(failure)
		g.a.raise(statusOf(reason.Kind))
		w.WriteString(`,"error":`)
		if err := writeValue(w, reason); err != nil {
			return err
		}
	}
	_, err = w.WriteString("}\n")
	return err
}

func describeReferral(f found, r *scheme.Referral) any {
	to := make([]text, len(r.To))
	for i, u := range r.To {
		to[i] = text(u.WithoutPassword().String())
	}
	return struct {
		resourceJSON
		To        []text `json:"to"`
		Permanent bool   `json:"permanent"`
	}{f.describe("referral"), to, r.Permanent}
}

func known(n int64) *int64 {
	if n < 0 {
		return nil
	}
	return &n
}

func at(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// writeValue writes v as URLs are read: "&" is "&".
func writeValue(w io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return err
}
