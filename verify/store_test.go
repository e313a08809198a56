package verify

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
)

func openTestStore(t *testing.T, path string) *Store {
	t.Helper()
	s, err := OpenStore(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closeStore(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A run uses the outcomes of an earlier run until they are too old.
func TestStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache", "verify.db")
	const doc = "http://a.example/ok http://a.example/none http://a.example/moved http://a.example/page#one http://a.example/page#three http://a.example/inside http://a.example/status/403"
	run := func(change func(*fixture)) (got []Result, asked int) {
		t.Helper()
		w := newFixture(t, policy.Rules{Passwords: true})
		w.serve("a.example", pages)
		w.o.Store = openTestStore(t, path)
		defer closeStore(t, w.o.Store)
		text := doc
		if change != nil {
			change(w)
			if w.o.NoFragments {
				w.o.NoFragments, text = false, doc+" http://a.example/page#two http://u:pass@a.example/ok"
			}
		}
		got = w.run(textDoc("d", text))
		return got, len(w.requestedURLs())
	}
	lines := func(list []Result) string {
		var b strings.Builder
		for _, r := range list {
			fmt.Fprintln(&b, line(r))
		}
		return b.String()
	}
	first, asked := run(nil)
	if asked == 0 {
		t.Fatal("nothing was asked")
	}
	again, asked := run(nil)
	if lines(again) != lines(first) {
		t.Errorf("first\n%sthen\n%s", lines(first), lines(again))
	}
	// Denied links are checked again, and so are redirects to them.
	if asked != 1 {
		t.Errorf("asked %d times again", asked)
	}
	for _, r := range again {
		if r.Cached == (r.Verdict == Denied) {
			t.Errorf("%s: cached %v", line(r), r.Cached)
		}
	}
	// A fragment that was not checked in an earlier run is checked.
	more, asked := run(func(w *fixture) { w.o.NoFragments = true })
	if n := len(more); more[n-2].Verdict != Alive || more[n-2].Cached || asked != 3 {
		t.Errorf("%d requests, %s", asked, lines(more))
	}
	// Bad outcomes expire before other outcomes.
	_, asked = run(func(w *fixture) { w.o.MaxAgeBad = None })
	if asked != 6 { // one request each for the denied URL and the page, and two each for the dead URL and the URL with status 403
		t.Errorf("asked %d times", asked)
	}
	if _, asked = run(func(w *fixture) { w.o.MaxAge = None }); asked < 8 {
		t.Errorf("asked %d times", asked)
	}
	octets, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(octets), "pass") {
		t.Errorf("a password is in the store, or %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// Old outcomes are deleted now and then.
func TestStoreSweep(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verify.db")
	now := time.Now()
	key := func(name string) recordKey { return targetKey{url: locus.MustParse("http://h/" + name)}.key() }
	kept := func(want ...string) {
		t.Helper()
		s := openTestStore(t, path)
		defer closeStore(t, s)
		var got []string
		for _, name := range []string{"new", "year", "old"} {
			if _, ok := s.get(key(name)); ok {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("kept %q, want %q", got, want)
		}
	}
	put := func(name string, age time.Duration) {
		t.Helper()
		s := openTestStore(t, path)
		s.put(key(name), record{Verdict: Alive, When: now.Add(-age).Unix()})
		closeStore(t, s)
	}
	put("new", 0)
	put("year", 365*24*time.Hour)
	put("old", 500*24*time.Hour)
	kept("new", "year", "old") // the sweep ran when the first outcome was stored
	s := openTestStore(t, path)
	if err := s.sweep(now.Add(sweepEvery + time.Hour)); err != nil {
		t.Error(err)
	}
	closeStore(t, s)
	kept("new", "year")
}

// A run does not use a stored outcome of a URL that the policy of this run denies.
func TestStoreAndPolicy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verify.db")
	const doc = "http://127.0.0.1/ok http://a.example:900/none http://a.example/ok"
	for _, c := range []struct {
		rules policy.Rules
		want  string
	}{
		{policy.Rules{AllowPrivate: true, Ports: []uint16{900}}, "alive dead alive"},
		{policy.Rules{AllowPrivate: true, Ports: []uint16{900}}, "alive, cached dead, cached alive, cached"},
		{policy.Rules{}, "ignored denied alive, cached"},
		{policy.Rules{AllowPrivate: true}, "alive, cached denied alive, cached"},
	} {
		w := newFixture(t, c.rules)
		w.serve("a.example", pages)
		w.servers["127.0.0.1"] = w.servers[w.names["a.example"]]
		w.o.Store = openTestStore(t, path)
		var got []string
		for _, r := range w.run(textDoc("d", doc)) {
			text := r.Verdict.String()
			if r.Cached {
				text += ", cached"
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%+v: %s, want %s", c.rules, text, c.want)
		}
		closeStore(t, w.o.Store)
	}
}

func TestAges(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	for _, c := range []struct {
		r    record
		want bool
	}{
		{record{Verdict: Alive, When: 1_000_000 - 3600}, true},
		{record{Verdict: Alive, When: 1_000_000 - 24*3600}, false},
		{record{Verdict: Dead, When: 1_000_000 - 60}, true},
		{record{Verdict: Dead, When: 1_000_000 - 3600}, false},
		{record{Verdict: Alive, When: 1_000_000 - 3600, Fragments: map[string]bool{"a": false}}, false},
		{record{Verdict: Alive, When: 1_000_060}, false},
	} {
		if got := c.r.isFresh(now, 24*time.Hour, time.Hour); got != c.want {
			t.Errorf("%+v: %v", c.r, got)
		}
	}
}

func TestStoreBusy(t *testing.T) {
	t.Parallel() // the test waits for a lock
	path := filepath.Join(t.TempDir(), "verify.db")
	s := openTestStore(t, path)
	defer closeStore(t, s)
	if _, err := OpenStore(path); !errors.Is(err, ErrBusy) {
		t.Errorf("%v", err)
	}
}

// A damaged lock file does not damage the content of the store.
func TestStoreLockDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verify.db")
	key := targetKey{url: locus.MustParse("http://h/")}.key()
	s := openTestStore(t, path)
	s.put(key, record{Verdict: Alive, When: time.Now().Unix()})
	closeStore(t, s)
	if err := os.WriteFile(path+".lock", []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	s = openTestStore(t, path)
	if _, ok := s.get(key); !ok || s.Rebuilt() {
		t.Errorf("%v, %v", ok, s.Rebuilt())
	}
	closeStore(t, s)
}

// A damaged store is replaced, and never makes the program exit.
func TestStoreDamaged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "verify.db")
	s := openTestStore(t, path)
	keys := make([]recordKey, 2000)
	begin := time.Now().Unix()
	for i := range keys {
		keys[i] = targetKey{url: locus.MustParse(fmt.Sprint("http://h/", i))}.key()
		s.put(keys[i], record{Verdict: Alive, When: begin + int64(i), Detail: strings.Repeat("x", i%100)})
	}
	closeStore(t, s)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	look := func(name string, octets []byte) (rebuilt bool, found int) {
		t.Helper()
		if err := os.WriteFile(path, octets, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := OpenStore(path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, key := range keys {
			if r, ok := s.get(key); ok {
				found++
				if r.When != begin+int64(i) {
					t.Errorf("%s: another's record", name)
				}
			}
		}
		s.put(keys[0], record{Verdict: Dead, When: begin})
		rebuilt = s.Rebuilt()
		closeStore(t, s)
		return rebuilt, found
	}
	if rebuilt, found := look("whole", whole); rebuilt || found != len(keys) {
		t.Errorf("%v, %d", rebuilt, found)
	}
	for name, octets := range map[string][]byte{"text": []byte(strings.Repeat("no database\n", 1000)), "cut": whole[:len(whole)/2], "zeros": make([]byte, len(whole))} {
		if rebuilt, found := look(name, octets); !rebuilt || found != 0 {
			t.Errorf("%s: %v, %d", name, rebuilt, found)
		}
		if _, err := os.Stat(path + ".damaged"); err != nil {
			t.Error(err)
		}
	}
	if rebuilt, found := look("empty", nil); rebuilt || found != 0 {
		t.Errorf("empty: %v, %d", rebuilt, found)
	}
	for round := range 60 {
		r := rand.New(rand.NewPCG(1738, uint64(round)))
		octets := append([]byte(nil), whole...)
		for range 1 + r.IntN(20) {
			octets[r.IntN(len(octets))] = byte(r.IntN(256))
		}
		look(fmt.Sprint("round ", round), octets)
	}
}

// childStore is an environment variable that the test sets for the process to be killed.
const childStore = "LOCUS_VERIFY_CHILD_STORE"

// After a kill, the next run continues.
func TestResumeAfterKill(t *testing.T) {
	if path := os.Getenv(childStore); path != "" {
		s := openTestStore(t, path)
		for i := 1; ; i++ {
			s.put(targetKey{url: locus.MustParse(fmt.Sprint("http://h/", i))}.key(), record{Verdict: Alive, When: time.Now().Unix()})
			if i%batchSize == 0 {
				waitForFlush(s)
				fmt.Println("written")
			}
		}
	}
	path := filepath.Join(t.TempDir(), "verify.db")
	cmd := exec.Command(os.Args[0], "-test.run", "^TestResumeAfterKill$")
	cmd.Env = append(os.Environ(), childStore+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const batches = 10
	for n, buf := 0, make([]byte, 1); n < batches; {
		if _, err := out.Read(buf); err != nil {
			t.Fatal(err)
		}
		if buf[0] == '\n' {
			n++
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	s := openTestStore(t, path)
	defer closeStore(t, s)
	found := 0
	for i := range batches * batchSize {
		if _, ok := s.get(targetKey{url: locus.MustParse(fmt.Sprint("http://h/", i+1))}.key()); ok {
			found++
		}
	}
	if s.Rebuilt() || found != batches*batchSize {
		t.Errorf("%d of %d are there, rebuilt %v", found, batches*batchSize, s.Rebuilt())
	}
}

// waitForFlush waits until the store has written its outcomes without a call of Close.
func waitForFlush(s *Store) {
	for waits := true; waits; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		waits = len(s.pending) > 0
		s.mu.Unlock()
	}
	s.writing.Lock() // wait until the batch is in the file
	defer s.writing.Unlock()
}

// A second run after an interrupted one requests only the remaining links.
func TestResumeInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verify.db")
	var text strings.Builder
	for i := range 50 {
		fmt.Fprintf(&text, "http://a.example/status/2%02d\n", i)
	}
	asked := 0
	for round := range 2 {
		w := newFixture(t, policy.Rules{})
		w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {})
		w.o.Store = openTestStore(t, path)
		n := 0
		for range w.start(t.Context(), textDoc("d", text.String())) {
			if n++; n == 20 && round == 0 {
				break
			}
		}
		closeStore(t, w.o.Store)
		asked += len(w.requestedURLs())
	}
	// Requests in flight at the interruption are repeated.
	if asked < 50 || asked > 50+2 {
		t.Errorf("%d requests for 50 URLs", asked)
	}
}
