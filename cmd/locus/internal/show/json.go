package show

import (
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/cmd/locus/internal/form"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/scheme"
)

// Found holds the URL that the user requested and the final URL after redirects.
type Found struct{ Asked, At locus.URL }

// Describe returns a JSON description of a resource, which contains only the URLs and the kind.
func (f Found) Describe(kind string) shape.Resource { return shape.NewResource(f.Asked, f.At, kind) }

// ObjectJSON describes an object. Unknown fields are null or missing.
type ObjectJSON struct {
	shape.Resource
	Part      string      `json:"part,omitempty"` // number or name of the message part
	MediaType *shape.Text `json:"mediaType"`
	Encoding  shape.Text  `json:"encoding,omitempty"` // content coding of the data
	Size      *int64      `json:"size"`
	Modified  *time.Time  `json:"modified"`
	File      shape.Text  `json:"file,omitempty"`
	Resumed   int64       `json:"resumed,omitempty"`   // number of bytes that an earlier run downloaded
	Discarded int64       `json:"discarded,omitempty"` // number of bytes of an earlier download that were downloaded again
	Skipped   bool        `json:"skipped,omitempty"`   // the file already existed
	Note      shape.Text  `json:"note,omitempty"`

	Message *messageJSON `json:"message,omitempty"` // description of the message, if the object is a message
}

// DescribeObject returns the JSON description of an object.
func DescribeObject(f Found, o *scheme.Object) ObjectJSON {
	return ObjectJSON{Resource: f.Describe("object"), Size: shape.Known(o.Size), Modified: shape.At(o.ModTime), MediaType: shape.Present(o.Type, o.Type != ""), Note: shape.Text(o.Note), Encoding: shape.Text(o.Encoding)}
}

// menuJSON writes a menu as one JSON object, item by item. If an error ends the menu early, the
// member "error" follows the items.
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
