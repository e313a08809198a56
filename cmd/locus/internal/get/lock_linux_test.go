package get_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// Two processes fetch the same URL to the same file. The second process reports which process
// holds the lock, waits, and then finds the complete file.
func TestGetTwoProcesses(t *testing.T) {
	locus, err := exec.LookPath("locus")
	if err != nil {
		t.Fatal(err)
	}
	octets := bytes.Repeat([]byte("0123456789"), 10_000)
	begun, release := make(chan struct{}), make(chan struct{})
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		w.Header().Set("Content-Length", fmt.Sprint(len(octets)))
		w.Write(octets[:50_000])
		w.(http.Flusher).Flush()
		close(begun)
		<-release
		w.Write(octets[50_000:])
	}))
	defer server.Close()
	dir := t.TempDir()
	start := func() (*exec.Cmd, io.Reader) {
		cmd := exec.CommandContext(t.Context(), locus, "get", "-O", "-C", "-d", dir, server.URL+"/file")
		errOut, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, errOut
	}
	first, firstErr := start()
	<-begun
	second, secondErr := start()
	said := bufio.NewScanner(secondErr)
	want := fmt.Sprintf("locus: %s: process %d is downloading it; waiting for it", filepath.Join(dir, "file"), first.Process.Pid)
	if !said.Scan() || said.Text() != want {
		t.Errorf("%q, want %q", said.Text(), want)
	}
	close(release)
	more, _ := io.ReadAll(firstErr)
	if err := first.Wait(); err != nil || len(more) > 0 {
		t.Errorf("the first: %v, %s", err, more)
	}
	if !said.Scan() || !strings.HasSuffix(said.Text(), "already exists; skipped") {
		t.Errorf("%q, want %q at the end of said.Text()", said.Text(), "already exists; skipped")
	}
	if err := second.Wait(); err != nil {
		t.Errorf("the second: %v", err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "file"))
	if err != nil || !bytes.Equal(got, octets) || requests.Load() != 1 {
		t.Errorf("%d octets, %v, %d requests", len(got), err, requests.Load())
	}
	if list, _ := os.ReadDir(dir); len(list) != 1 {
		t.Errorf("ReadDir(%q) = %v, want 1 of list", dir, list)
	}
}
