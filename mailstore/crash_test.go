package mailstore

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// childEnv makes the test's program one that indexes the mail in the folder that
// it names.
const childEnv = "LOCUS_TEST_MAILSTORE"

const crashMessages = 3000

func child(dir string) {
	s, err := Open(context.Background(), Options{Cache: filepath.Join(dir, "cache"), Sources: []string{filepath.Join(dir, "mail")}})
	if err != nil {
		panic(err)
	}
	s.batch = 50
	for {
		// "Now" is said again and again, and the parent ends us at one of them.
		err := s.Rebuild(context.Background(), func(p Progress) { fmt.Println("now") })
		if err != nil {
			panic(err)
		}
	}
}

// A process that is killed in the middle leaves an index that gives no wrong
// answers, and the next one continues.
func TestCrash(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "mail", "a"), "")
	writeMbox(t, filepath.Join(dir, "mail", "a"), crashMessages)
	for i := range 200 {
		write(t, filepath.Join(dir, "mail", "files", fmt.Sprint(i)), letter(fmt.Sprintf("file%d@a", i), "x"))
	}
	for after := range 6 {
		crash(t, dir, after)
		s, n := openStore(t, filepath.Join(dir, "cache"), filepath.Join(dir, "mail"))
		for i := 0; i < crashMessages; i += 17 {
			list, err := s.Find(t.Context(), id(i))
			if len(list) != 1 || err != nil {
				t.Fatalf("after %d: %d: %v, %v", after, i, list, err)
			}
		}
		for i := range 200 {
			finds(t, s, fmt.Sprintf("file%d@a", i), "x", filepath.Join(dir, "mail", "files", fmt.Sprint(i)))
		}
		if len(n.list) > 0 {
			t.Logf("after %d: %q", after, n.list)
		}
	}
}

// crash lets a child index, and kills it when it has said "now" some times.
func crash(t *testing.T, dir string, after int) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range after + 1 {
		if !lines.Scan() {
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the child came to an end")
	}
}
