package document

import (
	"bytes"
	"io"
	"strings"

	"github.com/locus-url/locus/extract"
)

// readCells reports the links in a CSV table. A URL can't extend beyond the end of a cell. Only a
// part of the table is in memory at a time.
func (t *texts) readCells(h *head) {
	separator := separatorOf(t.typ, h.octets)
	block := make([]byte, 0, partSize)
	minSize := 0 // minimum size of a block that may contain a whole record
	for err := error(nil); err == nil && !t.f.done; {
		if len(block) == cap(block) {
			block = append(block, make([]byte, len(block))...)[:len(block)]
		}
		var n int
		n, err = t.it.r.Read(block[len(block):cap(block)])
		block = block[:len(block)+n]
		cut := len(block)
		if err == nil {
			if len(block) < minSize {
				continue
			}
			if cut = wholeRecords(block, separator); cut == 0 {
				minSize = 2 * len(block)
				continue
			}
			minSize = 0
		}
		t.readRecords(block[:cut], separator)
		block = append(block[:0], block[cut:]...)
		if err != nil && err != io.EOF {
			t.f.fail(t.it, err)
		}
	}
}

// wholeRecords returns the total size of the complete records at the start of a block.
// wholeRecords truncates a record that is too long.
func wholeRecords(block []byte, separator byte) int {
	end := 0
	for i := 0; i < len(block); {
		cell := cellEnd(block, i, separator)
		if cell < len(block) && block[cell] == '\n' {
			end = cell + 1
		}
		i = cell + 1
	}
	if end == 0 && len(block) >= maxPart {
		return len(block)
	}
	return end
}

// separatorOf returns the separator of the table whose first bytes are in octets. The result is
// the most frequent of three common separators in the first line.
func separatorOf(typ string, octets []byte) byte {
	if typ == "text/tab-separated-values" {
		return '\t'
	}
	octets = octets[:min(len(octets), sniffed)]
	best, most := byte(','), 0
	for _, separator := range []byte(",;\t") {
		cells := 0
		for i := 0; i < len(octets); cells++ {
			end := cellEnd(octets, i, separator)
			if end < len(octets) && octets[end] == '\n' {
				break
			}
			i = end + 1
		}
		if cells > most {
			best, most = separator, cells
		}
	}
	return best
}

// cellEnd returns the offset of the end of the cell that begins at the offset i. In a quoted cell,
// separators and line breaks are text (RFC 4180 section 2).
func cellEnd(block []byte, i int, separator byte) int {
	quotes := i < len(block) && block[i] == '"'
	quoted := quotes
	if quoted {
		i++
	}
	for ; i < len(block); i++ {
		switch c := block[i]; {
		case quoted && c == '"':
			quoted = false
		case quotes && c == '"' && block[i-1] == '"':
			quoted = true // a doubled quotation mark, which does not end the cell
		case !quoted && (c == separator || c == '\n'):
			return i
		}
	}
	return i
}

// readRecords reports the links in a block of records.
func (t *texts) readRecords(block []byte, separator byte) {
	text := t.setText(block)
	o := t.f.o.Extract
	o.Clone = !o.Borrow
	for i := 0; i < len(block) && !t.f.done; {
		end := cellEnd(block, i, separator)
		t.readCell(text[i:end], i, &o)
		i = end + 1
	}
	t.base += int64(len(block))
	if !t.f.o.NoPosition {
		t.line += int64(bytes.Count(block, []byte{'\n'}))
	}
}

// readCell reports the links in a cell that begins at the offset start.
func (t *texts) readCell(text string, start int, o *extract.Options) {
	if !o.Schemeless && strings.IndexByte(text, ':') < 0 {
		return
	}
	var l Link
	for m := range extract.All(text, o) {
		m.Start, m.End = m.Start+int64(start), m.End+int64(start)
		if l.Match = m; !t.emit(&l) {
			return
		}
	}
}
