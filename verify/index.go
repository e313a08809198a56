package verify

import (
	"context"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

// indexFiles lists the default index files in lower case, in order of preference.
var indexFiles = []string{"index.html", "index.htm", "index.md", "readme.md", "readme.html"}

// findInIndexFile looks for the fragments of a link to a directory in the directory's index file.
// If there is no index file, findInIndexFile does not check the fragments.
func (c *Checker) findInIndexFile(ctx context.Context, a *attempt, t *checkedURL, wants []string, m *scheme.Menu) {
	names := c.indexes()
	file, rank := locus.URL{}, len(names)
	n := 0
	for item, err := range m.Items {
		if n++; err != nil || n > maxItems {
			break
		}
		path, _ := item.URL.Path()
		name := strings.ToLower(path[strings.LastIndexByte(path, '/')+1:])
		if i := slices.Index(names, name); i >= 0 && i < rank && item.Kind != scheme.KindMenu {
			file, rank = cloneURL(item.URL), i
		}
	}
	if file.IsZero() {
		if c.needsIndex(t.url) {
			a.outcome.Verdict, a.outcome.Detail = Dead, "the directory has no index file: "+strings.Join(c.o.IndexFiles, ", ")
		}
		return
	}
	if len(wants) == 0 {
		return
	}
	res, err := c.openURL(ctx, access.Request{URL: file, From: t.from})
	if err != nil {
		// The directory exists; the content of its index file is unknown.
		return
	}
	defer res.Resource.Close()
	if o, ok := res.Resource.(*scheme.Object); ok {
		c.readObject(ctx, a, t.site, requirements{fragments: wants}, res, o)
	}
}

// needsIndex reports whether the options require an index file in the directory u.
func (c *Checker) needsIndex(u locus.URL) bool { return len(c.o.IndexFiles) > 0 && c.isFile(u) }
