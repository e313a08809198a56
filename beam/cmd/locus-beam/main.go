// Command locus-beam runs Apache Beam pipelines over many URLs.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/locus-url/locus/beam/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(command.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
