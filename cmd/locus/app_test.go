package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

// testApp returns an App that reads the text in, and discards all output.
func testApp(t *testing.T, in string) *base.App {
	t.Helper()
	return base.New(context.Background(), strings.NewReader(in), io.Discard, io.Discard, clitest.NoEnv)
}

// TestEveryCommandHasExamples checks that the help text of every subcommand contains two examples.
func TestEveryCommandHasExamples(t *testing.T) {
	for _, cmd := range commands.All(testApp(t, "")) {
		if !cmd.Hidden && len(strings.Split(cmd.Example, "\n")) != 2 {
			t.Errorf("%s has the examples %q", cmd.Name(), cmd.Example)
		}
	}
}

func TestManPages(t *testing.T) {
	dir := t.TempDir()
	if status := commands.Run(testApp(t, ""), []string{"man", dir}); status != base.StatusDone {
		t.Fatalf("status %d, want status %d", status, base.StatusDone)
	}
	for _, name := range []string{"locus", "locus-parse", "locus-resolve", "locus-configuration", "locus-exit-status"} {
		page, err := os.ReadFile(filepath.Join(dir, name+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		text := string(page)
		if !strings.HasPrefix(text, `.TH "`+strings.ReplaceAll(strings.ToUpper(name), "-", `\-`)+`" "1"`) || !strings.Contains(text, "\n.SH \"NAME\"\n") {
			t.Errorf("%s begins %.80q", name, text)
		}
		for line := range strings.Lines(text) {
			// A line may begin with a roff control character only if it is a request
			// of this package.
			if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !strings.Contains(".TH.SH.SS.PP.TP.nf.fi", strings.Fields(line)[0]) {
				t.Errorf("%s has the line %q", name, line)
			}
		}
	}
	if status := commands.Run(testApp(t, ""), []string{"man", filepath.Join(dir, "none")}); status != base.StatusAccess {
		t.Errorf("a folder that is not there: status %d", status)
	}
}
