// Command locus-fleet verifies links on many machines. "locus-fleet help" lists its
// subcommands.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/help"
)

func main() { os.Exit(mainStatus()) }

func mainStatus() int {
	// net/http logs the texts of odd servers. Locus reports them in errors.
	log.SetOutput(io.Discard)
	// With a handler for SIGPIPE the write fails instead, and the command can clean up.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, end := context.WithCancelCause(context.Background())
	defer end(nil)
	a := base.New(ctx, os.Stdin, os.Stdout, os.Stderr, os.Getenv)
	a.Environ = os.Environ
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go a.CancelOnSignal(signals, end)
	a.OutTTY = term.IsTerminal(int(os.Stdout.Fd()))
	a.ErrTTY = term.IsTerminal(int(os.Stderr.Fd()))
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && width > 0 {
		a.Width = width
	}
	return runArgs(a, os.Args[1:])
}

// runArgs does what args ask for and returns the exit status.
func runArgs(a *base.App, args []string) int {
	c := &command{a: a, args: args}
	root := base.NewRoot(a, c.commands(), nil, help.New())
	root.Use = "locus-fleet"
	root.Short = "Verify links on many machines"
	root.Long = `With nothing configured, "locus-fleet verify" keeps its work in this machine's cache folder,
and an interrupted run goes on when it is started again. With --nats URL, any number of workers
on other machines ask, and no host is asked by two of them.`
	c.addFlags(root)
	return a.Execute(root, args)
}
