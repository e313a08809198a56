// Soak serves mixed load through a gateway for as long as it is told, and fails if the
// gateway's memory, goroutines or file descriptors grow.
//
//	go run ./internal/soak --for 1h --csv soak.csv --svg soak.svg
//
// The gateway is a process of its own. The clients and the servers of the tour are in
// another, so that only the gateway is measured. docs/soak.md describes the load and the
// limits.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	// Package net/http logs what hostile clients and servers send. cmd/locus does the same.
	log.SetOutput(io.Discard)
	if isGateway() {
		// Ctrl-C reaches both processes. This one ends with its input.
		signal.Ignore(os.Interrupt)
		if err := serveGateway(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "soak: gateway:", err)
			os.Exit(3)
		}
		return
	}
	var o options
	flag.DurationVar(&o.time, "for", time.Minute, "how long the load lasts")
	flag.DurationVar(&o.every, "every", 5*time.Second, "time between samples")
	flag.IntVar(&o.rate, "rate", 100, "requests that begin each second")
	flag.Uint64Var(&o.seed, "seed", 1738, "seed of the load")
	flag.DurationVar(&o.wait, "wait", 5*time.Second, "how long the gateway waits for a silent server")
	flag.StringVar(&o.csv, "csv", "", "write the samples to `FILE`")
	flag.StringVar(&o.svg, "svg", "", "draw the samples in `FILE`")
	flag.StringVar(&o.heap, "heap", "", "write profiles of the gateway's heap, start.pprof and end.pprof, into `FOLDER`")
	flag.Parse()
	o.out = os.Stdout
	if err := o.check(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	// A reader of the table that leaves is an error of writing, so that everything is removed.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal ends the program at once
	switch err := run(ctx, &o); {
	case errors.As(err, new(*levelError)):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "soak: interrupted")
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(3)
	}
}

func (o *options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case o.every < 10*time.Millisecond:
		return fmt.Errorf("--every %v: the shortest is 10ms", o.every)
	case o.time < minSamples*o.every:
		return fmt.Errorf("--for %v is too short for --every %v: %d samples are needed", o.time, o.every, minSamples)
	case o.wait < 100*time.Millisecond || o.wait > time.Minute:
		return fmt.Errorf("--wait %v is out of range (100ms-1m)", o.wait)
	case o.rate < 1 || o.rate > 100_000:
		return fmt.Errorf("--rate %d is out of range (1-100000)", o.rate)
	}
	return nil
}
