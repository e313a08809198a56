package pipeline

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"strconv"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/profile"
)

// The limits for decompressed documents, sufficient for a large web archive.
const (
	maxUnpacked = 64 << 30
	maxMembers  = 100_000_000
)

func links(ctx context.Context, s Source, in *reading, rules profile.Rules, o document.Options) iter.Seq2[document.Link, error] {
	o.Extract.Schemes = rules.Registry.InText()
	o.MaxUnpacked, o.MaxMembers = maxUnpacked, maxMembers
	return func(yield func(document.Link, error) bool) {
		for l, err := range document.Links(in.document(), s.Path, &o) {
			if ctx.Err() != nil || !yield(l, err) {
				return
			}
		}
	}
}

// deadMember returns the name of the document member in which the error err occurred, and the
// reason to write to the dead letter.
func deadMember(err error) (at string, reason error) {
	var e *document.Error
	if errors.As(err, &e) {
		return e.Member, e.Err
	}
	return "", err
}

// isDamaged reports whether the error err makes the rest of the file s unreadable. The parameter
// at is the member in which the error occurred. A damaged member or a binary file causes only a
// dead letter.
func isDamaged(s Source, at string, err error) bool {
	if at != "" || errors.Is(err, document.ErrBinary) || errors.Is(err, document.ErrLimit) {
		return false
	}
	return s.Packed || errors.Is(err, io.ErrUnexpectedEOF)
}

// extractFn finds the URLs in documents.
type extractFn struct {
	Options Options

	rules profile.Rules
	stats
}

// Setup implements the Beam DoFn method.
func (f *extractFn) Setup() (err error) {
	f.rules, err = f.Options.rules()
	return err
}

// StartBundle implements the Beam DoFn method.
func (f *extractFn) StartBundle(_ context.Context, found, dead func(Row)) { f.stats = stats{} }

// FinishBundle implements the Beam DoFn method.
func (f *extractFn) FinishBundle(ctx context.Context, found, dead func(Row)) { f.report(ctx) }

// ProcessElement implements the Beam DoFn method.
func (f *extractFn) ProcessElement(ctx context.Context, s Source, found, dead func(Row)) error {
	return f.Options.output().failed(ctx, s, f.extract(ctx, s, found, dead))
}

// extract emits the links in a file.
func (f *extractFn) extract(ctx context.Context, s Source, found, dead func(Row)) error {
	in, err := open(ctx, s, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	for l, err := range links(ctx, s, in, f.rules, document.Options{}) {
		switch {
		case err != nil && in.err() == nil:
			at, reason := deadMember(err)
			if isDamaged(s, at, reason) {
				return &damageError{reason}
			}
			f.dead++
			dead(deadRow(s.Path, at, nil, reason))
		case err == nil && !l.URL.IsZero():
			f.lines++
			found(linkRow(s.Path, l))
		}
	}
	f.read += s.Size
	return cmp.Or(in.err(), ctx.Err())
}

func linkRow(file string, l document.Link) Row {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	return Row{[]string{
		l.URL.String(), file, l.Member, number(l.Line), number(l.Column), number(l.Start), number(l.End),
		l.Form.String(), l.Type, l.Element, l.Alternative.String(),
	}}
}

// archive counts the links in the pages of a web archive.
func (f *scanFn) archive(ctx context.Context, s Source, bury deadLetterWriter) error {
	in, err := open(ctx, s, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	for l, err := range links(ctx, s, in, f.records.rules, document.Options{NoPosition: true}) {
		switch {
		case err != nil && in.err() == nil:
			at, reason := deadMember(err)
			if isDamaged(s, at, reason) {
				return &damageError{reason}
			}
			bury(place{unit: at}, nil, reason)
		case err == nil:
			f.lines++
			f.page(l, bury)
		}
	}
	f.read += s.Size
	return cmp.Or(in.err(), ctx.Err())
}

func (f *scanFn) page(l document.Link, bury deadLetterWriter) {
	from, err := pageOf(l)
	if err != nil {
		bury(place{unit: l.Member}, []byte(l.URL.String()+l.Ref), err)
		return
	}
	to, err := l.Resolve(from)
	if err != nil {
		bury(place{unit: l.Member}, []byte(l.URL.String()+l.Ref), err)
		return
	}
	registry := f.records.rules.Registry
	if c, _, err := registry.Canonical(from); err == nil {
		from = c
	}
	if c, _, err := registry.Canonical(to); err == nil {
		to = c
	}
	f.records.link(&f.counts, from, to)
}

// pageOf returns the URL of the page that contains the link l.
func pageOf(l document.Link) (locus.URL, error) {
	if u, err := locus.Parse(l.Member); err == nil && u.Host() != "" {
		return u, nil
	}
	if u, err := locus.Parse(l.Base); err == nil {
		return u, nil
	}
	return locus.URL{}, errors.New("the URL of the page is unknown: graph reads web archives, or pairs of URLs")
}
