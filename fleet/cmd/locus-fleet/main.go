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

// runArgs runs the command with args and returns the exit status.
func runArgs(a *base.App, args []string) int {
	if len(args) > 0 && base.IsBareURL(args[0]) {
		args = slices.Concat([]string{"verify"}, args)
	}
	c := &command{a: a, args: args}
	root := base.NewRoot(a, c.commands(), nil, help.New())
	root.Use = "locus-fleet"
	root.Short = "Verify links on many machines"
	root.Long = `By default, "locus-fleet verify" stores its work in the cache directory of this machine, and an
interrupted run resumes when you run the same command again. With --nats URL, any number of
workers on other machines check the links, and no two workers contact the same host.

"locus-fleet FILE" and "locus-fleet URL" are short for "locus-fleet verify".`
	c.addFlags(root)
	return a.Execute(root, args)
}
