package get

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cmd/locus/internal/form"
	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// place returns the directory and the file name that the flag -o selects. For a device or pipe,
// the result name is empty and the result dir is its path.
//
// If the path is a symbolic link, place follows the link only with --overwrite, because another
// user may have created the link. It always follows links in /dev, because these links belong to
// the system.
func (g *getter) place() (dir, name string, err error) {
	path := g.output
	if g.dir != "" {
		if !filepath.IsLocal(path) {
			return "", "", fmt.Errorf("-o %s is outside the directory of -d", path)
		}
		path = filepath.Join(g.dir, path)
	}
	info, err := os.Lstat(path)
	if err == nil && slices.Contains([]string{"/dev", "/dev/fd", "/proc/self/fd"}, filepath.Dir(path)) {
		return path, "", nil
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if !g.overwrite {
			return "", "", scheme.Hint(&kindError{linkError(path), transfer.ErrExists}, "use --overwrite to write to its target")
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		info, err = os.Stat(path)
	}
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return path, "", nil
	}
	name = filepath.Base(path)
	if os.IsPathSeparator(g.output[len(g.output)-1]) || !filepath.IsLocal(name) || name == "." {
		return "", "", fmt.Errorf("-o %s is not a file name: use -O with -d DIR to choose a directory", g.output)
	}
	return filepath.Dir(path), name, nil
}

func linkError(path string) error {
	to, err := os.Readlink(path)
	if err != nil {
		return errors.New(path + " is a symbolic link")
	}
	return errors.New(path + " is a symbolic link to " + to)
}

// kindError adds a failure kind to an error from package transfer.
type kindError struct {
	error
	kind error
}

func (e *kindError) Unwrap() []error { return []error{e.error, e.kind} }

func (g *getter) toNames(ctx context.Context, args []string) error {
	dir := "."
	if g.dir != "" {
		dir = g.dir
	}
	if g.Part != "" {
		return g.partsToFolder(ctx, args, dir, "")
	}
	return g.toFolder(ctx, args, dir, func(u locus.URL) string { return transfer.Name(g.App.Registry, u) })
}

// toFolder fetches several URLs concurrently, and writes the resources to files in the directory
// dir.
func (g *getter) toFolder(ctx context.Context, args []string, dir string, name func(locus.URL) string) error {
	jobs, err := g.jobs(args, name)
	if err != nil || len(jobs) == 0 {
		return err
	}
	folder, err := g.openFolder(dir)
	if err != nil {
		for _, job := range jobs {
			g.Fail(job.URL.Shown(), err)
		}
		return nil
	}
	defer folder.Close()
	names := make([]string, len(jobs))
	for i, job := range jobs {
		names[i] = job.Name
	}
	progress := g.NewProgress(true, names...)
	results, err := transfer.Run(ctx, g.Client, folder, jobs, g.transferOptions(func(e transfer.Event) {
		if e.State == transfer.Busy {
			g.App.Note("%v; waiting for it", e.Err)
		}
		progress.Report(e)
	}))
	if err != nil {
		progress.Close()
		return err
	}
	var left leftovers
	for result := range results {
		g.result(result, folder.Name(), &left)
	}
	progress.Close()
	left.tell(g.App)
	return nil
}

func (g *getter) transferOptions(report func(transfer.Event)) *transfer.Options {
	return &transfer.Options{
		Politeness:     g.App.Politeness(g.polite, 0),
		Resume:         g.resume,
		Overwrite:      g.overwrite || !g.remoteName,
		NoTimes:        g.noTimes,
		Menu:           writeFile,
		Accept:         g.View,
		AcceptLanguage: g.Language,
		Items:          g.Items.ItemRange,
		Like:           g.Examples,
		Raw:            g.Raw,
		From:           func(job transfer.Job) *access.Result { return g.From(job.URL) },
		Progress:       report,
	}
}

// writeFile writes a menu to a file. A form without items is an error.
func writeFile(w io.Writer, m *scheme.Menu) error {
	items, err := show.WriteLines(w, m.Items, new(form.TextDecoder))
	if err == nil && items == 0 && m.Form != nil {
		return scheme.Hint(fmt.Errorf("%w: it is a form", transfer.ErrNotObject), "use --answer to answer it")
	}
	return err
}

// openFolder opens the directory for files. If the flag -d names a missing directory, openFolder
// creates the directory.
func (g *getter) openFolder(dir string) (*os.Root, error) {
	var folder *os.Root
	var err error
	if g.dir != "" {
		err = os.MkdirAll(dir, 0o777)
	}
	if err == nil {
		folder, err = os.OpenRoot(dir)
	}
	if err != nil {
		return nil, &kindError{err, transfer.ErrFile}
	}
	return folder, nil
}

// jobs returns the jobs for all inputs. It reads all inputs before it returns, so that it can
// detect equal file names.
func (g *getter) jobs(args []string, name func(locus.URL) string) ([]transfer.Job, error) {
	var jobs []transfer.Job
	for text, err := range g.App.Inputs(args) {
		u, ok := g.ReadURL(text, err)
		if !ok {
			continue
		}
		if g.output != "" && len(jobs) > 0 {
			return nil, errOneObject
		}
		job := transfer.Job{URL: u, Name: name(u)}
		if job.Name == "" {
			g.FailWith(base.StatusUsage, u.Shown(), scheme.Hint(&kindError{errors.New(u.Shown() + ": ends in no name for a file"), transfer.ErrName}, "choose one with -o FILE"))
			continue
		}
		jobs = append(jobs, job)
	}
	g.distinguish(jobs)
	return jobs, nil
}

// distinguish adds a number to equal file names, and writes a note.
func (g *getter) distinguish(jobs []transfer.Job) {
	for _, i := range transfer.Distinguish(jobs) {
		g.App.Note("%s is written to %s, because another URL has the same file name", jobs[i].URL.Shown(), jobs[i].Name)
	}
}

var errOneObject = errors.New("-o accepts one URL: use -O to write a file for each URL")

func (g *getter) result(r transfer.Result, dir string, left *leftovers) {
	file := filepath.Join(dir, r.Job.Name)
	switch {
	case r.Err != nil:
		if left.add(r.Err) {
			g.Fail(r.Job.URL.Shown(), advise(r.Err))
		} else {
			g.App.RaiseStatus(base.StatusInterrupted)
		}
	case g.App.Flags.JSON:
		g.App.WriteJSON(g.describeFile(r, file))
	case r.Skipped:
		g.App.Note("%s already exists; skipped", file)
	default:
		switch {
		case r.Discarded > 0 && r.Changed:
			g.App.Note("%s has changed; fetched again from the start", r.Job.URL.Shown())
		case r.Discarded > 0:
			g.App.Note("the server can't resume %s; fetched again from the start", r.Job.URL.Shown())
		}
		switch resource := r.Resource.(type) {
		case *scheme.Object:
			g.NoteOf(r.Job.URL, resource.Note)
		case *scheme.Menu:
			g.NoteOf(r.Job.URL, resource.Note)
		}
	}
}

func (g *getter) describeFile(r transfer.Result, file string) any {
	f := show.Found{Asked: r.Job.URL, At: r.URL}
	d := show.ObjectJSON{Resource: f.Describe("object")}
	switch resource := r.Resource.(type) {
	case *scheme.Object:
		d = show.DescribeObject(f, resource)
		d.Part = g.Part
		if show.IsMessage(resource.Type) {
			d.Message = show.DescribeStored(g.App.Registry.Scheme(resource.URL).Traits.Has(scheme.News), file)
		}
	case *scheme.Menu:
		return struct {
			shape.Resource
			File shape.Text `json:"file"`
		}{f.Describe("menu"), shape.Text(file)}
	}
	d.Size, d.File, d.Resumed, d.Discarded, d.Skipped = &r.Size, shape.Text(file), r.Resumed, r.Discarded, r.Skipped
	return d
}

func advise(err error) error {
	switch {
	case errors.Is(err, transfer.ErrExists):
		return scheme.Hint(err, "use --overwrite to replace it, or -C to skip it")
	case errors.Is(err, transfer.ErrCoded):
		return scheme.Hint(err, "use --raw to store the encoded data")
	}
	return err
}

// leftovers counts the transfers that an interrupt or a failure left incomplete.
type leftovers struct {
	parts    int
	unsure   int // incomplete files that the server may be unable to resume
	notBegun int
}

// add counts a failed job. It returns false if an interrupt prevented the start of the job, so
// that no message is needed.
func (l *leftovers) add(err error) bool {
	var e *transfer.Error
	if errors.As(err, &e) && e.Part != "" {
		l.parts++
		if !e.Resumable {
			l.unsure++
		}
		return true
	}
	if access.KindOf(err) == access.Interrupted {
		l.notBegun++
		return false
	}
	return true
}

func (l *leftovers) tell(a *base.App) {
	if l.notBegun > 0 {
		a.Note("interrupted; %d not fetched", l.notBegun)
	}
	switch {
	case l.unsure > 0:
		a.Note("run the same command with -C to resume, or to restart if the server can't resume")
	case l.parts > 0:
		a.Note("run the same command with -C to resume")
	}
}
