package file

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/archived"
	"github.com/locus-url/locus/scheme"
)

// maxSorted is the maximum number of entries that the client sorts together, to bound memory. The
// client lists a longer directory in several sorted runs.
const maxSorted = 10_000

// menu returns an open directory as a menu. It sorts the items by name, in runs of at most 10,000.
// The caller may iterate over the items once.
func (c *Client) menu(ctx context.Context, req *scheme.Request, name string, file *os.File) *scheme.Menu {
	d := &directory{client: c, ctx: ctx, file: file, name: name, parts: req.URL.WithoutFragment().Parts(), run: maxSorted, source: archived.For(req)}
	m := &scheme.Menu{URL: req.URL, Title: name, Items: d.items(), Closer: file}
	d.source.Attach(m, listingType)
	return m
}

type directory struct {
	client *Client
	ctx    context.Context
	file   *os.File
	name   string
	parts  locus.Parts // parts of the directory's URL
	run    int         // number of entries in a sorted run

	source *archived.Buffer // the archived listing of the items; nil if not requested
}

func (d *directory) items() iter.Seq2[scheme.Item, error] {
	return func(yield func(scheme.Item, error) bool) {
		for {
			if err := d.ctx.Err(); err != nil {
				yield(scheme.Item{}, fmt.Errorf("file: %w", err))
				return
			}
			entries, err := d.file.ReadDir(d.run)
			slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
			for _, entry := range entries {
				if item, ok := d.item(entry); ok && !yield(item, nil) {
					return
				}
			}
			if err != nil {
				if err != io.EOF {
					// ReadDir does not return ErrClosed for a closed
					// directory.
					if _, closed := d.file.Stat(); errors.Is(closed, fs.ErrClosed) {
						err = closed
					}
					yield(scheme.Item{}, failure(d.name, err))
				}
				return
			}
		}
	}
}

// item returns the menu item for a directory entry. If the entry no longer exists, ok is false.
func (d *directory) item(entry fs.DirEntry) (item scheme.Item, ok bool) {
	item = scheme.Item{Title: entry.Name(), Kind: scheme.KindUnknown, Size: -1}
	info, err := entry.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return item, false
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		item.Note = "symbolic link"
		// The kind of a link stays unknown if its target is missing or outside the root.
		info, err = d.client.tree.Stat(d.name + string(os.PathSeparator) + entry.Name())
	}
	if err == nil {
		item.ModTime = info.ModTime()
		switch {
		case info.IsDir():
			item.Kind = scheme.KindMenu
		case info.Mode().IsRegular():
			item.Kind, item.Size = scheme.KindObject, info.Size()
		default:
			item.Note = specialKind(info.Mode())
		}
	}
	item.URL = itemURL(d.parts, entry.Name(), item.Kind == scheme.KindMenu)
	writeItem(d.source, &item)
	return item, true
}

// itemURL returns the URL of a directory entry. The argument parts holds the parts of the
// directory's URL.
func itemURL(parts locus.Parts, name string, directory bool) locus.URL {
	path := []byte(strings.TrimSuffix(*parts.Path, "/"))
	if len(path) > 0 {
		path = append(path, '/')
	}
	path = appendSegment(path, name)
	if directory {
		path = append(path, '/')
	}
	text := string(path)
	parts.Path = &text
	u, err := parts.URL()
	if err != nil {
		return locus.URL{}
	}
	return u
}
