package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"golang.org/x/sync/errgroup"
)

// publishFn renames the temporary files to their final names when all of them are complete.
type publishFn struct{ Output Output }

// ProcessElement implements the Beam DoFn method. The runner may retry the call.
func (f *publishFn) ProcessElement(ctx context.Context, _ int, names func(*string) bool) error {
	o := f.Output
	if marks, err := listFiles(ctx, o.temporary()+"/"+markDamaged); err != nil || len(marks) > 0 {
		return cmp.Or(err, errors.New("an input file is damaged"))
	}
	files := map[string][]string{}
	var name string
	for names(&name) {
		kind, _, _ := strings.Cut(path.Base(name), "-")
		if name != "" {
			files[kind] = append(files[kind], name)
		}
	}
	for kind, list := range files {
		slices.Sort(list)
		files[kind] = slices.Compact(list) // a name may occur twice
	}
	rows, err := o.fill(ctx, files[o.Pipeline])
	if err != nil {
		return err
	}
	final := map[string]string{}
	for kind, list := range map[string][]string{o.Pipeline: rows, deadLetters: files[deadLetters]} {
		for i, from := range list {
			final[o.name(kind, i, len(list))] = from
		}
	}
	return o.publish(ctx, final)
}

// fill adds empty files to list up to the requested number. The result contains at least one file,
// because readers of the output expect one.
func (o Output) fill(ctx context.Context, list []string) ([]string, error) {
	for i := len(list); i < max(o.Shards, 1); i++ {
		empty, err := o.create(ctx, o.Pipeline, fmt.Sprintf("empty%05d", i))
		if err == nil {
			err = empty.close()
		}
		if err != nil {
			return nil, err
		}
		list = append(list, empty.name)
	}
	return list, nil
}

// renames is the maximum number of concurrent renames. On s3:// and gs://, each rename copies the
// file.
const renames = 16

// publish renames the temporary files to their final names, and removes all other files of an
// earlier run.
func (o Output) publish(ctx context.Context, final map[string]string) error {
	if err := o.mark(ctx, markPublishing); err != nil {
		return err
	}
	system, err := fileSystem(ctx, o.Prefix)
	if err != nil {
		return err
	}
	defer system.Close()
	group, groupContext := errgroup.WithContext(ctx)
	group.SetLimit(renames)
	for to, from := range final {
		group.Go(func() error { return rename(groupContext, system, from, to) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if o.Overwrite {
		keep := func(name string) bool { return final[name] != "" }
		if err := o.remove(ctx, o.Patterns(), keep); err != nil {
			return err
		}
	}
	return o.unmark(ctx)
}

// rename renames a file. If the file is missing, an earlier attempt has renamed it.
func rename(ctx context.Context, system filesystem.Interface, from, to string) error {
	err := filesystem.Rename(ctx, system, from, to)
	if err == nil {
		return nil
	}
	if there, listErr := system.List(ctx, from); listErr == nil && len(there) == 0 {
		if done, listErr := system.List(ctx, to); listErr == nil && len(done) == 1 {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", shown(to), reasonOf(err))
}

// The names of mark files. A mark is an empty file that stores a job state in the directory for
// temporary files.
const (
	markBegun      = "begun"      // the job is running
	markPublishing = "publishing" // the output may be incomplete
	markDamaged    = "damaged"    // an input file is damaged, so no retry can succeed
)

// damageError means that the content of a file is damaged. A retry would return the same error.
type damageError struct{ error }

func (e *damageError) Unwrap() error { return e.error }

// failed returns the error of a DoFn that read the file s. If the file is damaged, failed also
// prevents publishing, because the runner Prism continues with other parts of a failed job for a
// while.
func (o Output) failed(ctx context.Context, s Source, err error) error {
	if err == nil {
		return nil
	}
	if errors.As(err, new(*damageError)) {
		err = cmp.Or(o.mark(ctx, markDamaged), err)
	}
	return fmt.Errorf("%s: %w", shown(s.Path), err)
}

func (o Output) mark(ctx context.Context, name string) error {
	name = o.temporary() + "/" + name
	system, err := fileSystem(ctx, name)
	if err == nil {
		defer system.Close()
		err = filesystem.Write(ctx, system, name, nil)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", shown(name), explain(name, reasonOf(err)))
	}
	return nil
}

// unmark removes the mark of a running job. If possible, it also removes the temporary files.
func (o Output) unmark(ctx context.Context) error {
	if err := o.remove(ctx, []string{o.temporary() + "/" + markBegun}, nil); err != nil {
		return err
	}
	o.Clean(ctx)
	return nil
}

// Leftovers returns the directories that contain temporary files of other runs with the same
// output directory. The user killed these runs, or they are still running.
func (o Output) Leftovers(ctx context.Context) (folders []string, err error) {
	other := o
	other.Job = "*"
	marks, err := listFiles(ctx, other.temporary()+"/"+markBegun)
	for _, mark := range marks {
		if folder := strings.TrimSuffix(mark, "/"+markBegun); folder != o.temporary() {
			folders = append(folders, folder)
		}
	}
	return folders, err
}

// Begin marks the start of a job. It returns an error if the job can't write to the output
// directory.
func (o Output) Begin(ctx context.Context) error { return o.mark(ctx, markBegun) }

// End returns the files of a finished job. If the output is incomplete, End removes the job's
// files and returns an error. The output of an earlier run remains unchanged, unless the job has
// already replaced a part of that output.
func (o Output) End(ctx context.Context) (names []string, err error) {
	begun, err := listFiles(ctx, o.temporary()+"/"+markBegun)
	if err == nil && len(begun) == 0 {
		return o.Existing(ctx)
	}
	publishing, listErr := listFiles(ctx, o.temporary()+"/"+markPublishing)
	err = cmp.Or(err, listErr, fmt.Errorf("the job ended without output in %s", shown(path.Dir(o.Prefix))))
	if len(publishing) > 0 {
		err = errors.Join(err, o.remove(ctx, o.Patterns(), nil))
	}
	return nil, errors.Join(err, o.Clean(ctx))
}

// Clean removes the temporary files of the job.
func (o Output) Clean(ctx context.Context) error {
	return o.remove(ctx, []string{o.temporary() + "/*", o.temporary()}, nil)
}

// remove removes the files that match the patterns, except the files for which the function keep
// returns true.
func (o Output) remove(ctx context.Context, patterns []string, keep func(name string) bool) error {
	system, err := fileSystem(ctx, o.Prefix)
	if err != nil {
		return err
	}
	defer system.Close()
	remover, ok := system.(filesystem.Remover)
	if !ok {
		return nil
	}
	for _, pattern := range patterns {
		names, listErr := listFiles(ctx, pattern)
		err = errors.Join(err, listErr)
		for _, name := range names {
			if keep == nil || !keep(name) {
				err = errors.Join(err, remover.Remove(ctx, name))
			}
		}
	}
	return err
}

// Existing returns the files of an earlier run.
func (o Output) Existing(ctx context.Context) (names []string, err error) {
	for _, pattern := range o.Patterns() {
		list, err := listFiles(ctx, pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", shown(o.Prefix), err)
		}
		names = append(names, list...)
	}
	return names, nil
}
