package gateway_test

import "testing"

// A field that may stand only once, and stands twice, is refused: one reader may take the
// first and another one the last.
func TestRepeatedFields(t *testing.T) {
	w := start(t, open)
	for _, name := range []string{"Content-Type", "Range", "Origin", "Authorization"} {
		if a := w.get("/healthz", name, "a", name, "b"); a.StatusCode != 400 {
			t.Errorf("%s: %s", name, a.Status)
		}
	}
}
