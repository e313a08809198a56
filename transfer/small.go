package transfer

import (
	"context"
	"errors"
	"io/fs"

	"github.com/locus-url/locus/internal/wholefile"
	"github.com/locus-url/locus/scheme"
)

// smallSize is the maximum size of an object that is read into memory before its file is created.
// Such an object needs no part, lock or source file, because its file is created with the complete
// content.
const smallSize = 64 << 10

// errShared means that another process has begun the same file since this process first checked
// it.
var errShared = errors.New("another process started this download")

// isFresh reports whether the file, its part and its lock file are all missing.
func (t *task) isFresh() bool {
	if t.dir == nil || t.part.source.URL != "" {
		return false
	}
	for _, name := range []string{t.part.lockName(), t.part.file} {
		if _, err := t.folder.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}

// isSmall reports whether the object o fits into memory and needs no part.
func (t *task) isSmall(o *scheme.Object) bool {
	return t.part.lock == nil && o.Start == 0 && o.Size >= 0 && o.Size <= smallSize
}

// writeSmall writes an object without a part. If the object is incomplete, writeSmall stores the
// received bytes in a part.
func (t *task) writeSmall(ctx context.Context, o *scheme.Object) error {
	w := smallWriter{task: t, object: o}
	t.progress.startTransfer(0, o.Size)
	err := t.progress.copy(ctx, &w, o.Body, t.buf)
	if w.isCreated || len(w.data) == 0 && err != nil {
		return err
	}
	if err == nil {
		if _, failed := wholefile.Write(t.dir, t.part.file, w.data, t.modTime(o), true); failed == nil {
			t.result.Size = int64(len(w.data))
			return nil
		}
	}
	return errors.Join(err, w.createPart())
}

// smallWriter buffers the written bytes. If there are more than smallSize bytes, it writes
// them to a part.
type smallWriter struct {
	task      *task
	object    *scheme.Object
	data      []byte
	isCreated bool // whether createPart has created the part
}

func (w *smallWriter) Write(p []byte) (int, error) {
	if !w.isCreated && len(w.data)+len(p) <= smallSize {
		w.data = append(w.data, p...)
		return len(p), nil
	}
	if err := w.createPart(); err != nil {
		return 0, err
	}
	return w.task.part.Write(p)
}

// createPart creates the part and writes the buffered data to it.
func (w *smallWriter) createPart() error {
	if w.isCreated {
		return nil
	}
	w.isCreated = true
	// If another process has created the file, the part still stores the downloaded bytes.
	if err := w.task.lockLate(); err != nil && !errors.Is(err, ErrExists) {
		return err
	}
	if err := w.task.beginPart(w.object); err != nil {
		return err
	}
	_, err := w.task.part.Write(w.data)
	return err
}

// lockLate locks the part of a download that began without a lock. If another process has started
// the same download in the meantime, the error is errShared.
func (t *task) lockLate() error {
	if t.part.lock != nil {
		return nil
	}
	err := t.part.tryLock()
	if errors.As(err, new(*BusyError)) {
		return errShared
	}
	if err == nil {
		err = t.checkFiles()
	}
	if err == nil && (t.result.Skipped || t.part.source.URL != "") {
		return errShared
	}
	return err
}

// tryLocked waits for the lock and then runs the transfer again. It is called after the error
// errShared.
func (t *task) tryLocked(ctx context.Context) error {
	t.ownPart = false
	if t.part.lock == nil {
		if err := t.lock(ctx); err != nil {
			return err
		}
	}
	if t.result.Skipped {
		return nil
	}
	return t.try(ctx)
}
