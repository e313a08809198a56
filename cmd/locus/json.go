package main

import (
	"encoding/json"

	"github.com/locus-url/locus/internal/shape"
)

// writeJSON writes v as one line of standard output.
func (a *app) writeJSON(v any) {
	e := json.NewEncoder(a.out)
	e.SetEscapeHTML(false)
	// An error of the output is remembered below, and no value here has another.
	_ = e.Encode(v)
}

// What JSON is made of, by the names that the subcommands have for it.
type (
	text      = shape.Text
	errorJSON = shape.Error
)

// present is a part of a URL as JSON: null if it is absent.
func present[T ~string](part T, ok bool) *text { return shape.Present(part, ok) }

func texts(list []string) []text { return shape.Texts(list) }

func newErrorJSON(err error) errorJSON { return shape.NewError(err) }
