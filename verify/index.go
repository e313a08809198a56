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
	names := e.indexes()
	file, rank := locus.URL{}, len(names)
	n := 0
	for item, err := range m.Items {
		if n++; err != nil || n > maxItems {
			break
		}
		path, _ := item.URL.Path()
		name := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
		if i := slices.Index(names, name); i >= 0 && i < rank && item.Kind != scheme.KindMenu {
			file, rank = own(item.URL), i
		}
	}
	if file.IsZero() {
		if e.needsIndex(t) {
			a.outcome.Verdict, a.outcome.Detail = Dead, "the folder has none of "+strings.Join(e.o.IndexFiles, ", ")
		}
		return
	}
	if len(wants) == 0 {
		return
	}
	res, err := e.do(ctx, access.Request{URL: file, From: t.from})
	if err != nil {
		// The directory exists; the content of its index file is unknown.
		return
	}
	defer res.Resource.Close()
	if o, ok := res.Resource.(*scheme.Object); ok {
		e.readObject(ctx, a, t, want{fragments: wants}, res, o)
	}
}

// needsIndex reports whether t, a folder, counts as missing without an index file.
func (e *Verifier) needsIndex(t *target) bool { return len(e.o.IndexFiles) > 0 && e.isFile(t.url) }
