//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package transfer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus/internal/filelock"
)

// pair runs two jobs for one file. The second job begins when the first job has received
// some bytes, and the first job continues when the second job waits. The parameter cut is
// the offset at which the first job is interrupted. Zero means no interruption.
func pair(t *testing.T, dir string, o Options, cut int) (m *memory, first, second Result) {
	t.Helper()
	started, waits := make(chan struct{}), make(chan struct{})
	var once, onceBusy sync.Once
	data := octets(100_000)
	m = &memory{files: map[string]*file{"a": {data: data, cut: cut, cuts: 1, during: func(_ context.Context, n int64) {
		if n >= 30_000 {
			once.Do(func() {
				close(started)
				<-waits
			})
		}
	}}}}
	var running sync.WaitGroup
	running.Go(func() {
		o := o
		first = runOne(t, m, dir, &o)
	})
	<-started
	o.Progress = func(e Event) {
		if e.State != Busy {
			return
		}
		var busy *BusyError
		if !errors.As(e.Err, &busy) || busy.Process != os.Getpid() || busy.File != filepath.Join(dir, "a") {
			t.Errorf("waits for %v", e.Err)
		}
		onceBusy.Do(func() { close(waits) })
	}
	second = runOne(t, m, dir, &o)
	running.Wait()
	return m, first, second
}

// If there are two runs for one file, the second run waits, and then finds the complete
// file.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	m, first, second := pair(t, dir, Options{Resume: true}, 0)
	if first.Err != nil || first.Size != 100_000 || second.Err != nil || !second.Skipped || len(m.asked) != 1 {
		t.Errorf("%+v, %+v, %d requests", first, second, len(m.asked))
	}
	wantFile(t, dir, "a", m.files["a"].data)
	wantNames(t, dir, "a")
}

// Without Resume, the second run replaces the file only if Overwrite is set.
func TestLockWithoutResume(t *testing.T) {
	dir := t.TempDir()
	_, first, second := pair(t, dir, Options{}, 0)
	if first.Err != nil || !errors.Is(second.Err, ErrExists) {
		t.Errorf("%+v, %+v", first, second)
	}
	dir = t.TempDir()
	m, first, second := pair(t, dir, Options{Overwrite: true}, 0)
	if first.Err != nil || second.Err != nil || second.Size != 100_000 {
		t.Errorf("%+v, %+v", first, second)
	}
	wantFile(t, dir, "a", m.files["a"].data)
	wantNames(t, dir, "a")
}

// If the first run is interrupted, the second run resumes the part.
func TestLockContinues(t *testing.T) {
	dir := t.TempDir()
	m, first, second := pair(t, dir, Options{Resume: true}, 50_000)
	if !errors.Is(first.Err, errCut) || second.Err != nil || second.Resumed != 50_000 || second.Size != 100_000 {
		t.Errorf("%+v, %+v", first, second)
	}
	wantFile(t, dir, "a", m.files["a"].data)
	wantNames(t, dir, "a")
}

// The wait for another process ends with the context, and does not change the files of that
// process.
func TestLockInterrupted(t *testing.T) {
	dir := t.TempDir()
	p := part{folder: openRoot(t, dir), file: "a"}
	if err := p.tryLock(); err != nil {
		t.Fatal(err)
	}
	defer p.unlock()
	for name, text := range map[string]string{"a.part": "x", "a.part.json": `{"url": "x-mem://host.example/a", "size": 1}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m := &memory{files: map[string]*file{"a": {data: octets(10)}}}
	r := run(t, ctx, m, dir, &Options{Resume: true, Progress: func(e Event) {
		if e.State == Busy {
			cancel()
		}
	}}, Job{mem("a"), "a"})[0]
	if !errors.Is(r.Err, context.Canceled) || !strings.Contains(r.Err.Error(), "process ") || len(m.asked) != 0 {
		t.Errorf("%v, %d requests", r.Err, len(m.asked))
	}
	wantNames(t, dir, "a.part", "a.part.json", "a.part.lock")
}

// The files of a killed process do not make another process wait. Run does not change a
// file that is not a lock file.
func TestLockOfKilledProcess(t *testing.T) {
	for text, ours := range map[string]bool{"": true, `{"process":1}` + "\n": true, "my notes": false, "{}": false, strings.Repeat(" ", 2*filelock.MaxText): false} {
		dir := t.TempDir()
		name := filepath.Join(dir, "a.part.lock")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		m := &memory{files: map[string]*file{"a": {data: octets(10)}}}
		r := runOne(t, m, dir, nil)
		if ours {
			if r.Err != nil {
				t.Errorf("%q: %v", text, r.Err)
			}
			wantNames(t, dir, "a")
			continue
		}
		if got, _ := os.ReadFile(name); !errors.Is(r.Err, ErrForeign) || string(got) != text {
			t.Errorf("%q: %v, and it is %q", text, r.Err, got)
		}
	}
	dir := t.TempDir()
	if err := os.Symlink("elsewhere", filepath.Join(dir, "a.part.lock")); err != nil {
		t.Fatal(err)
	}
	if r := runOne(t, &memory{files: map[string]*file{"a": {}}}, dir, nil); !errors.Is(r.Err, ErrForeign) {
		t.Errorf("a link: %v", r.Err)
	}
}

// If many processes download one file, only one process at a time holds the lock, and no
// lock file remains.
func TestLockMany(t *testing.T) {
	dir := t.TempDir()
	root := openRoot(t, dir)
	var inside, taken int
	var mu sync.Mutex
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for n := 0; n < 50; {
				p := part{folder: root, file: "a"}
				err := p.tryLock()
				if errors.As(err, new(*BusyError)) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				n++
				mu.Lock()
				inside++
				taken++
				if inside != 1 {
					t.Errorf("%d have the lock", inside)
				}
				mu.Unlock()
				mu.Lock()
				inside--
				mu.Unlock()
				p.unlock()
			}
		})
	}
	running.Wait()
	if taken != 8*50 {
		t.Errorf("taken %d times", taken)
	}
	wantNames(t, dir)
}
