package all_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/secrettest"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/file"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/scheme/mailto"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/prospero"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/scheme/wais"
)

func generic[T any](parse func(locus.URL) (T, error)) func(locus.URL) (any, error) {
	return func(u locus.URL) (any, error) { return parse(u) }
}

// Formatting or logging a URL type of any scheme must not show the password.
func TestFormatHidesPasswords(t *testing.T) {
	shownOnce := 0
	for _, text := range secrettest.URLs(secrettest.Password, "h.example") {
		u, err := locus.Parse(text)
		if err != nil {
			continue
		}
		for _, parse := range []func(locus.URL) (any, error){
			generic(file.Parse), generic(ftp.Parse), generic(gopher.Parse), generic(http.Parse), generic(mailto.Parse), generic(mid.Parse),
			generic(news.Parse), generic(prospero.Parse), generic(telnet.Parse), generic(wais.Parse),
		} {
			v, err := parse(u)
			if err != nil {
				continue
			}
			shownOnce++
			var log bytes.Buffer
			slog.New(slog.NewTextHandler(&log, nil)).Info("m", "v", v)
			shown := fmt.Sprintf("%v %+v %#v %s %q %x %d", v, v, v, v, v, v, v) + log.String()
			if strings.Contains(shown, secrettest.Half) || !strings.Contains(shown, "***") {
				t.Errorf("%T: %s", v, shown)
			}
		}
	}
	if shownOnce < 5 {
		t.Errorf("%d values", shownOnce)
	}
}

// In schemes where "@" does not mark a login, formatting a URL must not mask the text before "@".
func TestAddressesStayReadable(t *testing.T) {
	r, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.All() {
		u := locus.MustParse(s.Name + ":a@b.example")
		if locus.Conforms(r.Check(u, locus.RFC1738)) && s.Syntax.Fields != nil && u.Shown() != u.String() {
			if fields, err := s.Syntax.Fields(u); err == nil && len(fields) > 0 {
				t.Errorf("%s is shown as %s", u, u.Shown())
			}
		}
	}
}
