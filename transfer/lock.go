package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// A file that is being fetched has a third file beside its part, NAME.part.lock,
// which the process that fetches it has locked and which names this process. The
// system ends the lock with the process, so that a lock of a process that was killed
// keeps no other waiting.

// lockSuffix is that of the lock. It is no longer than sourceSuffix.
const lockSuffix = ".part.lock"

// holder is the process that has a lock, as the lock's file has it.
type holder struct {
	Process int `json:"process"`
}

// maxHolder is more than the longest holder.
const maxHolder = 1 << 10

// errLocked is that another process has a lock.
var errLocked = errors.New("locked")

// BusyError tells that another process, or another run of this one, writes the same
// file.
type BusyError struct {
	File    string // the path of the file
	Process int    // 0: unknown
}

func (e *BusyError) Error() string {
	if e.Process == 0 {
		return e.File + ": another process fetches it"
	}
	return fmt.Sprintf("%s: process %d fetches it", e.File, e.Process)
}

func (p *part) lockName() string { return shorten(p.file, maxName-len(sourceSuffix)) + lockSuffix }

// tryLock locks the part. The error is a [*BusyError] if another process has it.
// Where the file system has no locks there is none.
func (p *part) tryLock() error {
	for {
		f, err := p.openLock()
		if err != nil {
			return err
		}
		err = lockFile(f)
		if errors.Is(err, errLocked) {
			busy := &BusyError{File: p.path(p.file), Process: readHolder(f)}
			f.Close()
			return busy
		}
		if err != nil && !errors.Is(err, errors.ErrUnsupported) {
			f.Close()
			return p.err(p.lockName(), err)
		}
		mine, err := f.Stat()
		there, err2 := p.folder.Lstat(p.lockName())
		if err == nil && err2 == nil && os.SameFile(mine, there) {
			p.lock = f
			text, _ := json.Marshal(holder{os.Getpid()})
			// The lock holds without the name of its process.
			_ = f.Truncate(0)
			_, _ = f.WriteAt(append(text, '\n'), 0)
			return nil
		}
		// The process that had it removed it meanwhile.
		f.Close()
	}
}

// openLock opens the file of the lock. It is an error if that is not a lock's file.
func (p *part) openLock() (*os.File, error) {
	name := p.lockName()
	if info, err := p.folder.Lstat(name); err == nil && (!info.Mode().IsRegular() || info.Size() > maxHolder) {
		return nil, p.foreign(name)
	}
	f, err := p.folder.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, p.err(name, err)
	}
	if info, err := f.Stat(); err == nil && info.Size() > 0 && readHolder(f) == 0 {
		f.Close()
		return nil, p.foreign(name)
	}
	return f, nil
}

// readHolder returns the process that a lock's file names; 0: none.
func readHolder(f *os.File) int {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, maxHolder))
	var h holder
	if err != nil || json.Unmarshal(text, &h) != nil {
		return 0
	}
	return h.Process
}

// unlock ends the lock. The file goes first: with the lock still held, no other
// process takes it for a file to lock.
func (p *part) unlock() {
	if p.lock == nil {
		return
	}
	mine, err := p.lock.Stat()
	there, err2 := p.folder.Lstat(p.lockName())
	left := err == nil && err2 == nil && os.SameFile(mine, there) && p.folder.Remove(p.lockName()) != nil
	p.lock.Close()
	p.lock = nil
	if left {
		// Windows removes no open file, so this fails if another process has it.
		p.folder.Remove(p.lockName())
	}
}

const (
	lockPause    = 50 * time.Millisecond
	maxLockPause = time.Second
)

// lock waits until no other process fetches the file, and tells it once.
func (t *task) lock(ctx context.Context) error {
	pause := lockPause
	for told := false; ; told = true {
		err := t.part.tryLock()
		var busy *BusyError
		if !errors.As(err, &busy) {
			return err
		}
		if !told {
			t.meter.end(Busy, busy)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), busy)
		case <-time.After(pause):
		}
		pause = min(2*pause, maxLockPause)
	}
}
