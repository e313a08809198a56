package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
)

// TestHelpShowsObeyedFlags compares the network flags in each help text with the network flags
// that apply to the subcommand.
func TestHelpShowsObeyedFlags(t *testing.T) {
	all := "timeout max-size allow-private allow-link-local allow-port gateway no-gateway"
	obeyed := map[string]string{"get": all, "open": all, "browse": all, "verify": all, "mirror": all, "gateway": all, "schemes": "gateway no-gateway", "extract": "max-size", "lens": "timeout max-time"}
	for _, cmd := range commands.NewRoot(testApp(t, "")).Commands() {
		if !cmd.Runnable() || cmd.Hidden {
			continue
		}
		var out bytes.Buffer
		cmd.SetOut(&out)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for _, name := range strings.Fields(all) {
			shown := strings.Contains(out.String(), "\n      --"+name+" ")
			if want := strings.Contains(" "+obeyed[cmd.Name()]+" ", " "+name+" "); shown != want {
				t.Errorf("%s shows --%s: %t, want %t", cmd.Name(), name, shown, want)
			}
		}
	}
}

// The help text explains each flag in at most 12 words.
func TestFlagsAreShort(t *testing.T) {
	for _, cmd := range commands.All(testApp(t, "")) {
		for _, group := range base.FlagGroups(cmd) {
			group.VisitAll(func(f *pflag.Flag) {
				if n := len(strings.Fields(f.Usage)); n > 12 {
					t.Errorf("%s --%s: %d words", cmd.Name(), f.Name, n)
				}
			})
		}
	}
}

// Flags for opening URLs may also precede the subcommand.
func TestFlagsBeforeSubcommand(t *testing.T) {
	a := testApp(t, "")
	root := commands.NewRoot(a)
	var ran bool
	cmd, _, err := root.Find([]string{"schemes"})
	if err != nil {
		t.Fatal(err)
	}
	cmd.RunE = func(*cobra.Command, []string) error { ran = true; return nil }
	if status := a.Execute(root, []string{"--allow-private", "--max-size", "10M", "schemes"}); status != base.StatusDone || !ran || !a.Flags.AllowPrivate || a.Flags.MaxSize != 10<<20 {
		t.Errorf("status %d, ran %t, %+v", status, ran, a.Flags)
	}
}
