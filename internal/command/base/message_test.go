package base

import (
	"errors"
	"fmt"
	"testing"

	"github.com/locus-url/locus/scheme"
)

// The message of the command names the setting that helps. The error of the library does not.
func TestMessage(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		err  error
		want string
	}{
		{failed, "failed"},
		{scheme.Hint(failed, "try again"), "failed (try again)"},
		{fmt.Errorf("open: %w", scheme.HintFor(failed, scheme.ReasonEmptySegment, "ask at once")), "open: failed (ask at once: --cwd none)"},
		{scheme.HintFor(failed, "unknown", "x"), "failed (x)"},
	} {
		if got := Message(c.err); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
