package verify

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// hunkContext is the number of unchanged lines around a change.
const hunkContext = 3

// block is some lines that edits change: the old ones, from 0, and the new text.
type block struct {
	first, last int
	text        []byte
}

// writeDiff writes edits of a text, which are in order, as a unified diff that git and patch apply.
func writeDiff(w io.Writer, name string, text []byte, edits []edit) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", patchName("a/"+name), patchName("b/"+name))
	lines := bytes.SplitAfter(text, []byte("\n"))
	if last := len(lines) - 1; len(lines[last]) == 0 {
		lines = lines[:last]
	}
	blocks := blocksOf(lines, edits)
	shift := 0 // new lines so far, less old ones
	for len(blocks) > 0 {
		n := 1
		for n < len(blocks) && blocks[n].first-blocks[n-1].last <= 2*hunkContext+1 {
			n++
		}
		shift += writeHunk(&b, lines, blocks[:n], shift)
		blocks = blocks[n:]
	}
	_, err := w.Write(b.Bytes())
	return err
}

// blocksOf groups edits by the lines that they change.
func blocksOf(lines [][]byte, edits []edit) (blocks []block) {
	number, start := 0, 0 // of the current line
	for i := 0; i < len(edits); {
		for start+len(lines[number]) <= edits[i].start {
			start += len(lines[number])
			number++
		}
		k := block{first: number, last: number}
		from, end := start, start+len(lines[number])
		for ; i < len(edits) && edits[i].start < end; i++ {
			for edits[i].end > end {
				k.last++
				end += len(lines[k.last])
			}
			k.text = append(append(k.text, between(lines, k.first, start, from, edits[i].start)...), edits[i].text...)
			from = edits[i].end
		}
		k.text = append(k.text, between(lines, k.first, start, from, end)...)
		blocks = append(blocks, k)
	}
	return blocks
}

// between returns the text from one offset to another, both in lines from number "first"
// on, which begins at start.
func between(lines [][]byte, first, start, from, to int) (text []byte) {
	for ; from < to; first++ {
		end := start + len(lines[first])
		if from < end {
			text = append(text, lines[first][from-start:min(to, end)-start]...)
			from = min(to, end)
		}
		start = end
	}
	return text
}

// writeHunk writes blocks that are near each other, and returns by how many lines the new
// text is longer.
func writeHunk(b *bytes.Buffer, lines [][]byte, blocks []block, shift int) (longer int) {
	begin := max(blocks[0].first-hunkContext, 0)
	end := min(blocks[len(blocks)-1].last+1+hunkContext, len(lines))
	var body bytes.Buffer
	newCount, at := 0, begin
	keep := func(to int) {
		for ; at < to; at++ {
			writeLine(&body, ' ', lines[at])
			newCount++
		}
	}
	for _, k := range blocks {
		keep(k.first)
		for ; at <= k.last; at++ {
			writeLine(&body, '-', lines[at])
		}
		for line := range bytes.Lines(k.text) {
			writeLine(&body, '+', line)
			newCount++
		}
	}
	keep(end)
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n%s", begin+1, end-begin, begin+1+shift, newCount, body.Bytes())
	return newCount - (end - begin)
}

func writeLine(b *bytes.Buffer, mark byte, line []byte) {
	b.WriteByte(mark)
	b.Write(line)
	if !bytes.HasSuffix(line, []byte("\n")) {
		b.WriteString("\n\\ No newline at end of file\n")
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
