package faults

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A test starts its own test binary again. The environment selects the same test and a role for
// the child process.
const (
	roleVar   = "LOCUS_FAULTS_ROLE"
	folderVar = "LOCUS_FAULTS_FOLDER"
)

// IsChild reports whether Run started this process. A TestMain must then only run the tests.
func IsChild() bool { return os.Getenv(roleVar) != "" }

// The roles of child processes.
const (
	rolePut    = "put"         // stores entries, starting at a given number, until the parent kills the process
	roleHold   = "hold"        // opens the store and stores every second entry, until the parent kills the process
	roleRead   = "read-only"   // opens a store in a read-only directory
	roleFiles  = "descriptors" // opens a store with few free file descriptors
	roleSized  = "sized"       // stores entries under a limit on the file size
	closeEvery = 7             // number of entries between two Close calls, for a store that acknowledges entries in Close
)

// child runs the role of a child process, such as "put 12".
func child(d *Driver, role, dir string) error {
	name, number, _ := strings.Cut(role, " ")
	n, _ := strconv.Atoi(number)
	switch name {
	case rolePut:
		return putAll(d, dir, n)
	case roleHold:
		return hold(d, dir, n)
	case roleRead:
		return tryReadOnly(d, dir, n)
	case roleFiles:
		return tryDescriptors(d, dir)
	case roleSized:
		return trySized(d, dir, n)
	}
	return fmt.Errorf("unknown role %q", role)
}

func start(t *testing.T, role, dir string, prepare func(*exec.Cmd)) (cmd *exec.Cmd, lines *bufio.Scanner) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	test, _, _ := strings.Cut(t.Name(), "/")
	cmd = exec.Command(program, "-test.run", "^"+test+"$", "-test.timeout", "5m")
	cmd.Env = append(os.Environ(), roleVar+"="+role, folderVar+"="+dir)
	cmd.Stderr = os.Stderr
	if prepare != nil {
		prepare(cmd)
	}
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
	return cmd, bufio.NewScanner(out)
}

// say prints a line for the parent process.
func say(text string, n int) { fmt.Println(text, n) }

// maxPut is the number of entries that a child process stores before it waits to be killed.
const maxPut = 5 * closeEvery

// putAll stores maxPut entries, beginning with the number in first, and prints the numbers of the
// acknowledged entries.
func putAll(d *Driver, dir string, first int) error {
	s, err := d.Open(dir)
	if err != nil {
		return err
	}
	for i := first; i < first+maxPut; i++ {
		if err := s.Put(i); err != nil {
			return err
		}
		say("put", i)
		if d.Promise != AtClose || i%closeEvery != closeEvery-1 {
			continue
		}
		if err := s.Close(); err != nil {
			return err
		}
		say("closed", i)
		if s, err = d.Open(dir); err != nil {
			return err
		}
	}
	time.Sleep(time.Hour) // wait until the parent kills this process
	return nil
}

// kill kills child processes at random times. After each kill, it looks up the acknowledged
// entries.
func kill(t *testing.T, d *Driver) {
	dir := folder(t)
	fill(t, d, dir, 1) // other tests use an empty store
	next, acknowledged := 1, map[int]bool{0: true}
	rounds := 2
	if thorough() {
		rounds = 8
	}
	for round := range rounds {
		cmd, lines := start(t, rolePut+" "+strconv.Itoa(next), dir, nil)
		random := rand.New(rand.NewPCG(1738, uint64(round)))
		stop := 1 + random.IntN(2*closeEvery)
		last := next - 1
		note := func(line string) {
			word, number, _ := strings.Cut(line, " ")
			n, err := strconv.Atoi(number)
			if err != nil {
				t.Fatalf("the process says %q", line)
			}
			switch {
			case word == "put" && d.Promise == AtPut:
				acknowledged[n] = true
			case word == "closed":
				for i := next; i <= n; i++ {
					acknowledged[i] = true
				}
			}
			last = max(last, n)
		}
		for range stop {
			if !lines.Scan() {
				t.Fatal("the process ended")
			}
			note(lines.Text())
		}
		time.Sleep(time.Duration(random.IntN(3000)) * time.Microsecond) // wait until a random moment before the kill
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			note(lines.Text())
		}
		cmd.Wait()
		next = last + 2 // the entry after the last acknowledged entry may be missing
		check(t, d, dir, next, func(i int) bool { return acknowledged[i] })
		acknowledged[next] = d.Promise != Never
		next++
	}
	for _, pattern := range d.Litter {
		for _, name := range d.files(t, dir) {
			if ok, err := filepath.Match(pattern, filepath.Base(name)); ok || err != nil {
				t.Errorf("%s remains: %v", name, err)
			}
		}
	}
}

// hold opens the store and stores every second entry, beginning with entry n.
func hold(d *Driver, dir string, n int) error {
	s, err := d.Open(dir)
	if err != nil {
		return err
	}
	if !d.Shared {
		if err := s.Put(n); err != nil {
			return err
		}
		say("open", n)
		time.Sleep(time.Hour) // wait until the parent kills this process
	}
	say("open", n)
	for i := n; i < 2*d.entries(); i += 2 {
		if err := s.Put(i); err != nil {
			return err
		}
	}
	return s.Close()
}

// two opens the store while another process uses it.
func two(t *testing.T, d *Driver) {
	dir := folder(t)
	fill(t, d, dir, 2)
	cmd, lines := start(t, roleHold+" 3", dir, nil)
	if !lines.Scan() || !strings.HasPrefix(lines.Text(), "open") {
		t.Fatalf("the other process says %q", lines.Text())
	}
	if !d.Shared {
		s, err := d.Open(dir)
		if err == nil {
			t.Error("two processes have it open")
			s.Close()
		} else {
			says(t, dir, err)
			if text := err.Error(); !strings.Contains(text, strconv.Itoa(cmd.Process.Pid)) && !strings.Contains(text, "another process") {
				t.Errorf("%q does not say that process %d has it", text, cmd.Process.Pid)
			}
		}
		cmd.Process.Kill()
		cmd.Wait()
		check(t, d, dir, 2, everything)
		return
	}
	s, err := d.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := 2; i < 2*d.entries(); i += 2 {
		if err := s.Put(i); err != nil {
			t.Errorf("entry %d: %v", i, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for lines.Scan() {
		t.Error(lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	check(t, d, dir, 2*d.entries(), everything)
}

// folder returns a new directory that every user can read.
func folder(t *testing.T) string {
	t.Helper()
	// Use a file system in memory if possible, because stores would wait for a disk and this
	// test does not need one.
	dir, err := os.MkdirTemp("/dev/shm", "locus-faults-")
	if err != nil {
		dir, err = os.MkdirTemp("", "locus-faults-")
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// outcome waits for the end of a process and returns its remaining output.
func outcome(t *testing.T, cmd *exec.Cmd, lines *bufio.Scanner) (texts []string) {
	t.Helper()
	for lines.Scan() {
		texts = append(texts, lines.Text())
	}
	if err := errors.Join(lines.Err(), cmd.Wait()); err != nil {
		t.Errorf("the process: %v: %s", err, strings.Join(texts, "\n"))
	}
	return texts
}
