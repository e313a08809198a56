package base_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/command/base"
)

// The message of an interrupted run reports the interrupt and does not mention contexts.
func TestInterruptedMessage(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(base.SignalError{Signal: os.Interrupt})
	for _, err := range []error{
		fmt.Errorf("open x: %w: %w", context.Canceled, context.Cause(ctx)), fmt.Errorf("open x: %w", context.Canceled), fmt.Errorf("open x: %w", context.Cause(ctx)),
	} {
		var said strings.Builder
		a := base.New(ctx, strings.NewReader(""), io.Discard, &said, func(string) string { return "" })
		a.Fail(base.StatusAccess, err)
		if said.String() != "locus: open x: interrupted\n" {
			t.Errorf("%q, want said %q", said.String(), "locus: open x: interrupted\n")
		}
	}
}
