package base

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/internal/agent"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/warc"
)

// Archive is the web archive that a subcommand records to: its flags --warc and --warc-size.
type Archive struct {
	// Robots says how the subcommand treats robots.txt: "classic" (obeyed) or "ignore".
	Robots string

	name string
	size int64
	to   *archive.Recorder
	app  *App
	told sync.Once // a failure was reported
	err  atomic.Pointer[error]
}

// AddFlags adds the flags to cmd.
func (r *Archive) AddFlags(cmd *cobra.Command) {
	AddFlags(cmd, "Archive", func(f *pflag.FlagSet) {
		f.StringVar(&r.name, "warc", "", "record the transfers in the web archive `FILE` (.warc.gz)")
		f.Var((*config.Size)(&r.size), "warc-size", "begin another archive file after `N` bytes (1G)")
	})
}

// Wanted reports whether the user asked for an archive.
func (r *Archive) Wanted() bool { return r.name != "" }

// Check returns what is wrong with the flags. It opens nothing.
func (r *Archive) Check() error {
	if r.name == "" && r.size != 0 {
		return errors.New("--warc-size needs --warc FILE")
	}
	return nil
}

// Open opens the archive, if the user asked for one. ok is false after a failure, which it
// has reported; err is about the flags.
func (r *Archive) Open(a *App) (ok bool, err error) {
	if err := r.Check(); err != nil {
		return false, err
	}
	if r.name == "" {
		return true, nil
	}
	robots := r.Robots
	if robots == "" {
		robots = "ignore"
	}
	w, err := warc.Create(a.ExpandHome(r.name), &warc.WriterOptions{Size: r.size, Info: []warc.Field{
		{Name: "software", Value: agent.Name()},
		{Name: "robots", Value: robots},
		{Name: "description", Value: "passwords, cookies and the values of unusual request fields are replaced by ***"},
	}})
	if errors.Is(err, warc.ErrName) {
		return false, fmt.Errorf(`--warc: write a name that ends in ".warc.gz" or ".warc", not %q`, r.name)
	}
	if err != nil {
		a.Fail(StatusAccess, Prefix("--warc", err))
		return false, nil
	}
	r.app = a
	r.to = archive.NewRecorder(w, a.Registry, r.fail)
	return true, nil
}

// Record returns the function that records; nil without an archive.
func (r *Archive) Record() func(*scheme.Request) access.Recording {
	if r.to == nil {
		return nil
	}
	return r.to.Record
}

// Close ends the archive, and reports a failure. Resources must be closed before.
func (r *Archive) Close() {
	if r.to == nil {
		return
	}
	if err := r.to.Close(); err != nil {
		r.fail(err)
	}
}

// fail reports the first failure of the recording.
func (r *Archive) fail(err error) {
	r.told.Do(func() {
		r.err.Store(&err)
		r.app.Fail(StatusAccess, Prefix("--warc", err))
	})
}

// Err returns the first failure of the recording. It may be called concurrently.
func (r *Archive) Err() error {
	if err := r.err.Load(); err != nil {
		return *err
	}
	return nil
}
