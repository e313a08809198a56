package verify

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/verify"
)

// causeNote is the note about links that verify skipped for the same cause. The note names the
// setting with which verify would check the links.
type causeNote struct {
	cause verify.Cause
	text  string // text that follows the number of links
}

// causeNotes returns the notes in output order. If no setting can change the outcome, a cause has
// no note.
func causeNotes() []causeNote {
	return []causeNote{
		{verify.AboveRoot, "skipped: the link starts at an unknown site root or leads above the repository; use --root DIR or --base-url URL"},
		{verify.ReservedName, "skipped: host reserved for examples; use --include-reserved to verify such links"},
		{verify.PrivateHost, "skipped: private host; use --allow-private to verify such links"},
		{verify.LinkLocalHost, "skipped: link-local address; use --allow-private --allow-link-local to verify such links"},
		{verify.NoNames, "not judged: no host name could be resolved; check the network"},
		{verify.NeedsBuild, "skipped: only the site generator resolves such links; verify the built pages, or choose the generator with --preset"},
		{verify.Escaped, "requested with an added escape or \"/\"; use --all to list each"},
	}
}

// noteCauses writes the notes about skipped links, after the notes about recognized sites.
func (v *verifier) noteCauses() {
	v.choice.noteRecognized(v.a)
	for _, note := range causeNotes() {
		if n := v.sum.causes[note.cause]; n > 0 {
			v.a.Note("%s %s", countOf(n, "link"), note.text)
		}
	}
}

// noteInput writes a note if verify found no links in standard input. The note names the flag that
// sets the type of standard input.
func (v *verifier) noteInput() {
	if v.readsInput && v.as == "" && !v.choice.dump && !v.sum.documents["-"] {
		v.a.Note("no links found on standard input; use --as markdown or --as html to set its type")
	}
}

// skippedFiles counts files that are not documents, by extension.
type skippedFiles map[string]int

// countFile counts a file, unless files with the same extension never contain links for readers.
func (l skippedFiles) countFile(name string) {
	switch kind, _, _ := strings.Cut(media.ByName(filepath.Base(name)), "/"); {
	case kind == "image" && !strings.EqualFold(filepath.Ext(name), ".svg"), kind == "audio", kind == "video", kind == "font":
		return
	}
	l[cmp.Or(strings.ToLower(filepath.Ext(name)), "without an extension")]++
}

// shownExtensions is the maximum number of file extensions in the note about skipped files.
const shownExtensions = 3

// String returns a note with the most frequent extensions, such as "41 other files were not read:
// 12 .pdf, 9 .yaml, 8 .css, 12 others".
func (l skippedFiles) String() string {
	extensions := slices.SortedFunc(maps.Keys(l), func(a, b string) int {
		return cmp.Or(cmp.Compare(l[b], l[a]), cmp.Compare(a, b))
	})
	var list []string
	all, others := 0, 0
	for i, extension := range extensions {
		all += l[extension]
		if i < shownExtensions {
			list = append(list, fmt.Sprint(l[extension], " ", extension))
		} else {
			others += l[extension]
		}
	}
	if others > 0 {
		list = append(list, countOf(others, "other"))
	}
	were := " were not read: "
	if all == 1 {
		were = " was not read: "
	}
	return countOf(all, "other file") + were + strings.Join(list, ", ")
}

// noteLeftOut reports the files that verify did not read.
func (v *verifier) noteLeftOut() {
	if len(v.leftOut) > 0 && v.choice.changedSince == "" && !v.choice.dump {
		v.a.Note("%v; use --all-files to read them", v.leftOut)
	}
}
