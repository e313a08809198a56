package main

import (
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

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
	d.Size, d.File, d.Resumed, d.Discarded, d.Skipped = &r.Size, text(file), r.Resumed, r.Discarded, r.Skipped
	return d
}
