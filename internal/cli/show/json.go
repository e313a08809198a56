package show

import (
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/form"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/scheme"
)

// Found is what was asked for, and where it was in the end.
type Found struct{ Asked, At locus.URL }

// resourceJSON begins the description of every resource.
type resourceJSON = shape.Resource

func (f Found) Describe(kind string) shape.Resource { return shape.NewResource(f.Asked, f.At, kind) }

type ObjectJSON struct {
	shape.Resource
	Part      string      `json:"part,omitempty"` // of a message
	MediaType *shape.Text `json:"mediaType"`
	Encoding  shape.Text  `json:"encoding,omitempty"` // the content coding that the octets are in
	Size      *int64      `json:"size"`
	Modified  *time.Time  `json:"modified"`
	File      shape.Text  `json:"file,omitempty"`
	Resumed   int64       `json:"resumed,omitempty"`   // octets that were there before
	Discarded int64       `json:"discarded,omitempty"` // octets of an earlier part that were fetched again
	Skipped   bool        `json:"skipped,omitempty"`   // the file was there already
	Note      shape.Text  `json:"note,omitempty"`

	Message *messageJSON `json:"message,omitempty"` // if it is one
}

func DescribeObject(f Found, o *scheme.Object) ObjectJSON {
	d := ObjectJSON{Resource: f.Describe("object"), Size: shape.Known(o.Size), Modified: shape.At(o.ModTime), MediaType: shape.Present(o.Type, o.Type != ""), Note: shape.Text(o.Note), Encoding: shape.Text(o.Encoding)}
	return d
}

// menuJSON writes a menu as one object, but never holds more than an item of it.
// If an error ends the items, the object has it in "error" behind those that
// came before.
func (v *Viewer) menuJSON(f Found, m *scheme.Menu) error {
	var w shape.MenuWriter
	out := v.App.Out
	if err := w.Begin(out, shape.MenuHead{Resource: f.Describe("menu"), Title: shape.Text(m.Title), Note: shape.Text(m.Note), Form: form.JSON(m.Form, f.Asked)}); err != nil {
		return err
	}
	var failure *shape.Reason
	for item, err := range m.Items {
		if err != nil {
			reason := base.NewReason(err)
			v.App.RaiseStatus(base.StatusOf(reason.Kind))
			failure = &reason
			break
		}
		if err := w.Item(out, item); err != nil {
			return err
		}
	}
	return w.End(out, failure)
}

func describeReferral(f Found, r *scheme.Referral) any {
	return shape.NewReferral(f.Describe("referral"), r)
}
