package browse

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/term"
)

type line struct {
	prefix string // margin, number or quote before the text
	runs   []run
	block  int
	offset int // byte offset of the line in the text of the block
}

// wideScreen is the minimum screen width, in columns, at which the browser shows the details of
// items.
const wideScreen = 60

// lay computes the lines of the page for a screen width, unless they already have this width.
func (p *page) lay(width int) {
	width = max(width, 1)
	if p.width == width {
		return
	}
	p.width, p.lines = width, make([]line, 0, len(p.blocks))
	digits := len(fmt.Sprint(len(p.links)))
	for i := range p.blocks {
		p.lines = p.blocks[i].appendLines(p.lines, i, width, digits)
	}
}

// prefixes returns the prefix for the first line of the block and the prefix for all other lines.
func (b *block) prefixes(width, digits int) (first, rest string) {
	first = b.quote + b.margin
	if b.loose {
		first = strings.Repeat(" ", digits+2)
	}
	if b.isItem() {
		first = b.quote + fmt.Sprintf("%*d ", digits+1, b.runs[0].link+1) + b.margin
		if width >= wideScreen {
			first += b.detail
		}
	}
	rest = b.quote + strings.Repeat(" ", b.indent+term.Width(first)-term.Width(b.quote))
	if most := width / 2; term.Width(first) > most {
		first = term.Truncate(first, most)
	}
	if term.Width(rest) > width/2 {
		rest = ""
	}
	return first, rest
}

// isItem reports whether the block is a link on its own line. The number of such a link is in the
// margin.
func (b *block) isItem() bool { return len(b.runs) == 1 && b.runs[0].link != noLink }

// appendLines breaks the block into lines, between words if possible.
func (b *block) appendLines(lines []line, index, width, digits int) []line {
	prefix, rest := b.prefixes(width, digits)
	offset := 0
	room := width - term.Width(prefix)
	at := line{prefix: prefix, block: index}
	used := 0
	end := func() {
		lines = append(lines, at)
		at = line{prefix: rest, block: index, offset: offset}
		room, used = width-term.Width(rest), 0
	}
	put := func(r run, text string) {
		if n := len(at.runs); n > 0 && at.runs[n-1].link == r.link && at.runs[n-1].style == r.style {
			at.runs[n-1].text += text
		} else {
			at.runs = append(at.runs, run{text, r.link, r.style})
		}
		offset += len(text)
	}
	for _, r := range b.runs {
		if used+len(r.text) <= room && isASCII(r.text) {
			// Usually, the whole text of a run fits on the line.
			put(r, r.text)
			used += len(r.text)
			continue
		}
		for text := r.text; text != ""; {
			word := nextWord(text, 16*width+64)
			blanks := len(word) - len(strings.TrimLeft(word, " "))
			columns := term.Width(word)
			switch {
			case used+columns <= room:
				put(r, word)
				used += columns
				text = text[len(word):]
				continue
			case used > 0 && columns-blanks <= room:
				// A line break replaces the spaces before the word.
				offset += blanks
				end()
				text = text[blanks:]
				continue
			}
			piece := fitting(word, room-used)
			if piece == "" && used == 0 {
				piece = firstCharacter(word)
			}
			if piece != "" {
				put(r, piece)
				text = text[len(piece):]
			}
			if text != "" {
				end()
			}
		}
	}
	return append(lines, at)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// nextWord returns the leading spaces of a text and the next word. If they are longer than the
// limit in most, nextWord returns only their beginning. Because of this limit, breaking a long
// line takes linear time.
func nextWord(text string, most int) string {
	if len(text) > most {
		for most < len(text) && !utf8.RuneStart(text[most]) {
			most++
		}
		text = text[:most]
	}
	start := len(text) - len(strings.TrimLeft(text, " "))
	if n := strings.IndexByte(text[start:], ' '); n >= 0 {
		return text[:start+n]
	}
	return text
}

// fitting returns the longest prefix of the text that fits in n columns.
func fitting(text string, n int) string {
	if n <= 0 {
		return ""
	}
	end, used := 0, 0
	for i := 0; i < len(text); {
		c := firstCharacter(text[i:])
		if used += term.Width(c); used > n {
			break
		}
		i += len(c)
		end = i
	}
	return text[:end]
}

// firstCharacter returns the first character of a text, including its combining marks.
func firstCharacter(text string) string {
	for i, c := range text {
		if i > 0 && term.Width(string(c)) > 0 {
			return text[:i]
		}
	}
	return text
}

// lineOf returns the index of the first line of a block that begins at or after the given offset.
func (p *page) lineOf(block, offset int) int {
	found := 0
	for i, l := range p.lines {
		if l.block > block || l.block == block && l.offset > offset {
			break
		}
		found = i
	}
	return found
}

// linkLine returns the index of the first line that contains a link, and the column of the link.
// It searches only the lines from index from to index to.
func (p *page) linkLine(link, from, to int) (at, column int, ok bool) {
	for i := from; i < min(to, len(p.lines)); i++ {
		column := term.Width(p.lines[i].prefix)
		for _, r := range p.lines[i].runs {
			if r.link == link {
				return i, column, true
			}
			column += term.Width(r.text)
		}
	}
	return 0, 0, false
}
