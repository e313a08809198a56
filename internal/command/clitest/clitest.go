// Package clitest contains helpers for tests of the command.
package clitest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/internal/servetest"
	"github.com/locus-url/locus/scheme"
)

// Screen is a terminal to which several goroutines may write.
type Screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *Screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *Screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// NewScreen returns an App whose standard error is a terminal, and the terminal.
func NewScreen(t *testing.T) (*base.App, *Screen) {
	s := &Screen{}
	a := base.New(t.Context(), strings.NewReader(""), &bytes.Buffer{}, s, func(string) string { return "" })
	a.ErrTTY = true
	return a, s
}

// MenuOf returns a menu that contains the given items.
func MenuOf(items ...scheme.Item) *scheme.Menu {
	return &scheme.Menu{Items: func(yield func(scheme.Item, error) bool) {
		for _, item := range items {
			if !yield(item, nil) {
				return
			}
		}
	}}
}

// MailApp returns an App whose configuration names an mbox with the given number of messages, and
// the given number of missing directories.
func MailApp(t *testing.T, messages, missing int) (*base.App, *Screen) {
	a, s := NewScreen(t)
	dir := t.TempDir()
	var mbox strings.Builder
	for i := range messages {
		fmt.Fprintf(&mbox, "From a@h Thu Dec  1 10:30:00 1994\nMessage-ID: <%d@h>\n\nx\n\n", i)
	}
	path := filepath.Join(dir, "mbox")
	if err := os.WriteFile(path, []byte(mbox.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	a.Config.Mail = config.Mail{Stores: config.Paths{path}, Cache: filepath.Join(dir, "cache")}
	for i := range missing {
		a.Config.Mail.Stores = append(a.Config.Mail.Stores, filepath.Join(dir, fmt.Sprintf("none%d", i)))
	}
	return a, s
}

// NoEnv is an environment without variables.
func NoEnv(string) string { return "" }

// Result is the outcome of a command run.
type Result struct {
	Out, Err string
	Status   int
}

// Run calls the function command with args and an empty home directory. If the function change is
// not nil, Run first calls it with the App.
func Run(t testing.TB, command func(a *base.App, args []string) int, change func(a *base.App), args ...string) Result {
	t.Helper()
	var out, errOut bytes.Buffer
	home := filepath.Join(t.TempDir(), "none")
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	a := base.New(t.Context(), strings.NewReader(""), &out, &errOut, env)
	if change != nil {
		change(a)
	}
	status := command(a, args)
	return Result{out.String(), errOut.String(), status}
}

// DeadAddress returns an address (host and port) that refuses connections as long as the test
// runs.
func DeadAddress(t *testing.T) string {
	t.Helper()
	dead, err := servetest.Refusing("tcp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dead.Close() })
	return dead.LocalAddr().String()
}
