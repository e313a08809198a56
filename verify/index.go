package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

// indexFiles are the files that stand for a directory where it is shown, in order of
// preference, in lower case.
var indexFiles = []string{"index.html", "index.htm", "index.md", "readme.md", "readme.html"}

// index looks for the fragments of a directory in its index file. A directory without
// one has no fragments that can be looked for.
func (e *engine) index(ctx context.Context, a *attempt, t *target, wants []string, m *scheme.Menu) {
	file, rank := locus.URL{}, len(indexFiles)
	n := 0
	for item, err := range m.Items {
		if n++; err != nil || n > maxItems {
			break
		}
		path, _ := item.URL.Path()
		name := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
		if i := slices.Index(indexFiles, name); i >= 0 && i < rank && item.Kind != scheme.KindMenu {
			file, rank = own(item.URL), i
		}
	}
	if file.IsZero() {
		return
	}
	res, err := e.client.Do(ctx, access.Request{URL: file, From: t.from})
	if err != nil {
		// The directory is there, and what its index file has is not known.
		return
	}
	defer res.Resource.Close()
	if o, ok := res.Resource.(*scheme.Object); ok {
		e.object(ctx, a, nil, wants, res, o)
	}
}
