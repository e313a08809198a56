package cache

import (
	"net/http"
	"testing"
	"time"
)

// An invalid Expires means that the response is stale (RFC 9111 section 5.3).
func TestExpires(t *testing.T) {
	date := time.Date(2050, 8, 8, 2, 1, 18, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"Mon, 08 Aug 2050 02:01:28 GMT":    10 * time.Second,
		"Monday, 08-Aug-50 02:01:28 GMT":   10 * time.Second,
		"Mon Aug  8 02:01:28 2050":         10 * time.Second,
		"Mon, 08  Aug  2050 02:01:28 GMT":  0,
		"Mon, 08 Aug 2050 2:01:28 GMT":     0,
		"Mon, 8 Aug 2050 02:01:28 GMT":     0,
		"Mon, 08 Aug 2050 02:01:28.00 GMT": 0,
		"0":                                0, "": 0,
	} {
		m := &meta{header: http.Header{"Expires": {text}}, date: date}
		if got, ok := m.explicitLifetime(); got != want || !ok {
			t.Errorf("Expires: %q gives %v, %v", text, got, ok)
		}
	}
}
