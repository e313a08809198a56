package tour_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/tour"
)

func open(t *testing.T) (*tour.Museum, *tour.Guide, *bytes.Buffer) {
	t.Helper()
	museum, err := tour.Open()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	guide, err := tour.NewGuide(&out, func(trace func(locus.URL) scheme.TraceFunc) (*access.Client, error) {
		registry, err := all.Registry(nil)
		if err != nil {
			return nil, err
		}
		p, err := policy.New(policy.Rules{TypedPrivate: true, Files: true})
		if err != nil {
			return nil, err
		}
		return access.New(registry, p, &access.Options{Trace: trace}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return museum, guide, &out
}

func TestEveryStopAnswers(t *testing.T) {
	defer goleak.VerifyNone(t)
	museum, guide, out := open(t)
	for _, stop := range museum.Stops() {
		out.Reset()
		if err := guide.Visit(t.Context(), stop); err != nil {
			t.Errorf("%s: %v", stop.URL, err)
		}
		for _, want := range []string{stop.Scheme, stop.Section, stop.Title, stop.URL.String()} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("the guide does not say %q:\n%s", want, out)
			}
		}
		if stop.Scheme != "file" && !strings.Contains(out.String(), "    > ") {
			t.Errorf("%s: the guide does not say what was sent:\n%s", stop.URL, out)
		}
		if strings.ContainsAny(out.String(), "\x1b\r") {
			t.Errorf("%s: not safe for a terminal: %q", stop.URL, out)
		}
	}
	if err := errors.Join(guide.Close(), museum.Close()); err != nil {
		t.Error(err)
	}
}

// What the tour laid out is gone when it ends.
func TestNothingIsLeft(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	museum, guide, _ := open(t)
	if err := errors.Join(guide.Close(), museum.Close()); err != nil {
		t.Fatal(err)
	}
	if names, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(names) != 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

func TestVisitOfAClosedMuseum(t *testing.T) {
	museum, guide, out := open(t)
	defer guide.Close()
	if err := museum.Close(); err != nil {
		t.Fatal(err)
	}
	for _, stop := range museum.Stops() {
		if err := guide.Visit(t.Context(), stop); err == nil {
			t.Errorf("%s answers although its server has ended", stop.URL)
		}
	}
	if !strings.Contains(out.String(), "failed: ") {
		t.Errorf("the guide does not say that a visit failed:\n%s", out)
	}
}

func TestInterrupted(t *testing.T) {
	museum, guide, _ := open(t)
	defer museum.Close()
	defer guide.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, stop := range museum.Stops() {
		if err := guide.Visit(ctx, stop); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want an error that says it was interrupted", stop.URL, err)
		}
	}
}
