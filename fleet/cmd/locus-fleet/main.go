// Command locus-fleet verifies links on many machines. "locus-fleet help" lists its
// subcommands.
package main

import (
	"os"
	"slices"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/help"
)

func main() { os.Exit(mainStatus()) }

func mainStatus() int { return base.Main(runArgs) }

// runArgs does what args ask for and returns the exit status.
func runArgs(a *base.App, args []string) int {
	if len(args) > 0 && base.IsBareURL(args[0]) {
		args = slices.Concat([]string{"verify"}, args)
	}
	c := &command{a: a, args: args}
	root := base.NewRoot(a, c.commands(), nil, help.New())
	root.Use = "locus-fleet"
	root.Short = "Verify links on many machines"
	root.Long = `With nothing configured, "locus-fleet verify" keeps its work in this machine's cache folder,
and an interrupted run resumes when it is started again. With --nats URL, any number of workers
on other machines ask, and no host is asked by two of them.

"locus-fleet FILE" and "locus-fleet URL" do what "locus-fleet verify" does.`
	c.addFlags(root)
	return a.Execute(root, args)
}
