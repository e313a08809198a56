package cache

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus/scheme/all"
)

// childEnv makes the test's program one that fills the store in the folder that it
// names.
const childEnv = "LOCUS_TEST_CACHE"

// crashURL is one of many whose bodies are of all sizes.
func crashURL(i int) (url string, n int) {
	n = i * 7919 % 5000
	if i%7 == 0 {
		n *= 50
	}
	return fmt.Sprintf("http://h/%d/%d", n, i), n
}

const crashURLs = 300

func child(dir string) {
	r, err := all.Registry()
	if err != nil {
		panic(err)
	}
	s, err := Open(dir, r, &Options{Size: 4 << 20})
	if err != nil {
		panic(err)
	}
	rt := s.Transport(texts())
	for round := 0; ; round++ {
		var all sync.WaitGroup
		for worker := range 4 {
			all.Go(func() {
				for i := worker; i < crashURLs; i += 4 {
					url, _ := crashURL((i + round*17) % crashURLs)
					req, err := http.NewRequestWithContext(context.Background(), "GET", url, nil)
					if err != nil {
						panic(err)
					}
					resp, err := rt.RoundTrip(req)
					if err != nil {
						panic(err)
					}
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
					if i%20 == 0 {
						// "Now" is said again and again, and the parent ends us at one of them.
						fmt.Println("now")
					}
				}
			})
		}
		all.Wait()
	}
}

// A process that is killed in the middle leaves a store that opens, and that gives
// nothing wrong.
func TestCrash(t *testing.T) {
	dir := t.TempDir()
	hits := 0
	for _, after := range []int{0, 3, 20, 60, 61, 150} {
		crash(t, dir, after)
		s := openStore(t, dir, &Options{Size: 4 << 20})
		rt := s.Transport(texts())
		// In another order than before: what was used last is asked for before it is evicted.
		for _, i := range rand.New(rand.NewPCG(1738, uint64(after))).Perm(crashURLs) {
			url, n := crashURL(i)
			resp, body, err := ask(rt, request(t, "GET", url))
			if err != nil || body != text(url, n) {
				t.Fatalf("after %d: %s: %d octets, %v", after, url, len(body), err)
			}
			if strings.Contains(resp.Header.Get("Cache-Status"), "; hit") {
				hits++
			}
		}
		if used := diskUsage(t, s); used > 4<<20 {
			t.Errorf("after %d: %d octets", after, used)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if s.Stats().Entries != countBodies(t, s) {
			t.Errorf("after %d: %d answers, %d files", after, s.Stats().Entries, countBodies(t, s))
		}
	}
	if hits == 0 {
		t.Error("nothing was kept")
	}
}

// crash lets a child fill the store, and kills it when it has said "now" some times.
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
