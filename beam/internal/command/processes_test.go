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
	"sync"
	"testing"
	"time"
)

// start starts the command, and returns the first line that it writes. The process is stopped at
// the end of the test.
func start(t *testing.T, args ...string) (cmd *exec.Cmd, first string) {
	t.Helper()
	return startIn(t, "", args...)
}

// startIn is like start, but runs the command in a network namespace.
func startIn(t *testing.T, namespace string, args ...string) (cmd *exec.Cmd, first string) {
	t.Helper()
	cmd = locusBeam(t, t.TempDir(), args...)
	enter(cmd, namespace)
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

// enter makes a command start in the named network namespace. If the name is empty, it does
// nothing.
func enter(cmd *exec.Cmd, namespace string) {
	if namespace != "" {
		cmd.Args = append([]string{"ip", "netns", "exec", namespace, cmd.Path}, cmd.Args[1:]...)
		cmd.Path = "/usr/sbin/ip"
	}
}

// separate starts a job server and a pool of workers, and returns the flags that select them.
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

// TestSeveralWorkers runs concurrent jobs on one job server. Each job has its own worker.
func TestSeveralWorkers(t *testing.T) {
	if testing.Short() && os.Getenv("CI") == "" {
		t.Skip("starts four processes")
	}
	folder := t.TempDir()
	write(t, folder, "list", corpus(1, 500_000))
	mustRun(t, folder, "list", "--output", "near")
	near := output(t, folder, "near")
	slices.Sort(near)
	_, flags := separate(t)
	_, address := start(t, "worker", "--port", "0")
	other := append(slices.Clone(flags[:len(flags)-1]), strings.TrimPrefix(address, "workers at "))
	var jobs sync.WaitGroup
	for i, flags := range [][]string{flags, other} {
		jobs.Go(func() {
			prefix := filepath.Join(folder, fmt.Sprint("far", i))
			if status, stderr := run(t, folder, append([]string{filepath.Join(folder, "list"), "--output", prefix}, flags...)...); status != 0 {
				t.Errorf("status %d: %s", status, stderr)
			}
		})
	}
	jobs.Wait()
	for i := range 2 {
		far := output(t, folder, fmt.Sprint("far", i))
		slices.Sort(far)
		if !slices.Equal(far, near) || len(near) == 0 {
			t.Errorf("job %d: %d rows, of one process %d", i, len(far), len(near))
		}
	}
}

// TestKilledWorker kills the worker while it reads.
func TestKilledWorker(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("asks /proc how much the worker has read")
	}
	folder := t.TempDir()
	manyLists(t, folder)
	worker, flags := separate(t)
	job := locusBeam(t, folder, append([]string{"unique", filepath.Join(folder, "list-*"), "--output", filepath.Join(folder, "out/unique")}, flags...)...)
	var stderr bytes.Buffer
	job.Stderr = &stderr
	if err := job.Start(); err != nil {
		t.Fatal(err)
	}
	waitForRead(t, worker.Process.Pid, listsSize/2)
	worker.Process.Kill()
	done := make(chan error, 1)
	go func() { done <- job.Wait() }()
	select {
	case <-done:
	case <-time.After(testTimeout):
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

// listsSize is the approximate total size of the lists from manyLists, in bytes.
const listsSize = 60 * 5_000_000

// manyLists writes many lists to a directory. The lists use little disk space.
func manyLists(t *testing.T, folder string) {
	t.Helper()
	write(t, folder, "list", corpus(1, listsSize/60))
	for i := range 60 {
		if err := os.Link(filepath.Join(folder, "list"), filepath.Join(folder, fmt.Sprintf("list-%d", i))); err != nil {
			t.Fatal(err)
		}
	}
}

// waitForRead waits until a process has read n bytes.
func waitForRead(t *testing.T, pid int, n int64) {
	t.Helper()
	deadline := time.Now().Add(testTimeout)
	for hasRead(t, pid) < n {
		if time.Now().After(deadline) {
			t.Fatal("the process does not read")
		}
		time.Sleep(time.Millisecond)
	}
}

// hasRead returns the number of bytes that a process has read.
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

// TestInterrupt interrupts a job. The exit status must be 130, and no files may remain. A job
// service must also end the job, so that its worker stops reading.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("asks /proc how much a process has read")
	}
	folder := t.TempDir()
	manyLists(t, folder)
	interrupt := func(t *testing.T, reader func(job *exec.Cmd) int, flags ...string) {
		job := locusBeam(t, folder, append([]string{"unique", filepath.Join(folder, "list-*"), "--output", filepath.Join(folder, "out/unique")}, flags...)...)
		var stderr bytes.Buffer
		job.Stderr = &stderr
		if err := job.Start(); err != nil {
			t.Fatal(err)
		}
		waitForRead(t, reader(job), 30_000_000)
		job.Process.Signal(os.Interrupt)
		job.Wait()
		if status := job.ProcessState.ExitCode(); status != 130 || stderr.String() != "locus-beam: interrupted\n" {
			t.Errorf("status %d, %q", status, &stderr)
		}
		if entries, _ := os.ReadDir(filepath.Join(folder, "out")); len(entries) > 0 {
			t.Errorf("it leaves %v", entries)
		}
	}
	t.Run("embedded", func(t *testing.T) {
		interrupt(t, func(job *exec.Cmd) int { return job.Process.Pid })
	})
	t.Run("job service", func(t *testing.T) {
		worker, flags := separate(t)
		interrupt(t, func(*exec.Cmd) int { return worker.Process.Pid }, flags...)
		if n := hasRead(t, worker.Process.Pid); n > listsSize/2 {
			t.Errorf("the worker has read %d octets", n)
		}
	})
}
