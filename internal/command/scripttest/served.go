package scripttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/locus-url/locus/internal/command/base"
)

// Starting a process takes longer than most commands, so each script starts only one process,
// locus-served. This process runs the commands of the script sequentially, each with its own
// directory, arguments and environment. A command that reads standard input, is interrupted, or
// runs in a shell has its own process.

// servedRequest is a command that locus-served must run.
type servedRequest struct {
	Dir       string
	Args, Env []string
}

// servedAnswer is the result of a servedRequest.
type servedAnswer struct {
	Status   int
	Out, Err []byte
}

// serveCommands is the program locus-served. It reads commands from standard input and runs them.
func serveCommands(command func(*base.App, []string) int) {
	requests, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var request servedRequest
		if err := requests.Decode(&request); err != nil {
			if errors.Is(err, io.EOF) {
				os.Exit(0)
			}
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if err := answers.Encode(request.run(command)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func (r servedRequest) run(command func(*base.App, []string) int) servedAnswer {
	os.Clearenv()
	for _, variable := range r.Env {
		name, value, _ := strings.Cut(variable, "=")
		os.Setenv(name, value)
	}
	if err := os.Chdir(r.Dir); err != nil {
		return servedAnswer{Status: -1, Err: []byte(err.Error())}
	}
	var out, errOut bytes.Buffer
	a := base.New(context.Background(), strings.NewReader(""), &out, &errOut, os.Getenv)
	a.Environ = os.Environ
	status := command(a, r.Args)
	return servedAnswer{status, out.Bytes(), errOut.Bytes()}
}

// servedProcess is the locus-served process for one script.
type servedProcess struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *json.Decoder
	errOut bytes.Buffer
}

type servedKey struct{}

// setupServed prepares the process of a script. The first command starts the process.
func setupServed(e *testscript.Env) {
	p := new(servedProcess)
	e.Values[servedKey{}] = p
	e.Defer(func() {
		if p.cmd != nil {
			p.in.Close()
			p.cmd.Wait()
		}
	})
}

func (p *servedProcess) start() error {
	program, err := exec.LookPath("locus-served")
	if err != nil {
		return err
	}
	p.cmd = exec.Command(program)
	p.cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	p.cmd.Stderr = &p.errOut
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.out = json.NewDecoder(out)
	return p.cmd.Start()
}

// run runs a command in the process and returns the exit status.
func (p *servedProcess) run(ts *testscript.TestScript, args []string) int {
	if p.cmd == nil {
		ts.Check(p.start())
	}
	request := servedRequest{Dir: ts.MkAbs("."), Args: args}
	for _, name := range scriptVariables() {
		if value := ts.Getenv(name); value != "" {
			request.Env = append(request.Env, name+"="+value)
		}
	}
	ts.Check(json.NewEncoder(p.in).Encode(request))
	var answer servedAnswer
	if err := p.out.Decode(&answer); err != nil {
		p.in.Close()
		p.cmd.Wait()
		ts.Fatalf("locus-served: %v: %s", err, &p.errOut)
	}
	ts.Stdout().Write(answer.Out)
	ts.Stderr().Write(answer.Err)
	return answer.Status
}

// needsProcess reports whether a command must run in its own process.
func needsProcess(ts *testscript.TestScript, args []string) bool {
	switch {
	case len(args) == 0:
		return false
	case args[0] == "extract":
		// If the last argument is not a file, the command reads standard input.
		_, err := os.Stat(ts.MkAbs(args[len(args)-1]))
		return err != nil
	}
	// These commands use standard output directly, but locus-served needs standard output for
	// the results.
	return args[0] == "open" || slices.Contains(args, "-") || slices.Contains(args, "/dev/stdout")
}

// servedScripts returns a directory with copies of the scripts in dir. It replaces "exec locus"
// with "served locus" where both commands have the same effect.
func servedScripts(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	folder := t.TempDir()
	command := regexp.MustCompile(`(?m)^((?:\[[^]]*\] *)*(?:! )?)exec (locus .*[^&\n])$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// The files of the script follow the commands.
		commands, _, _ := bytes.Cut(text, []byte("\n-- "))
		text = slices.Concat(command.ReplaceAll(commands, []byte("${1}served $2")), text[len(commands):])
		if err := os.WriteFile(filepath.Join(folder, filepath.Base(file)), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// servedCommand is the script command "served locus ARGS...". It has the same effect as "exec
// locus ARGS...".
func servedCommand(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || args[0] != "locus" {
		ts.Fatalf("usage: served locus ARGS...")
	}
	args = args[1:]
	if needsProcess(ts, args) {
		if err := ts.Exec("locus", args...); (err != nil) != neg {
			ts.Fatalf("locus: %v", err)
		}
		return
	}
	if status := ts.Value(servedKey{}).(*servedProcess).run(ts, args); (status != 0) != neg {
		ts.Fatalf("exit status %d", status)
	}
}

var settingLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:\[[^]]*\] *)*env +([A-Za-z0-9_.]+)=`)
})

// scriptVariables returns the names of all environment variables that a command may read. These
// are the variables that any script sets, and the variables that testscript sets.
var scriptVariables = sync.OnceValue(func() (list []string) {
	names := map[string]bool{}
	for _, name := range []string{"HOME", "PATH", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "WORK"} {
		names[name] = true
	}
	// The pattern is valid.
	files, _ := filepath.Glob("testdata/*/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		for _, match := range settingLine().FindAllSubmatch(text, -1) {
			names[string(match[1])] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
})
