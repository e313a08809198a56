package locus_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

// Every verb of package fmt and every handler of slog must hide the password, also of a
// URL in another value. String, MarshalText and JSON are exact.
func TestFormatMasks(t *testing.T) {
	const text = "ftp://user:Secret@host/a%20b"
	u := locus.MustParse(text)
	inside := struct {
		URL  locus.URL
		List []locus.URL
		Map  map[locus.URL]int
		Any  any
	}{u, []locus.URL{u}, map[locus.URL]int{u: 1}, u}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%+q", "%#q", "%x", "% X", "%60v", "%-60s", "%.200v", "%d", "%t", "%T %v"} {
		args := []any{u, u}[:1+strings.Count(verb, " %")]
		for _, got := range []string{fmt.Sprintf(verb, args...), fmt.Sprintf(verb, &u), fmt.Sprintf(verb, inside)} {
			if showsSecret(got, "Secret") || strings.Contains(strings.ToLower(got), fmt.Sprintf("%x", "Secret")) {
				t.Errorf("%s: %s", verb, got)
			}
		}
	}
	for _, row := range []struct{ verb, want string }{
		{"%v", "ftp://user:***@host/a%20b"},
		{"%+v", "ftp://user:***@host/a%20b"},
		{"%s", "ftp://user:***@host/a%20b"},
		{"%q", `"ftp://user:***@host/a%20b"`},
		{"%#v", `locus.MustParse("ftp://user:***@host/a%20b")`},
		{"%30v|", "     ftp://user:***@host/a%20b|"},
		{"%-30s|", "ftp://user:***@host/a%20b     |"},
		{"%.3s", "ftp"},
		{"%d", "%!d(string=ftp://user:***@host/a%20b)"},
	} {
		if got := fmt.Sprintf(row.verb, u); got != row.want {
			t.Errorf("%s: %s, want %s", row.verb, got, row.want)
		}
	}
	if got := fmt.Sprintf("%v %q %#v", locus.URL{}, locus.URL{}, locus.URL{}); got != ` "" locus.URL{}` {
		t.Errorf("the zero URL: %s", got)
	}
	if got := fmt.Sprintln(u, locus.MustParse("http://h/")); got != "ftp://user:***@host/a%20b http://h/\n" {
		t.Errorf("Sprintln: %s", got)
	}

	var log bytes.Buffer
	for _, h := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(h).Info("m", "url", u, "group", slog.GroupValue(slog.Any("url", u)), "list", []any{u})
	}
	// slog does not resolve a value within a list: the JSON handler marshals it.
	lines := strings.Split(log.String(), "\n")
	if showsSecret(lines[0], "Secret") || strings.Count(lines[1], "Secret") != 1 {
		t.Errorf("slog: %s", log.String())
	}

	if u.String() != text {
		t.Errorf("String: %s", u.String())
	}
	if b, err := u.MarshalText(); string(b) != text || err != nil {
		t.Errorf("MarshalText: %s, %v", b, err)
	}
	if b, err := u.AppendText(nil); string(b) != text || err != nil {
		t.Errorf("AppendText: %s, %v", b, err)
	}
	if b, err := json.Marshal(u); string(b) != `"`+text+`"` || err != nil {
		t.Errorf("JSON: %s, %v", b, err)
	}
}
