package verify

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"
	"strings"
	"syscall"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// FilesOptions configures [Files]. The zero value and nil select the defaults.
type FilesOptions struct {
	Options
	// Client opens URLs outside the file system. If Client is nil, links to such URLs are
	// [Ignored], and Files does not use the network.
	Client *access.Client
	// Skip reports whether to skip a file, or a directory with all its contents. If Skip is nil,
	// Files skips names that begin with ".".
	Skip func(name string, d fs.DirEntry) bool
	// Preset is the site generator for the documents in fsys: one of [Presets], or "auto" to
	// detect the generator by the configuration files in fsys. If Preset is empty, Files assumes
	// no generator.
	Preset string
	// Context cancels the run. If Context is nil, Files uses [context.Background].
	Context context.Context
}

// Report is the result of [Files].
type Report struct {
	// Results holds the results of all links, good and bad, document by document.
	Results []Result
}

// Bad returns the results that should make a test fail: broken links ([Result.IsBad]) and
// documents that can't be read.
func (r *Report) Bad() []*Result {
	var bad []*Result
	for i := range r.Results {
		if result := &r.Results[i]; result.Err != nil || result.IsBad() {
			bad = append(bad, result)
		}
	}
	return bad
}

// String returns the bad results, one per line. If there are no bad results, String returns "".
func (r *Report) String() string {
	var b strings.Builder
	for _, result := range r.Bad() {
		b.WriteString(result.String() + "\n")
	}
	return b.String()
}

// String formats the result as one line with the document, the position, the link, the verdict and
// the reason. The text is safe for a terminal.
func (r *Result) String() string {
	if r.Err != nil {
		return term.Safe(r.Err.Error())
	}
	var b strings.Builder
	if r.Document != "" {
		fmt.Fprintf(&b, "%s:%d:%d: ", r.Document, r.Line, r.Column)
	}
	fmt.Fprintf(&b, "%s: %v", r.Link(), r.Verdict)
	if r.Detail != "" {
		b.WriteString(": " + r.Detail)
	}
	return term.Safe(b.String())
}

// Files verifies the links in all documents in fsys. Files checks that the linked files exist and
// contain the fragments. If o.Client is not nil, Files also checks other URLs. A relative
// reference that begins with "/" is relative to the root of fsys. A link that points outside fsys
// gets a [Warning]. In a [Result], the URL of a file is "x-fs:///" followed by its name.
//
// Files returns an error if the root of fsys can't be read. If fsys contains no documents, the
// error wraps [fs.ErrNotExist]. If another directory can't be read, the Report contains a Result
// whose field Err is set.
func Files(fsys fs.FS, o *FilesOptions) (*Report, error) {
	if o == nil {
		o = new(FilesOptions)
	}
	ctx := o.Context
	if ctx == nil {
		ctx = context.Background()
	}
	if _, err := fs.Stat(fsys, "."); err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	v, err := newFilesVerifier(fsys, o)
	if err != nil {
		return nil, err
	}
	report := new(Report)
	var unread []Result
	layouts, err := newLayouts(ctx, fsys, o.Preset)
	if err != nil {
		return nil, err
	}
	for r := range v.Run(ctx, v.files(ctx, o.Skip, layouts, &unread)) {
		report.Results = append(report.Results, r)
	}
	report.Results = append(report.Results, unread...)
	if err := ctx.Err(); err != nil {
		return report, fmt.Errorf("verify: %w", err)
	}
	if p := v.Progress(); p.Documents == p.Binary && len(unread) == 0 {
		return nil, fmt.Errorf("verify: no documents: %w", fs.ErrNotExist)
	}
	return report, nil
}

// filesScheme is the URL scheme for the file system of [Files].
const filesScheme = "x-fs"

func newFilesVerifier(fsys fs.FS, o *FilesOptions) (*Verifier, error) {
	row := scheme.Generic(filesScheme, scheme.Experimental)
	row.Traits = scheme.Local | scheme.Files | scheme.Fragments | scheme.Directories
	row.Access.Opener = scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) { return openIn(fsys, req) })
	others := new(scheme.Registry)
	if o.Client != nil {
		others = o.Client.Registry()
	}
	registry, err := others.With(row)
	if err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	v := New(o.Client, &o.Options)
	v.checker.fsys, v.checker.registry = fsys, registry
	return v, nil
}

// files yields the documents in the file system. It adds the errors of unreadable directories to
// unread.
func (e *Verifier) files(ctx context.Context, skip func(string, fs.DirEntry) bool, layouts *layouts, unread *[]Result) iter.Seq[Source] {
	if skip == nil {
		skip = func(name string, d fs.DirEntry) bool { return strings.HasPrefix(d.Name(), ".") && name != "." }
	}
	return func(yield func(Source) bool) {
		// The function returns only fs.SkipDir and fs.SkipAll, so WalkDir returns nil.
		_ = fs.WalkDir(e.checker.fsys, ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				*unread = append(*unread, Result{Document: name, Err: err})
			case skip(name, d):
				if d.IsDir() {
					return fs.SkipDir
				}
			case d.Type().IsRegular():
				open := func(context.Context) (io.ReadCloser, error) { return e.checker.fsys.Open(name) }
				u := fileIn(name)
				if !yield(Source{Name: name, URL: u, Open: open, Layout: layouts.layoutFor(ctx, name, u)}) {
					return fs.SkipAll
				}
			}
			return nil
		})
	}
}

// fileIn returns the URL of the named file in the file system.
func fileIn(name string) locus.URL {
	text := escape.Encode(name, escape.Fsegment().With("/").Without("?"))
	return locus.MustParse(filesScheme + ":///" + text)
}

// openIn opens the file or directory in fsys that the request's URL names.
func openIn(fsys fs.FS, req *scheme.Request) (scheme.Resource, error) {
	text, _ := req.URL.Path()
	var names []string
	for segment := range strings.SplitSeq(strings.TrimSuffix(text, "/"), "/") {
		name, err := escape.Decode(segment)
		if err != nil || strings.Contains(name, "/") {
			return nil, scheme.ErrNotFound
		}
		names = append(names, name)
	}
	name := cmp.Or(strings.Join(names, "/"), ".")
	f, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, syscall.ENOTDIR) {
		return nil, scheme.ErrNotFound
	} else if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		return &scheme.Menu{URL: req.URL, Items: itemsIn(fsys, name), Closer: f}, nil
	case strings.HasSuffix(text, "/"):
		err = fmt.Errorf("%w: a file, not a directory", scheme.ErrNotFound)
	default:
		body := bufio.NewReaderSize(f, media.Head)
		head, _ := body.Peek(media.Head)
		return &scheme.Object{URL: req.URL, Name: info.Name(), Type: media.Guess(info.Name(), head), Size: info.Size(), Body: struct {
			io.Reader
			io.Closer
		}{body, f}}, nil
	}
	f.Close()
	return nil, err
}

// itemsIn yields the entries of the directory dir in fsys.
func itemsIn(fsys fs.FS, dir string) iter.Seq2[scheme.Item, error] {
	return func(yield func(scheme.Item, error) bool) {
		entries, err := fs.ReadDir(fsys, dir)
		for _, e := range entries {
			item := scheme.Item{URL: fileIn(path.Join(dir, e.Name())), Title: e.Name(), Size: -1}
			if e.IsDir() {
				item.Kind = scheme.KindMenu
			}
			if !yield(item, nil) {
				return
			}
		}
		if err != nil {
			yield(scheme.Item{}, err)
		}
	}
}

// openURL opens a URL. If the URL is in the file system of [Files], openURL opens it there. It
// opens other URLs through the client.
func (c *Checker) openURL(ctx context.Context, req access.Request) (*access.Result, error) {
	if !c.isInFS(req.URL) {
		return c.client.Do(ctx, req)
	}
	resource, err := openIn(c.fsys, &scheme.Request{URL: req.URL})
	if err != nil {
		return nil, err
	}
	return &access.Result{Resource: resource, URL: req.URL, Hops: []locus.URL{req.URL}, LinkOrigin: policy.FromPrivate}, nil
}

// isInFS reports whether u is in the file system of [Files].
func (c *Checker) isInFS(u locus.URL) bool { return c.fsys != nil && u.Scheme() == filesScheme }

// errOutside is the error for a relative reference that points outside the file system of
// [Files].
var errOutside = errors.New("points outside the file system")

// leavesTop reports whether the relative reference ref in the document at base points above the
// directory top.
func leavesTop(base, top locus.URL, ref string) bool {
	if top.IsZero() {
		return false
	}
	below, ok := strings.CutPrefix(base.WithoutFragment().String(), top.String())
	if !ok {
		return false
	}
	ref, _, _ = strings.Cut(ref, "#")
	ref, _, _ = strings.Cut(ref, "?")
	depth := 0
	if !strings.HasPrefix(ref, "/") {
		depth = strings.Count(below, "/")
	}
	for segment := range strings.SplitSeq(ref, "/") {
		switch segment {
		case "", ".":
		case "..":
			if depth--; depth < 0 {
				return true
			}
		default:
			depth++
		}
	}
	return false
}
