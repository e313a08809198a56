package command_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// start starts the command, and returns the first line that it writes. The process ends with
// the test.
func start(t *testing.T, args ...string) (cmd *exec.Cmd, first string) {
	t.Helper()
	cmd = locusBeam(t, t.TempDir(), args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	first, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	return cmd, strings.TrimSpace(first)
}

// separate starts a job server and a pool of workers, and returns the flags that use them.
func separate(t *testing.T) (worker *exec.Cmd, flags []string) {
	t.Helper()
	free, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	start(t, "server", "--port", fmt.Sprint(port))
	worker, address := start(t, "worker", "--port", "0")
	address = strings.TrimPrefix(address, "workers at ")
	return worker, []string{"--endpoint", fmt.Sprintf("localhost:%d", port), "--environment_type", "EXTERNAL", "--environment_config", address}
}

// TestSeparateProcesses runs a pipeline on a job server and a worker, which are processes of
// their own, and compares the result with that of one process.
func TestSeparateProcesses(t *testing.T) {
	if testing.Short() && os.Getenv("CI") == "" {
		t.Skip("starts three processes")
	}
	folder := t.TempDir()
	lists(t, folder, "a", 1)
	_, flags := separate(t)
	for _, pipeline := range []string{"unique", "check"} {
		input := filepath.Join(folder, "a-*")
		mustRun(t, folder, append([]string{pipeline, input, "--output", filepath.Join(folder, "far-"+pipeline)}, flags...)...)
		mustRun(t, folder, pipeline, input, "--output", "near-"+pipeline)
		far, near := output(t, folder, "far-"+pipeline), output(t, folder, "near-"+pipeline)
		slices.Sort(far)
		slices.Sort(near)
		if !slices.Equal(far, near) || len(near) == 0 {
			t.Errorf("%s: %d rows of separate processes, %d of one", pipeline, len(far), len(near))
		}
	}
}

// TestKilledWorker kills the worker while it reads.
func TestKilledWorker(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("asks /proc how much the worker has read")
	}
	folder := t.TempDir()
	write(t, folder, "list", corpus(1, 5_000_000))
	for i := range 60 {
		if err := os.Link(filepath.Join(folder, "list"), filepath.Join(folder, fmt.Sprintf("list-%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	worker, flags := separate(t)
	job := locusBeam(t, folder, append([]string{"unique", filepath.Join(folder, "list-*"), "--output", filepath.Join(folder, "out/unique")}, flags...)...)
	var stderr bytes.Buffer
	job.Stderr = &stderr
	if err := job.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(patience)
	for hasRead(t, worker.Process.Pid) < 30_000_000 {
		if time.Now().After(deadline) {
			t.Fatal("the worker does not read")
		}
		time.Sleep(time.Millisecond)
	}
	worker.Process.Kill()
	done := make(chan error, 1)
	go func() { done <- job.Wait() }()
	select {
	case <-done:
	case <-time.After(patience):
		job.Process.Kill()
		t.Fatalf("the job does not end\n%s", &stderr)
	}
	if status := job.ProcessState.ExitCode(); status != 3 {
		t.Errorf("status %d\n%s", status, &stderr)
	}
	entries, _ := os.ReadDir(filepath.Join(folder, "out"))
	if len(entries) > 0 {
		t.Errorf("it leaves %v", entries)
	}
	if message := stderr.String(); strings.Count(message, "\n") != 1 || !strings.HasPrefix(message, "locus-beam: ") {
		t.Errorf("standard error %q", message)
	}
}

// hasRead returns how many octets a process has read.
func hasRead(t *testing.T, pid int) (n int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscanf(string(text), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestInterrupt interrupts a job: the status is 130, and nothing is left.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("asks /proc how much the command has read")
	}
	folder := t.TempDir()
	write(t, folder, "list", corpus(1, 5_000_000))
	for i := range 60 {
		if err := os.Link(filepath.Join(folder, "list"), filepath.Join(folder, fmt.Sprintf("list-%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	job := locusBeam(t, folder, "unique", "list-*", "--output", "out/unique")
	if err := job.Start(); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(patience)
	for hasRead(t, job.Process.Pid) < 30_000_000 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	job.Process.Signal(os.Interrupt)
	job.Wait()
	if status := job.ProcessState.ExitCode(); status != 130 {
		t.Errorf("status %d", status)
	}
	if entries, _ := os.ReadDir(filepath.Join(folder, "out")); len(entries) > 0 {
		t.Errorf("it leaves %v", entries)
	}
}
