//go:build unix

package lens_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/internal/term"
)

// counting returns a program for the lens that writes a line to a file each time it runs, and
// rejects every URL.
func counting(t *testing.T, more string) (program, file string) {
	t.Helper()
	dir := t.TempDir()
	program, file = filepath.Join(dir, "program"), filepath.Join(dir, "runs")
	script := "#!/bin/sh\necho run >> " + file + "\n" + more + `
echo version eA==
number=0
while read -r line; do
	length=$(printf %s "$line" | base64 -d | wc -c)
	echo $number $((length)) no eA==
	number=$((number + 1))
done
`
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return program, file
}

func runsIn(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// A client that waits for each result before it writes the next URL must not block. URLs that
// arrive together must be one batch for the programs.
func TestLensGroups(t *testing.T) {
	program, runs := counting(t, "")
	in, questions := io.Pipe()
	answers, out := io.Pipe()
	a := base.New(context.Background(), in, out, io.Discard, clitest.NoEnv)
	done := make(chan int)
	go func() {
		done <- commands.Run(a, []string{"lens", "--without", "programs", "--with", "php=" + program, "--json", "-"})
		out.Close()
	}()
	lines := bufio.NewScanner(answers)
	for _, group := range [][]string{{"http://a.example/"}, {"http://b.example/", "http://c.example/", "http://d.example/"}, {"http://e.example/"}} {
		io.WriteString(questions, strings.Join(group, "\n")+"\n")
		for _, url := range group {
			if !lines.Scan() || !strings.Contains(lines.Text(), fmt.Sprintf(`{"input":%q`, url)) {
				t.Errorf("the answer to %s is %s", url, lines.Text())
			}
		}
	}
	questions.Close()
	if status := <-done; status != base.StatusDone {
		t.Errorf("status %d, want status %d", status, base.StatusDone)
	}
	if n := runsIn(t, runs); n != 3 {
		t.Errorf("%d runs for 3 groups", n)
	}
}

// Ctrl-C ends a program that hangs, and the run.
func TestLensInterrupted(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "started")
	program, _ := counting(t, "echo > "+pipe+"; exec sleep 3600")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		_, _ = os.ReadFile(pipe) // until the program has started
		cancel(base.SignalError{Signal: os.Interrupt})
	}()
	var out strings.Builder
	a := base.New(ctx, strings.NewReader(""), &out, io.Discard, clitest.NoEnv)
	if status := commands.Run(a, []string{"lens", "--without", "programs", "--with", "php=" + program, "--timeout", "1h", "http://h.example/"}); status != base.StatusInterrupted || out.Len() > 0 {
		t.Errorf("status %d, %s, want status %d and no out", status, &out, base.StatusInterrupted)
	}
}

// --max-time ends a run with a program that hangs, before the next URLs are read.
func TestLensMaxTime(t *testing.T) {
	program, _ := counting(t, "exec sleep 3600")
	for _, what := range []string{"http://h.example/", "--list", "--corpus"} {
		var out, errOut strings.Builder
		a := base.New(t.Context(), strings.NewReader(""), &out, &errOut, clitest.NoEnv)
		status := commands.Run(a, []string{"lens", "--without", "programs", "--with", "php=" + program, "--timeout", "1h", "--max-time", "1s", what})
		if status != base.StatusAccess || !strings.Contains(errOut.String(), "no result within 1s (--max-time)") {
			t.Errorf("%s: status %d, %s, want status %d and %q in errOut", what, status, &errOut, base.StatusAccess, "no result within 1s (--max-time)")
		}
	}
}

// A URL of the greatest length has a table of a few lines.
func TestLensLongURL(t *testing.T) {
	var out strings.Builder
	a := base.New(t.Context(), strings.NewReader(""), &out, io.Discard, clitest.NoEnv)
	commands.Run(a, []string{"lens", "--without", "programs", "http:/h.example/" + strings.Repeat(`"\ä`, 15_000)})
	if n := strings.Count(out.String(), "\n"); n > 50 || out.Len() > 10_000 || !strings.Contains(out.String(), " bytes... ") {
		t.Errorf("%d lines, %d octets:\n%s", n, out.Len(), out.String())
	}
}

// On a terminal, no line except a sentence is wider than the terminal. Differences are colored,
// and also marked for users who see no colors.
func TestLensTerminal(t *testing.T) {
	for _, width := range []int{20, 40, 80, 200} {
		for _, noColor := range []string{"", "1"} {
			var out strings.Builder
			a := base.New(t.Context(), strings.NewReader(""), &out, io.Discard, func(name string) string {
				return map[string]string{"NO_COLOR": noColor, "TERM": "xterm"}[name]
			})
			a.OutTTY, a.Width = true, width
			if status := commands.Run(a, []string{"lens", "--without", "programs", "http:/long.name.of.a.host.example/" + strings.Repeat("path/", 20)}); status != base.StatusDone {
				t.Errorf("status %d, want status %d", status, base.StatusDone)
			}
			if colored := strings.Contains(out.String(), "\x1b[31m"); colored != (noColor == "") {
				t.Errorf("NO_COLOR=%s: %q, want colored %v", noColor, out.String(), (noColor == ""))
			}
			if noColor == "" {
				continue
			}
			if !strings.Contains(out.String(), "\n! host ") {
				t.Errorf("no mark in\n%s", out.String())
			}
			for line := range strings.Lines(out.String()) {
				line = strings.TrimSuffix(line, "\n")
				sentence := strings.HasPrefix(line, "http:/") || strings.HasPrefix(line, "rejected by") || strings.HasPrefix(line, "slashes: ") || strings.HasPrefix(line, "like ")
				if !sentence && term.Width(line) > max(width, 34) {
					t.Errorf("%d columns of %d: %q", term.Width(line), width, line)
				}
			}
		}
	}
}
