package client

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme"
)

// Archives holds the flags that make a subcommand read URLs from web archives.
type Archives struct {
	Paths []string
	Live  bool
	at    string
}

// AddFlags adds the flags.
func (k *Archives) AddFlags(f *pflag.FlagSet) {
	f.StringArrayVar(&k.Paths, "from", nil, "open URLs from a WARC or ARC `FILE` or directory (repeatable)")
	f.StringVar(&k.at, "at", "", "open the capture nearest to `TIME` (2024-05-01)")
	f.BoolVar(&k.Live, "live", false, "use the network for URLs that the archives lack")
}

// Used reports whether the flags select archives instead of the network.
func (k *Archives) Used() bool { return len(k.Paths) > 0 }

// ArchiveError is a failure to open an archive.
type ArchiveError struct{ error }

func (e *ArchiveError) Unwrap() error { return e.error }

// Open opens the archives. If the flags select no archive, it returns nil. A failure to open an
// archive is an [*ArchiveError]; any other error reports invalid flags.
func (k *Archives) Open(a *base.App, r *scheme.Registry) (*archive.Store, error) {
	at, err := k.time()
	if err != nil || !k.Used() {
		return nil, err
	}
	o := &archive.Options{At: at, Note: func(err error) { a.Note("%v", err) }}
	if folder, _ := a.CacheFolder(); folder != "" {
		o.Cache = filepath.Join(folder, "archives")
	}
	if a.ErrTTY && !a.Flags.Quiet {
		o.Progress = progress(a)
	}
	paths := make([]string, len(k.Paths))
	for i, path := range k.Paths {
		paths[i] = a.ExpandHome(path)
	}
	s, err := archive.Open(a.Context, r, paths, o)
	if err != nil {
		return nil, &ArchiveError{err}
	}
	return s, nil
}

// Check validates the flags. It opens no file.
func (k *Archives) Check(a *base.App) (errs []error) {
	if _, err := k.time(); err != nil {
		errs = append(errs, err)
	}
	for _, path := range k.Paths {
		if _, err := os.Stat(a.ExpandHome(path)); err != nil {
			errs = append(errs, fmt.Errorf("--from: %w", err))
		}
	}
	return errs
}

// time returns the time that the flag --at selects, or the zero time.
func (k *Archives) time() (t time.Time, err error) {
	if !k.Used() && (k.at != "" || k.Live) {
		return t, errors.New("--at and --live need --from FILE or --from DIR")
	}
	if k.at != "" {
		if t, err = archive.ParseTime(k.at); err != nil {
			err = fmt.Errorf("--at: %w", err)
		}
	}
	return t, err
}

// progress returns a function that shows the progress if reading the archives takes a long time.
func progress(a *base.App) func(read, size int64) {
	const every = 5 * time.Second
	next := time.Now().Add(every)
	return func(read, size int64) {
		if now := time.Now(); now.After(next) && size > 0 {
			next = now.Add(every)
			a.Note("indexing the archives: %d%%", read*100/size)
		}
	}
}
