package document

import (
	"strings"

	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/markup"
)

// markdownProse reports the URLs in running text of Markdown. markdownProse also reports links
// that only site generators recognize.
func (d *linkFinder) markdownProse(start, end int) {
	for (d.o.Wikilinks || d.o.Templates) && !d.done {
		l, at, next := d.findGenerated(start, end)
		if next == 0 {
			break
		}
		d.readProse(start, at, markup.MarkdownText)
		d.emit(l)
		start = next
	}
	d.readProse(start, end, markup.MarkdownText)
}

// findGenerated returns the first wikilink or template between the offsets start and end. The link
// is between the offsets linkStart and linkEnd. If there is no such link, linkEnd is 0.
func (d *linkFinder) findGenerated(start, end int) (l Link, linkStart, linkEnd int) {
	for i := start; i < end; i++ {
		i = d.generatedMark(i, end)
		rest := d.text[i:end]
		size, from, ref, element := 0, 0, "", ""
		switch {
		case rest == "":
			return Link{}, 0, 0
		case strings.HasPrefix(rest, "[["):
			ref, size = wikilink(rest)
			from, element = len("[["), "wikilink"
		default:
			ref, size = template(rest[len("]("):])
			from = len("](")
			size += from
		}
		if ref == "" {
			continue
		}
		if d.o.Extract.Clone {
			ref = strings.Clone(ref)
		}
		l.Ref, l.Element, l.Match = ref, element, extract.Match{Form: extract.Link, Start: int64(i + from), End: int64(i + from + len(ref))}
		return l, i, i + size
	}
	return Link{}, 0, 0
}

// generatedMark returns the offset of the first "[[" or "]({" after the offset i. generatedMark
// looks only for the links that the options select. If there is no match, generatedMark returns
// end.
func (d *linkFinder) generatedMark(i, end int) int {
	first := end
	if d.o.Wikilinks {
		if n := strings.Index(d.text[i:end], "[["); n >= 0 {
			first = i + n
		}
	}
	if d.o.Templates {
		if n := strings.Index(d.text[i:first], "]({"); n >= 0 {
			first = i + n
		}
	}
	return first
}

// maxGenerated is the maximum size of a wikilink or template action.
const maxGenerated = 4096

// wikilink returns the target and the size of the wikilink at the start of text.
func wikilink(text string) (ref string, size int) {
	text = text[:min(len(text), maxGenerated)]
	size = strings.Index(text, "]]")
	if size < 0 {
		return "", 0
	}
	ref, _, _ = strings.Cut(text[len("[["):size], "|")
	ref = strings.TrimRight(ref, `\ `) // in a table, "\|" separates the text
	if strings.ContainsAny(ref, "[]\r\n") {
		return "", 0
	}
	return ref, size + len("]]")
}

// template returns the link destination at the start of text if the destination begins with a
// template action.
func template(text string) (ref string, size int) {
	text = text[:min(len(text), maxGenerated)]
	for _, marks := range [...][2]string{{"{{", "}}"}, {"{%", "%}"}} {
		if !strings.HasPrefix(text, marks[0]) {
			continue
		}
		end := strings.Index(text, marks[1])
		if end < 0 {
			return "", 0
		}
		end += len(marks[1])
		rest := strings.IndexAny(text[end:], ") \t\r\n")
		if rest < 0 {
			return "", 0
		}
		return text[:end+rest], end + rest
	}
	return "", 0
}

// hasCode reports whether the text in an element with the given name is code.
func hasCode(name string) bool {
	switch strings.ToLower(name) {
	case "code", "pre", "samp", "kbd":
		return true
	}
	return false
}

func (d *linkFinder) openCode(name string) {
	if d.o.NoCode && hasCode(name) {
		d.code++
	}
}

func (d *linkFinder) closeCode(name string) {
	if d.code > 0 && hasCode(name) {
		d.code--
	}
}
