package pipeline

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
)

// Output describes the output files of a run.
type Output struct {
	Prefix, Format, Compression, Job string
	Pipeline                         string
	Shards                           int  // minimum number of output files; 0 means 1
	Overwrite                        bool // replace the files of an earlier run
}

// temporary returns the directory for unfinished files.
func (o Output) temporary() string {
	folder, _ := path.Split(o.Prefix)
	return folder + ".locus-beam-" + o.Job
}

// ended returns the format and the compression of the output files for a kind of rows. The format
// of dead letters is always NDJSON, because they may contain any bytes.
func (o Output) ended(kind string) (format, compression string) {
	if kind == deadLetters && o.Format != FormatNDJSON {
		return FormatNDJSON, compressNone
	}
	return o.Format, o.Compression
}

// name returns the name of the i-th of n output files for a kind of rows.
func (o Output) name(kind string, i, n int) string {
	middle := ""
	if kind == deadLetters {
		middle = "-" + deadLetters
	}
	return fmt.Sprintf("%s%s-%05d-of-%05d%s", o.Prefix, middle, i, n, extension(o.ended(kind)))
}

// Patterns returns patterns that match all files of a run, including the dead letters.
func (o Output) Patterns() []string {
	const number = "[0-9][0-9][0-9][0-9][0-9]"
	return []string{o.Prefix + "-" + number + "-of-" + number + ".*", o.Prefix + "-" + deadLetters + "-" + number + "-of-" + number + ".*"}
}

// writeFn writes the rows of a bundle to a temporary file and emits the name of this file. Each
// attempt uses a new file name, so the output never contains the file of a failed bundle.
type writeFn struct {
	Output Output
	Kind   string // name of the pipeline, or deadLetters

	file *file
}

// file is an open temporary file.
type file struct {
	name string
	fs   filesystem.Interface
	out  io.WriteCloser
	rows rowWriter
}

// StartBundle implements the Beam DoFn method. It discards the file of the previous bundle, which
// may have failed.
func (f *writeFn) StartBundle(context.Context, func(string)) {
	if f.file != nil {
		f.file.close()
		f.file = nil
	}
}

// ProcessElement implements the Beam DoFn method.
func (f *writeFn) ProcessElement(ctx context.Context, r Row, emit func(string)) (err error) {
	if f.file == nil {
		if f.file, err = f.Output.create(ctx, f.Kind, rand.Text()); err != nil {
			return err
		}
	}
	return f.file.rows.write(r)
}

// FinishBundle implements the Beam DoFn method.
func (f *writeFn) FinishBundle(_ context.Context, emit func(string)) error {
	if f.file == nil {
		return nil
	}
	done := f.file
	f.file = nil
	if err := done.close(); err != nil {
		return err
	}
	emit(done.name)
	return nil
}

// writeShardFn is like [writeFn], but writes the rows of a shard instead of a bundle.
type writeShardFn struct{ Output Output }

// ProcessElement implements the Beam DoFn method.
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

// create creates a temporary file for rows of the given kind.
func (o Output) create(ctx context.Context, kind, unique string) (*file, error) {
	name := o.temporary() + "/" + kind + "-" + unique
	system, err := fileSystem(ctx, name)
	if err != nil {
		return nil, err
	}
	f := &file{name: name, fs: system}
	if err = f.open(ctx, o, kind); err != nil {
		system.Close()
		return nil, fmt.Errorf("%s: %w", shown(name), reasonOf(err))
	}
	return f, nil
}

func (f *file) open(ctx context.Context, o Output, kind string) (err error) {
	if f.out, err = f.fs.OpenWrite(ctx, f.name); err != nil {
		return err
	}
	// Dead letters may contain passwords, so other users must not be able to read them.
	if local, ok := f.out.(*os.File); ok && kind == deadLetters {
		if err := local.Chmod(0o600); err != nil {
			local.Close()
			return err
		}
	}
	format, compression := o.ended(kind)
	f.rows, err = newRowWriter(f.out, format, compression, columns(kind))
	return err
}

func (f *file) close() error {
	if err := errors.Join(f.rows.close(), f.out.Close(), f.fs.Close()); err != nil {
		return fmt.Errorf("%s: %w", shown(f.name), err)
	}
	return nil
}
