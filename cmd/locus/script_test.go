package main

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/scripttest"
)

func TestScripts(t *testing.T) {
	testscript.Run(t, scripttest.Params(t, "testdata/script"))
}

// TestFullDisk writes to a device that is always full.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("this system has no /dev/full")
	}
	defer full.Close()
	locus, err := exec.LookPath("locus")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(locus, "schemes")
	var errOut strings.Builder
	cmd.Stdout, cmd.Stderr = full, &errOut
	err = cmd.Run()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != base.StatusAccess || !strings.Contains(errOut.String(), "standard output") {
		t.Errorf("%v, %q, want ok true, exit.ExitCode() %d and %q in errOut", err, errOut.String(), base.StatusAccess, "standard output")
	}
}

// TestClosedPipe closes the output pipe after one line, while the input is endless.
func TestClosedPipe(t *testing.T) {
	locus, err := exec.LookPath("locus")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"canonical", "parse", "check", "extract", "lens --without programs"} {
		cmd := exec.Command("sh", "-c", `(yes http://h/a; true) | { "$0" $1 -; echo "status $?" >&2; } | head -n 1`, locus, command)
		var out, errOut strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errOut
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		if strings.Count(out.String(), "\n") != 1 || strings.Contains(errOut.String(), "locus:") || !strings.Contains(errOut.String(), "status 0") {
			t.Errorf("%s: %q, %q, want no %q in errOut and %q in errOut", command, out.String(), errOut.String(), "locus:", "status 0")
		}
	}
}

// TestClosedErrorPipe closes the pipe at standard error after the first message. The next message
// interrupts the run.
func TestClosedErrorPipe(t *testing.T) {
	for _, args := range []string{
		"canonical -", "canonical --files -", "canonical --count -", "parse -", "compare -", "resolve http://h/ -", "get -",
	} {
		t.Run(args, func(t *testing.T) { closedErrorPipe(t, strings.Fields(args)) })
	}
}

func closedErrorPipe(t *testing.T, args []string) {
	locus, err := exec.LookPath("locus")
	if err != nil {
		t.Fatal(err)
	}
	messages, errOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(locus, args...)
	cmd.Stderr = errOut
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	errOut.Close()
	const invalid = "no url \n"
	io.WriteString(in, invalid)
	if _, err := messages.Read(make([]byte, 1000)); err != nil {
		t.Error(err)
	}
	messages.Close()
	io.WriteString(in, invalid)
	in.Close()
	err = cmd.Wait()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != base.StatusInterrupted {
		t.Errorf("%v, want ok true and exit.ExitCode() %d", err, base.StatusInterrupted)
	}
}

// TestInterruptedProcess sends SIGINT to a command that waits for input.
func TestInterruptedProcess(t *testing.T) {
	for _, command := range []string{"canonical", "extract"} {
		t.Run(command, func(t *testing.T) { interruptedProcess(t, command) })
	}
}

func interruptedProcess(t *testing.T, command string) {
	locus, err := exec.LookPath("locus")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(locus, command, "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// The result of this line shows that the command waits for more input.
	if _, err := in.Write([]byte("HTTP://h/\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != base.StatusInterrupted {
		t.Errorf("%v, want ok true and exit.ExitCode() %d", err, base.StatusInterrupted)
	}
}
