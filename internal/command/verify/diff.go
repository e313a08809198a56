package verify

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// writeDiff writes edits of a text, which are in order, as a unified diff that git and patch apply.
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

// renumber sets the new line at which each hunk begins. The library does not count the lines
// between two changes of a hunk that comes before.
func renumber(hunks []*udiff.Hunk) {
	shift := 0 // new lines so far, less old ones
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

// patchName writes the name of a file in the head of a patch, as git does: in quotes if it has
// unusual characters, and with a tab after it if it has blanks.
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
