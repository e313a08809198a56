package generator

import (
	"strconv"

	"github.com/locus-url/locus/internal/markup"
)

// RSTIDs returns the fragments that docutils creates for a reStructuredText document. If incomplete
// is true, the page may contain other fragments, because parts of the page come from other files.
func RSTIDs(source string) (ids []string, incomplete bool) {
	names := markup.RSTNames(source)
	seen := map[string]int{}
	numbered := names.Notes
	for _, name := range names.Others {
		id := docutilsID(name)
		ids = append(ids, id)
		seen[id]++
	}
	for _, title := range names.Sections {
		id := docutilsID(title)
		if n := seen[id]; n > 0 || id == "" {
			numbered++
			ids = append(ids, id+"-"+strconv.Itoa(max(n, 1)), id+"-"+strconv.Itoa(n+1))
		}
		seen[id]++
		ids = append(ids, id)
	}
	return append(ids, numberedIDs(numbered, len(names.Sections))...), names.Open
}

// maxNumbered is the maximum number of unnamed parts for which fragments are created.
const maxNumbered = 10_000

// numberedIDs returns the fragments for n unnamed parts and for the entries in a table of
// contents. The result contains all fragments that different versions of docutils create. The
// result covers at most maxNumbered parts.
func numberedIDs(n, entries int) []string {
	var ids []string
	for i := range min(n, maxNumbered) {
		number := strconv.Itoa(i + 1)
		for _, begin := range [...]string{"id", "section-", "footnote-", "footnote-reference-", "citation-", "citation-reference-"} {
			ids = append(ids, begin+number)
		}
	}
	for i := range min(2*entries, maxNumbered) {
		number := strconv.Itoa(i + 1)
		ids = append(ids, "toc-entry-"+number, "id"+strconv.Itoa(n+i+1))
	}
	return ids
}
