package base

import (
	"encoding/json"
)

// WriteJSON writes v as one line of standard output.
func (a *App) WriteJSON(v any) {
	e := json.NewEncoder(a.Out)
	e.SetEscapeHTML(false)
	// An error of the output is remembered below, and no value here has another.
	_ = e.Encode(v)
}
