package roundtrip

import (
	"bytes"

	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/scheme"
)

// jsonWriter writes a menu as the object that "locus get --json" does.
type jsonWriter struct {
	page
	menu shape.MenuWriter
}

func (w *jsonWriter) begin(b *bytes.Buffer) error {
	return w.menu.Begin(b, shape.MenuHead{
		Resource: shape.NewResource(w.asked, w.at, "menu"),
		Title:    shape.Text(w.title),
		Form:     shape.NewForm(w.form, w.asked, nil),
	})
}

func (w *jsonWriter) item(b *bytes.Buffer, i scheme.Item) error { return w.menu.Item(b, i) }

func (w *jsonWriter) end(b *bytes.Buffer, err error) error {
	if err == nil {
		return w.menu.End(b, nil)
	}
	reason := shape.NewReason(err)
	return w.menu.End(b, &reason)
}
