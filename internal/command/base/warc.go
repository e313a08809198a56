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

// Archive is the web archive in which a subcommand records its requests. The struct holds the
// flags --warc and --warc-size.
type Archive struct {
	// Robots is "classic" if the subcommand obeys robots.txt, and otherwise "ignore".
	Robots string

	name string
	size int64
	to   *archive.Recorder
	app  *App
	told sync.Once // reports the first failure only
	err  atomic.Pointer[error]
}

// AddFlags adds the flags to cmd.
func (r *Archive) AddFlags(cmd *cobra.Command) {
	AddFlags(cmd, "Archive", func(f *pflag.FlagSet) {
		f.StringVar(&r.name, "warc", "", "record the transfers in the web archive `FILE` (.warc.gz)")
		f.Var((*config.Size)(&r.size), "warc-size", "begin another archive file after `N` bytes (1G)")
	})
}

// Wanted reports whether the user set --warc.
func (r *Archive) Wanted() bool { return r.name != "" }

// Check validates the flags. It opens no file.
func (r *Archive) Check() error {
	if r.name == "" && r.size != 0 {
		return errors.New("--warc-size needs --warc FILE")
	}
	return nil
}

// Open opens the archive if the user set --warc. If it can't open the archive, Open prints the
// failure and returns false. A non-nil error reports invalid flags.
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

// Record returns the function that records requests, or nil without an archive.
func (r *Archive) Record() func(*scheme.Request) access.Recording {
	if r.to == nil {
		return nil
	}
	return r.to.Record
}

// Recorder returns the recorder, or nil without an archive.
func (r *Archive) Recorder() *archive.Recorder { return r.to }

// Close completes the archive and prints any failure. The caller must close all resources before
// it calls Close.
func (r *Archive) Close() {
	if r.to == nil {
		return
	}
	if err := r.to.Close(); err != nil {
		r.fail(err)
	}
}

// fail prints err if it is the first recording failure.
func (r *Archive) fail(err error) {
	r.told.Do(func() {
		r.err.Store(&err)
		r.app.Fail(StatusAccess, Prefix("--warc", err))
	})
}

// Err returns the first recording failure. It may be called concurrently.
func (r *Archive) Err() error {
	if err := r.err.Load(); err != nil {
		return *err
	}
	return nil
}
