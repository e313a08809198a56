package main

import (
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/scheme"
)

// found is what was asked for, and where it was in the end.
type found struct{ asked, at locus.URL }

// resourceJSON begins the description of every resource.
type resourceJSON = shape.Resource

func (f found) describe(kind string) resourceJSON { return shape.NewResource(f.asked, f.at, kind) }

type objectJSON struct {
	resourceJSON
	Part      string     `json:"part,omitempty"` // of a message
	MediaType *text      `json:"mediaType"`
	Encoding  text       `json:"encoding,omitempty"` // the content coding that the octets are in
	Size      *int64     `json:"size"`
	Modified  *time.Time `json:"modified"`
	File      text       `json:"file,omitempty"`
	Resumed   int64      `json:"resumed,omitempty"`   // octets that were there before
	Discarded int64      `json:"discarded,omitempty"` // octets of an earlier part that were fetched again
	Skipped   bool       `json:"skipped,omitempty"`   // the file was there already
	Note      text       `json:"note,omitempty"`

	Message *messageJSON `json:"message,omitempty"` // if it is one
}

func describe(f found, o *scheme.Object) objectJSON {
	d := objectJSON{resourceJSON: f.describe("object"), Size: known(o.Size), Modified: at(o.ModTime), MediaType: present(o.Type, o.Type != ""), Note: text(o.Note), Encoding: text(o.Encoding)}
	return d
}

// menuJSON writes a menu as one object, but never holds more than an item of it.
// If an error ends the items, the object has it in "error" behind those that
// came before.
func (v *viewer) menuJSON(f found, m *scheme.Menu) error {
	var w shape.MenuWriter
	out := v.a.out
	if err := w.Begin(out, shape.MenuHead{Resource: f.describe("menu"), Title: text(m.Title), Note: text(m.Note), Form: describeForm(m.Form, f.asked)}); err != nil {
		return err
	}
	var failure *reasonJSON
	for item, err := range m.Items {
		if err != nil {
			reason := newReasonJSON(err)
			v.a.raise(statusOf(reason.Kind))
			failure = &reason
			break
		}
		if err := w.Item(out, item); err != nil {
			return err
		}
	}
	return w.End(out, failure)
}

func describeReferral(f found, r *scheme.Referral) any {
	return shape.NewReferral(f.describe("referral"), r)
}

func known(n int64) *int64 { return shape.Known(n) }

func at(t time.Time) *time.Time { return shape.At(t) }

type (
	// accessJSON tells that a URL came to nothing.
	accessJSON = shape.Failed
	reasonJSON = shape.Reason
)
