package base

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// A failure of the resource is reported even if it is joined to a write failure.
func TestWithoutOutput(t *testing.T) {
	output := &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}
	cut := fmt.Errorf("%w: cut", scheme.ErrProtocol)
	a := &App{sink: sink{err: output}}
	for _, test := range []struct{ err, want error }{
		{nil, nil},
		{output, nil},
		{cut, cut},
		{fmt.Errorf("get: %w", output), nil},
		{errors.Join(cut, output), cut},
		{fmt.Errorf("get: %w", errors.Join(output, cut)), cut},
		{errors.Join(output, nil), nil},
	} {
		got := a.WithoutOutputError(test.err)
		if (got == nil) != (test.want == nil) || test.want != nil && got.Error() != test.want.Error() {
			t.Errorf("%v: %v, want %v", test.err, got, test.want)
		}
	}
	if got := new(App).WithoutOutputError(output); got != output {
		t.Errorf("the output is whole, and %v is lost", output)
	}
}

func TestInHome(t *testing.T) {
	a := New(t.Context(), strings.NewReader(""), io.Discard, io.Discard, noEnv)
	a.Getenv = func(name string) string { return map[string]string{"HOME": "/home/me"}[name] }
	for path, want := range map[string]string{"~": "/home/me", "~/x": "/home/me/x", "~you/x": "~you/x", "/~": "/~", "": ""} {
		if got := a.ExpandHome(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

func TestBarText(t *testing.T) {
	tests := []struct {
		event transfer.Event
		note  string
		want  string
	}{
		{transfer.Event{Total: -1, Left: -1}, "", "0 B"},
		{transfer.Event{Done: 1024, Total: -1, Rate: 100, Left: -1}, "", "1.0 KiB, 100 B/s"},
		{transfer.Event{Done: 1024, Total: 2048, Rate: 512, Left: 2 * time.Second}, "", "1.0 KiB of 2.0 KiB, 512 B/s, 2s left"},
		{transfer.Event{Done: 1024, Total: 2048, Rate: 512, Left: time.Millisecond}, "", "1.0 KiB of 2.0 KiB, 512 B/s, 1s left"},
		{transfer.Event{Done: 1024, Total: 2048, Rate: 512, Left: 2 * time.Second}, "will retry", "1.0 KiB of 2.0 KiB, will retry"},
	}
	for _, test := range tests {
		var b bar
		b.set(test.event, test.note)
		if got := b.text(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
