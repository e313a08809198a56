package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

// indexFiles are the files shown for a directory, in lower case, in order of
// preference.
var indexFiles = []string{"index.html", "index.htm", "index.md", "readme.md", "readme.html"}

// findInIndexFile looks for the fragments of a directory in its index file. Without
// one, it has no fragments that can be looked for.
func (e *Verifier) findInIndexFile(ctx context.Context, a *attempt, t *target, wants []string, m *scheme.Menu) {
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
	res, err := e.do(ctx, access.Request{URL: file, From: t.from})
	if err != nil {
		// The directory exists; the content of its index file is unknown.
		return
	}
	defer res.Resource.Close()
	if o, ok := res.Resource.(*scheme.Object); ok {
		e.readObject(ctx, a, nil, wants, res, o)
	}
}
