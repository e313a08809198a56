package gateway_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/secrettest"
)

// For mistyped URLs with a password, pages, logs, metrics and API calls do not show the
// password. Only API calls that parse a URL return it.
func TestMistypedPasswords(t *testing.T) {
	w := start(t, loopbackSetup)
	for _, text := range secrettest.URLs(secrettest.Password, "127.0.0.1:1") {
		for _, path := range []string{"/?url=", "/-/raw?url=", "/-/explain?url=", "/-/lens?url=", "/api/lens?url=", "/api/check?url=", "/api/get?url=", "/api/nothing?url=", "/-/terminal?url="} {
			if path == "/?url=" && strings.HasPrefix(text, "mailto:") {
				continue // the message that the user can edit on the page contains the text
			}
			for _, fields := range [][]string{browser, nil} {
				a := w.get(path+query(text), fields...)
				shown := a.body + a.Header.Get("Location")
				if plain, err := url.QueryUnescape(shown); err == nil {
					shown += plain
				}
				if i := strings.Index(shown, secrettest.Half); i >= 0 {
					t.Errorf("%s%s: %s", path, text, shown[max(0, i-200):min(len(shown), i+50)])
				}
			}
		}
	}
	for what, text := range map[string]string{"the log": w.log.String(), "/metrics": w.get("/metrics").body} {
		if i := strings.Index(text, secrettest.Half); i >= 0 {
			t.Errorf("%s: %s", what, text[max(0, i-300):min(len(text), i+50)])
		}
	}
	if !strings.Contains(w.log.String(), "***") {
		t.Error("nothing was logged")
	}
}
