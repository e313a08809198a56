package mirror

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/mirror"
)

func TestProgress(t *testing.T) {
	a, s := clitest.NewScreen(t)
	r := &runner{a: a, dir: "to", progress: base.StartProgress(a, "to\x1b[2J")}
	r.report(mirror.Event{URL: "ftp://h/a", File: "h/a", Status: mirror.Added, Size: 1024})
	r.report(mirror.Event{URL: "ftp://h/b", Status: mirror.Failed, Err: errors.New("a failure\x1b[2J")})
	r.report(mirror.Event{URL: "ftp://h/c", File: "h/c", Status: mirror.Same, Size: 1024})
	for deadline := time.Now().Add(time.Minute); !strings.Contains(s.String(), "3 files") && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	r.progress.Close()
	for _, want := range []string{"2.0 KiB, 3 files", "ftp://h/b: a failure"} {
		if !strings.Contains(s.String(), want) {
			t.Errorf("%q does not have %q", s.String(), want)
		}
	}
	if strings.Contains(s.String(), "\x1b[2J") {
		t.Errorf("%q has an escape sequence of a server", s.String())
	}
}
