package base

import (
	"bytes"
	"context"
	"os"
	"testing"
)

// A child process receives the file of standard error, although messages pass through the writer
// that detects a closed pipe.
func TestErrFile(t *testing.T) {
	var text bytes.Buffer
	a := New(context.Background(), nil, &text, &text, nil)
	if a.ErrFile() != &text {
		t.Error("a writer that is no file is not returned")
	}
	a.ErrOut = &errorPipe{os.Stderr, func(error) {}}
	if a.ErrFile() != os.Stderr {
		t.Error("the file is not returned")
	}
}
