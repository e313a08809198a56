package peers

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program is the command, built once for all tests, because the tests cover the program
// that users run.
var program string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	if os.Getenv("CI") != "true" {
		return m.Run() // no test uses the command
	}
	dir, err := os.MkdirTemp("", "locus-peers-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "locus")
	if out, err := exec.Command("go", "build", "-o", program, "../../../cmd/locus").CombinedOutput(); err != nil {
		panic(string(out))
	}
	return m.Run()
}

// result is one run of the command.
type result struct {
	out, err string
	status   int
	memory   int64 // peak resident memory in bytes
	took     time.Duration
}

// locusIn runs the command locus in the directory dir, with an empty home directory and no
// configuration.
func locusIn(t testing.TB, dir string, args ...string) result {
	t.Helper()
	return runLocus(t, dir, nil, "", args)
}

// locusEnv runs the command locus with additional environment variables.
func locusEnv(t testing.TB, env []string, args ...string) result {
	t.Helper()
	return runLocus(t, t.TempDir(), env, "", args)
}

// locusReading runs the command locus in the directory dir with the given standard input.
func locusReading(t testing.TB, dir, input string, args ...string) result {
	t.Helper()
	return runLocus(t, dir, nil, input, args)
}

func runLocus(t testing.TB, dir string, env []string, input string, args []string) result {
	t.Helper()
	needCI(t)
	var out, errOut bytes.Buffer
	cmd := command(dir, args...)
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin = strings.NewReader(input)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	start := time.Now()
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{out.String(), errOut.String(), cmd.ProcessState.ExitCode(), maxMemory(cmd.ProcessState), time.Since(start)}
}

// command returns the command locus, to be run in the directory dir with an empty home directory
// and no configuration.
func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	return cmd
}

func locus(t testing.TB, args ...string) result {
	t.Helper()
	return locusIn(t, t.TempDir(), args...)
}

// want fails the test unless the run ended with the given status and printed the given text.
func (r result) want(t *testing.T, status int, out string) {
	t.Helper()
	if r.status != status || r.out != out {
		t.Fatalf("status %d, output %q, messages:\n%s\nwant status %d, output %q", r.status, clip(r.out), r.err, status, clip(out))
	}
	if strings.Contains(r.err, password) || strings.Contains(r.err, encodedPassword) {
		t.Fatalf("the password is in the messages:\n%s", r.err)
	}
}

// says fails the test unless the messages contain all of the words.
func (r result) says(t *testing.T, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(r.err, word) {
			t.Fatalf("the messages don't say %q:\n%s", word, r.err)
		}
	}
}

func clip(s string) string {
	if len(s) > 400 {
		return s[:400] + "..."
	}
	return s
}
