package transfer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/locus-url/locus/internal/filelock"
)

// While a process fetches a file, it locks NAME.part.lock beside the part file, and writes its
// process ID to this lock file. The system unlocks the lock file when the process ends.

// lockSuffix is the suffix of a lock file. It must not be longer than sourceSuffix.
const lockSuffix = ".part.lock"

// BusyError reports that another process, or another run in this process, is writing the
// same file.
type BusyError struct {
	File    string // path of the file
	Process int    // process ID; 0 if unknown
}

func (e *BusyError) Error() string {
	if e.Process == 0 {
		return e.File + ": another process is downloading it"
	}
	return fmt.Sprintf("%s: process %d is downloading it", e.File, e.Process)
}

func (p *part) lockName() string { return shorten(p.file) + lockSuffix }

// tryLock locks the part. If another process has locked the part, the error is a [*BusyError]. If
// the file system does not support locks, tryLock does nothing.
func (p *part) tryLock() error {
	for {
		f, err := p.openLock()
		if err != nil {
			return err
		}
		err = filelock.Try(f)
		if errors.Is(err, filelock.ErrLocked) {
			busy := &BusyError{File: p.path(p.file), Process: filelock.Process(f)}
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
			text := fmt.Appendf(nil, "{\"process\":%d}\n", os.Getpid())
			// The lock also works without the process ID.
			_ = f.Truncate(0)
			_, _ = f.WriteAt(text, 0)
			return nil
		}
		// The previous owner of the lock removed this lock file, so open the file again.
		f.Close()
	}
}

// openLock opens the lock file. It returns an error if the file is not a lock file.
func (p *part) openLock() (*os.File, error) {
	name := p.lockName()
	if info, err := p.folder.Lstat(name); err == nil && (!info.Mode().IsRegular() || info.Size() > filelock.MaxText) {
		return nil, p.foreign(name)
	}
	f, err := p.folder.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, p.err(name, err)
	}
	if info, err := f.Stat(); err == nil && info.Size() > 0 && filelock.Process(f) == 0 {
		f.Close()
		return nil, p.foreign(name)
	}
	return f, nil
}

// unlock first removes the lock file and then unlocks it, so that it removes only its own lock
// file.
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
		// Windows does not remove open files, so Remove fails if another process has opened the
		// lock file.
		p.folder.Remove(p.lockName())
	}
}

const (
	lockPause    = 50 * time.Millisecond
	maxLockPause = time.Second
)

// waitForLock waits until no other process fetches the file. It sends one event to report the wait.
func (t *task) waitForLock(ctx context.Context) error {
	pause := lockPause
	for told := false; ; told = true {
		err := t.part.tryLock()
		var busy *BusyError
		if !errors.As(err, &busy) {
			return err
		}
		if !told {
			t.progress.pause(Busy, busy)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), busy)
		case <-time.After(pause):
		}
		pause = min(2*pause, maxLockPause)
	}
}
