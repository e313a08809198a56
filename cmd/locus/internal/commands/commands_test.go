package commands

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

// A run creates only the required subcommand. This subcommand is the same as if the run had
// created all subcommands.
func TestOnlyOneSubcommandIsMade(t *testing.T) {
	names := func(root *cobra.Command) (list []string) {
		for _, cmd := range root.Commands() {
			list = append(list, cmd.Name())
		}
		return list
	}
	a := base.New(t.Context(), strings.NewReader(""), io.Discard, io.Discard, clitest.NoEnv)
	every := NewRoot(a)
	for _, s := range subcommands() {
		cmd, _, err := every.Find([]string{s.name})
		if err != nil || cmd.Name() != s.name {
			t.Errorf("%s makes %s, %v", s.name, cmd.Name(), err)
		}
		if s.name == "man" {
			continue
		}
		only, _, err := rootFor(a, []string{s.name, "x"}).Find([]string{s.name})
		if err != nil || len(names(only.Root())) != 1 {
			t.Errorf("with %s: %s, %v", s.name, names(only.Root()), err)
		}
		if got, want := only.Long+only.UsageString(), cmd.Long+cmd.UsageString(); got != want {
			t.Errorf("only %s:\n%s\nwith others:\n%s", s.name, got, want)
		}
	}
	if got := strings.Join(names(rootFor(a, []string{"http://h/"})), " "); got != base.BareSubcommand {
		t.Errorf("%q, want %q", got, base.BareSubcommand)
	}
	for _, args := range [][]string{nil, {"help"}, {"man", "x"}, {"--json", "parse"}, {"prase"}, {"__complete", "pa"}, {"completion", "bash"}, {"--help"}} {
		if got, want := names(rootFor(a, args)), names(every); len(got) != len(want) {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
	}
}
