package get

import (
	"github.com/locus-url/locus/internal/cli/show"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

func (g *getter) describeFile(r transfer.Result, file string) any {
	f := show.Found{Asked: r.Job.URL, At: r.URL}
	d := show.ObjectJSON{Resource: f.Describe("object")}
	switch resource := r.Resource.(type) {
	case *scheme.Object:
		d = show.DescribeObject(f, resource)
		d.Part = g.Part
		if show.IsMessage(resource.Type) {
			d.Message = show.DescribeStored(g.App.Registry.Scheme(resource.URL).Traits.Has(scheme.News), file)
		}
	case *scheme.Menu:
		return struct {
			shape.Resource
			File shape.Text `json:"file"`
		}{f.Describe("menu"), shape.Text(file)}
	}
	d.Size, d.File, d.Resumed, d.Discarded, d.Skipped = &r.Size, shape.Text(file), r.Resumed, r.Discarded, r.Skipped
	return d
}
