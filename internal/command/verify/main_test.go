package verify_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/help"
	"github.com/locus-url/locus/internal/command/scripttest"
	verifycommand "github.com/locus-url/locus/internal/command/verify"
	"github.com/locus-url/locus/internal/dev/faults"
)

// runCommand runs a program that has only the subcommand verify.
func runCommand(a *base.App, args []string) int {
	return a.Execute(base.NewRoot(a, []*cobra.Command{verifycommand.New(a)}, nil, help.New()), args)
}

func TestMain(m *testing.M) {
	if faults.IsChild() {
		os.Exit(m.Run())
	}
	scripttest.Main(m, runCommand)
}

func TestScripts(t *testing.T) {
	testscript.Run(t, scripttest.Params(t, "testdata/script"))
}
