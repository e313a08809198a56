package gateway_test

import "testing"

// The gateway rejects a repeated header field that must be unique, because one program may
// read the first value and another program the last value.
func TestRepeatedFields(t *testing.T) {
	w := start(t, loopbackSetup)
	for _, name := range []string{"Content-Type", "Range", "Origin", "Authorization"} {
		if a := w.get("/healthz", name, "a", name, "b"); a.StatusCode != 400 {
			t.Errorf("%s: %s", name, a.Status)
		}
	}
}
