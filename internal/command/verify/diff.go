package verify

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// writeDiff writes the edits of a text as a unified diff for git and patch. The edits must be in
// text order.
func writeDiff(w io.Writer, name string, text []byte, edits []edit) error {
	list := make([]udiff.Edit, len(edits))
	for i, e := range edits {
		list[i] = udiff.Edit{Start: e.start, End: e.end, New: e.text}
	}
	diff, err := udiff.ToUnifiedDiff(patchName("a/"+name), patchName("b/"+name), string(text), list, udiff.DefaultContextLines)
	if err != nil {
		return err
	}
	renumber(diff.Hunks)
	_, err = io.WriteString(w, diff.String())
	return err
}

// renumber sets the line number in the new text at which each hunk begins. The diff library does
// not count the lines between two changes in an earlier hunk.
func renumber(hunks []*udiff.Hunk) {
	shift := 0 // added lines minus removed lines in the earlier hunks
	for _, h := range hunks {
		h.ToLine = h.FromLine + shift
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Delete:
				shift--
			case udiff.Insert:
				shift++
			}
		}
	}
}

// patchName formats a file name for the head of a patch, as git does. patchName quotes a name with
// unusual characters, and appends a tab to a name with spaces.
func patchName(name string) string {
	var b strings.Builder
	quoted := false
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"', c == '\\':
			b.WriteString("\\" + string(rune(c)))
			quoted = true
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, "\\%03s", strconv.FormatInt(int64(c), 8))
			quoted = true
		default:
			b.WriteByte(c)
		}
	}
	switch {
	case quoted:
		return `"` + b.String() + `"`
	case strings.Contains(name, " "):
		return name + "\t"
	}
	return name
}
