// Package scripttest runs the script tests of subcommands.
package scripttest

import (
	"flag"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/locus-url/locus/internal/command/base"
)

// Main is the TestMain of a package with script tests. It makes the test binary act as the
// programs "locus", which the scripts run, and "locus-served". The function command runs
// "locus" with the given arguments and returns the exit status.
func Main(m *testing.M, command func(a *base.App, args []string) int) {
	// Many tests wait for a time limit and use no processor time while they wait.
	flag.Set("test.parallel", "8")
	testscript.Main(m, map[string]func(){
		"locus":        func() { os.Exit(base.Main(command)) },
		"locus-served": func() { serveCommands(command) },
	})
}

// Params returns the testscript parameters for the scripts in a directory. It defines the script
// commands "status", "examples" and "served". The working directory of a script is also its home
// directory.
func Params(t *testing.T, dir string) testscript.Params {
	t.Helper()
	return testscript.Params{
		Dir:                 servedScripts(t, dir),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.Cd)
			e.Setenv("XDG_CONFIG_HOME", "")
			hurry(e)
			setupServed(e)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"status": status, "examples": examples, "served": servedCommand},
	}
}

// hurry makes each process exit immediately, because the race detector would delay the exit by
// a second.
func hurry(e *testscript.Env) { e.Setenv("GORACE", "atexit_sleep_ms=0") }

// status is a script command that runs a program and checks its exit status, as in "status 2 locus
// parse x". The script commands stdin, stdout and stderr work as with exec.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if args[1] == "locus" && !needsProcess(ts, args[2:]) {
		if got := ts.Value(servedKey{}).(*servedProcess).run(ts, args[2:]); got != want {
			ts.Fatalf("exit status %d, want %d", got, want)
		}
		return
	}
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := err.(*exec.ExitError); ok {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// examples runs the two examples in the help text of a subcommand, each in a shell. The arguments
// after the subcommand are pairs of texts. In the examples, the second text of each pair replaces
// the first text, for example to replace a URL on another host. An example must write to standard
// output, unless it contains the flag -O.
func examples(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args)%2 != 1 {
		ts.Fatalf("usage: examples subcommand [old new]...")
	}
	ts.Check(ts.Exec("locus", args[0], "--help"))
	_, after, _ := strings.Cut(ts.ReadFile("stdout"), "\nExamples:\n")
	text, _, _ := strings.Cut(after, "\n\n")
	lines := strings.Split(text, "\n")
	if len(lines) != 2 {
		ts.Fatalf("%d examples", len(lines))
	}
	for _, line := range lines {
		if !strings.Contains(line, "locus "+args[0]+" ") && strings.TrimSpace(line) != "locus "+args[0] {
			ts.Fatalf("the example %q is of something else", line)
		}
		for i := 1; i < len(args); i += 2 {
			if !strings.Contains(text, args[i]) {
				ts.Fatalf("the examples lack %q", args[i])
			}
			line = strings.ReplaceAll(line, args[i], args[i+1])
		}
		ts.Check(ts.Exec("sh", "-c", line))
		if ts.ReadFile("stdout") == "" && !strings.Contains(line, " -O ") {
			ts.Fatalf("%q writes nothing", line)
		}
	}
}
