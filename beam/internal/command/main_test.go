package command_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/beam/internal/command"
)

// asCommand is the environment variable that makes the test binary act as the command.
const asCommand = "LOCUS_BEAM_TEST_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		status := command.Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
		stop()
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// testTimeout is the maximum time that a test waits for an event.
const testTimeout = time.Minute

// locusBeam returns the command, to be run in a directory.
func locusBeam(t *testing.T, folder string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*testTimeout)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	races := filepath.Join(t.TempDir(), "race")
	cmd.Dir, cmd.Env = folder, append(os.Environ(), asCommand+"=1", "TMPDIR="+t.TempDir(), "GORACE=exitcode=0 log_path="+races)
	t.Cleanup(func() { checkRaces(t, races) })
	return cmd
}

// checkRaces reads the reports of the race detector, which writes them to files that begin with a
// name. It ignores a race between two goroutines of the SDK. When a job fails, the SDK closes a
// channel to which it may still send.
func checkRaces(t *testing.T, name string) {
	t.Helper()
	files, _ := filepath.Glob(name + ".*")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for report := range strings.SplitSeq(string(text), "WARNING: DATA RACE") {
			if strings.Contains(report, "github.com/locus-url/locus/") {
				t.Errorf("a data race: %s", report)
			}
		}
	}
}

// run runs the command, and returns its status and standard error.
func run(t *testing.T, folder string, args ...string) (status int, stderr string) {
	t.Helper()
	cmd := locusBeam(t, folder, args...)
	var out bytes.Buffer
	cmd.Stderr = &out
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// mustRun runs the command, which must succeed.
func mustRun(t *testing.T, folder string, args ...string) (stderr string) {
	t.Helper()
	status, stderr := run(t, folder, args...)
	if status != 0 {
		t.Fatalf("%q: status %d\n%s", args, status, stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, ".locus-beam-*")); len(left) > 0 {
		t.Errorf("%q leaves %q", args, left)
	}
	return stderr
}

// output returns the lines of the files in a directory whose names begin with the prefix.
func output(t *testing.T, folder, prefix string) (list []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, prefix+"-[0-9]*-of-*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no output %s: %v", prefix, err)
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			list = append(list, strings.TrimSuffix(line, "\n"))
		}
	}
	return list
}

// single is the path of the command locus, which runs on a single machine.
type single string

// newSingle builds the command locus.
func newSingle(t *testing.T) single {
	t.Helper()
	name := filepath.Join(t.TempDir(), "locus")
	build := exec.Command("go", "build", "-o", name, "./cmd/locus")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return single(name)
}

// lines returns the lines that the command writes for standard input. The command may report
// faults in the input.
func (s single) lines(t *testing.T, folder string, stdin []byte, args ...string) (list []string) {
	t.Helper()
	cmd := exec.Command(string(s), args...)
	cmd.Dir, cmd.Stdin = folder, bytes.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() > 3 {
		t.Fatalf("%q: %v", args, err)
	}
	in := bufio.NewScanner(bytes.NewReader(out))
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		list = append(list, in.Text())
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// objects decodes lines of JSON.
func objects[T any](t *testing.T, lines []string) (list []T) {
	t.Helper()
	for _, line := range lines {
		var v T
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, v)
	}
	return list
}

// write writes a file to a directory.
func write(t *testing.T, folder, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), content, 0o666); err != nil {
		t.Fatal(err)
	}
}
