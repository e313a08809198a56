package base

import (
	"encoding/json"
)

// WriteJSON writes v as one line of standard output.
func (a *App) WriteJSON(v any) {
	e := json.NewEncoder(a.Out)
	e.SetEscapeHTML(false)
	// The sink keeps an error of the output, and encoding has none.
	_ = e.Encode(v)
}
