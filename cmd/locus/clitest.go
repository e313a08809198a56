// Package clitest has what tests of the command share.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus/internal/servetest"
	"github.com/locus-url/locus/scheme"
)

// screen is a terminal that several write to.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func newScreen(t *testing.T) (*app, *screen) {
	s := &screen{}
	a := newApp(t.Context(), strings.NewReader(""), &bytes.Buffer{}, s, func(string) string { return "" })
	a.errTTY = true
	return a, s
}

// deadAddress is host and port that refuse connections as long as the test runs.
func deadAddress(t *testing.T) string {
	t.Helper()
	dead, err := servetest.Refusing("tcp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dead.Close() })
	return dead.LocalAddr().String()
}

func menuOf(items ...scheme.Item) *scheme.Menu {
	return &scheme.Menu{Items: func(yield func(scheme.Item, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}}
}

// mailApp is an app with so many messages in an mbox, and with folders that are not
// there.
func mailApp(t *testing.T, messages, missing int) (*app, *screen) {
	a, s := newScreen(t)
	dir := t.TempDir()
	var mbox strings.Builder
	for i := range messages {
		fmt.Fprintf(&mbox, "From a@h Thu Dec  1 10:30:00 1994\nMessage-ID: <%d@h>\n\nx\n\n", i)
	}
	path := filepath.Join(dir, "mbox")
	if err := os.WriteFile(path, []byte(mbox.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	a.config.Mail = mailConfig{Stores: paths{path}, Cache: filepath.Join(dir, "cache")}
	for i := range missing {
		a.config.Mail.Stores = append(a.config.Mail.Stores, filepath.Join(dir, fmt.Sprintf("none%d", i)))
	}
	return a, s
}

// noEnv is an environment without variables.
func noEnv(string) string { return "" }
