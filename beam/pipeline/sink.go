package pipeline

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// Output is where the files of a run go.
type Output struct {
	Prefix, Format, Compression, Job string
	Pipeline                         string
}

// temporary returns the folder of files that are not finished.
func (o Output) temporary() string {
	folder, _ := path.Split(o.Prefix)
	return folder + ".locus-beam-" + o.Job
}

// ended returns the format and the compression of a kind of rows. Dead letters are NDJSON:
// they have any octets.
func (o Output) ended(kind string) (format, compression string) {
	if kind == deadLetters && o.Format != FormatNDJSON {
		return FormatNDJSON, compressNone
	}
	return o.Format, o.Compression
}

// name returns the name of a file of a kind of rows.
func (o Output) name(kind string, i, n int) string {
	middle := ""
	if kind == deadLetters {
		middle = "-" + deadLetters
	}
	return fmt.Sprintf("%s%s-%05d-of-%05d%s", o.Prefix, middle, i, n, extension(o.ended(kind)))
}

// Patterns returns patterns of the names of all files that a run writes: those of the
// output and of the dead letters.
func (o Output) Patterns() []string {
	const number = "[0-9][0-9][0-9][0-9][0-9]"
	return []string{o.Prefix + "-" + number + "-of-" + number + ".*", o.Prefix + "-" + deadLetters + "-" + number + "-of-" + number + ".*"}
}

// writeFn writes the rows of a bundle to a temporary file, and emits its name. The file of a
// bundle that fails has another name than that of the next try, and is never used.
type writeFn struct {
	Output Output
	Kind   string // the pipeline, or deadLetters

	file *file
}

// file is an open temporary file.
type file struct {
	name string
	fs   filesystem.Interface
	out  io.WriteCloser
	rows rowWriter
}

// StartBundle implements the SDK's DoFn.
func (f *writeFn) StartBundle(context.Context, func(string)) { f.file = nil }

// ProcessElement implements the SDK's DoFn.
func (f *writeFn) ProcessElement(ctx context.Context, r Row, emit func(string)) (err error) {
	if f.file == nil {
		if f.file, err = f.Output.create(ctx, f.Kind, rand.Text()); err != nil {
			return err
		}
	}
	return f.file.rows.write(r)
}

// FinishBundle implements the SDK's DoFn.
func (f *writeFn) FinishBundle(_ context.Context, emit func(string)) error {
	if f.file == nil {
		return nil
	}
	if err := f.file.close(); err != nil {
		return err
	}
	emit(f.file.name)
	f.file = nil
	return nil
}

// writeShardFn writes the rows of a shard as [writeFn] writes those of a bundle.
type writeShardFn struct{ Output Output }

// ProcessElement implements the SDK's DoFn.
func (f *writeShardFn) ProcessElement(ctx context.Context, _ int, rows func(*Row) bool, emit func(string)) error {
	file, err := f.Output.create(ctx, f.Output.Pipeline, rand.Text())
	if err != nil {
		return err
	}
	var r Row
	for rows(&r) {
		if err := file.rows.write(r); err != nil {
			file.close()
			return err
		}
	}
	if err := file.close(); err != nil {
		return err
	}
	emit(file.name)
	return nil
}

// create creates a temporary file for rows of a kind.
func (o Output) create(ctx context.Context, kind, unique string) (*file, error) {
	name := o.temporary() + "/" + kind + "-" + unique
	format, compression := o.ended(kind)
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, err
	}
	f := &file{name: name, fs: fs}
	if f.out, err = fs.OpenWrite(ctx, name); err == nil {
		f.rows, err = newRowWriter(f.out, format, compression, columns(kind))
	}
	if err != nil {
		fs.Close()
		return nil, fmt.Errorf("%s: %w", shown(name), err)
	}
	return f, nil
}

func (f *file) close() error {
	if err := errors.Join(f.rows.close(), f.out.Close(), f.fs.Close()); err != nil {
		return fmt.Errorf("%s: %w", shown(f.name), err)
	}
	return nil
}

// publishFn gives the temporary files their final names, when all of them are written.
type publishFn struct{ Output Output }

// ProcessElement implements the SDK's DoFn. It may be tried again.
func (f *publishFn) ProcessElement(ctx context.Context, _ int, names func(*string) bool) error {
	o := f.Output
	fs, err := filesystem.New(ctx, o.Prefix)
	if err != nil {
		return err
	}
	defer fs.Close()
	files := map[string][]string{}
	var name string
	for names(&name) {
		kind, _, _ := strings.Cut(path.Base(name), "-")
		if name != "" {
			files[kind] = append(files[kind], name)
		}
	}
	if len(files[o.Pipeline]) == 0 {
		// A reader of the output wants a file, if only an empty one.
		empty, err := o.create(ctx, o.Pipeline, "empty")
		if err == nil {
			err = empty.close()
		}
		if err != nil {
			return err
		}
		files[o.Pipeline] = []string{empty.name}
	}
	for _, kind := range []string{deadLetters, o.Pipeline} {
		list := files[kind]
		slices.Sort(list)
		list = slices.Compact(list)
		for i, from := range list {
			if err := publish(ctx, fs, from, o.name(kind, i, len(list))); err != nil {
				return err
			}
		}
	}
	o.Clean(ctx)
	return nil
}

// publish renames a file. A missing one was renamed by an earlier try.
func publish(ctx context.Context, fs filesystem.Interface, from, to string) error {
	err := filesystem.Rename(ctx, fs, from, to)
	if err == nil {
		return nil
	}
	if there, listErr := fs.List(ctx, from); listErr == nil && len(there) == 0 {
		if done, listErr := fs.List(ctx, to); listErr == nil && len(done) == 1 {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", shown(to), err)
}

// Clean removes temporary files, as far as it can.
func (o Output) Clean(ctx context.Context) {
	o.remove(ctx, []string{o.temporary() + "/*", o.temporary()})
}

// Remove removes all files of a run.
func (o Output) Remove(ctx context.Context) error { return o.remove(ctx, o.Patterns()) }

func (o Output) remove(ctx context.Context, patterns []string) error {
	fs, err := filesystem.New(ctx, o.Prefix)
	if err != nil {
		return err
	}
	defer fs.Close()
	remover, ok := fs.(filesystem.Remover)
	if !ok {
		return nil
	}
	for _, pattern := range patterns {
		names, listErr := fs.List(ctx, pattern)
		err = errors.Join(err, listErr)
		for _, name := range names {
			err = errors.Join(err, remover.Remove(ctx, name))
		}
	}
	return err
}

// Existing returns the files of an earlier run.
func (o Output) Existing(ctx context.Context) (names []string, err error) {
	fs, err := filesystem.New(ctx, o.Prefix)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	for _, pattern := range o.Patterns() {
		list, err := fs.List(ctx, pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, list...)
	}
	return names, nil
}
