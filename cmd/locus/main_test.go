package main

import (
	"context"
	"flag"
	"io"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/locus-url/locus/internal/command/base"
)

// TestMain makes this test the program "locus" as well, which the scripts run, and
// locus-served.
func TestMain(m *testing.M) {
	// Many tests wait for a time limit and need no processor meanwhile.
	flag.Set("test.parallel", "8")
	testscript.Main(m, map[string]func(){
		"locus":        func() { os.Exit(mainStatus()) },
		"locus-served": serveCommands,
	})
}

// runProgram does what the program does, but for its signals.
func runProgram(in io.Reader, out, errOut io.Writer, args []string) int {
	a := base.New(context.Background(), in, out, errOut, os.Getenv)
	a.Environ = os.Environ
	return runArgs(a, args)
}
