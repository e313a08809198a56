package generator

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/locus-url/locus/internal/markup"
)

// IDs returns the fragments that the generator creates from headings and other named parts of a
// Markdown document. IDs ignores HTML. If incomplete is true, the page may contain other fragments,
// because parts of the page come from other files.
func (s *Site) IDs(source string) (ids []string, incomplete bool) {
	return s.idsOf(source, markup.Headings)
}

// MDXIDs is like IDs for an MDX document.
func (s *Site) MDXIDs(source string) (ids []string, incomplete bool) {
	return s.idsOf(source, markup.MDXHeadings)
}

func (s *Site) idsOf(source string, headings func(string) []string) (ids []string, incomplete bool) {
	if _, ok := parseMatter(source); ok {
		source = withoutMatter(source)
	}
	var plain []string
	for _, heading := range headings(source) {
		text, id := OwnID(heading)
		if id != "" {
			ids = append(ids, id)
			continue
		}
		plain = append(plain, text)
	}
	if s.terms {
		for _, m := range term().FindAllStringSubmatch(source, -1) {
			plain = append(plain, strings.Trim(m[1], "`*_ "))
		}
	}
	ids = append(ids, s.ids(plain)...)
	for _, names := range [...]*regexp.Regexp{blockID(), attributeID()} {
		for _, m := range names.FindAllStringSubmatch(source, -1) {
			ids = append(ids, m[1])
		}
	}
	if s.labels != nil {
		for _, m := range label().FindAllStringSubmatch(source, -1) {
			name := m[1] + m[2]
			ids = append(ids, name, docutilsID(name))
		}
	}
	for i, m := range footnote().FindAllStringSubmatch(source, -1) {
		for _, name := range []string{m[1], strconv.Itoa(i + 1)} {
			for _, begin := range []string{"fn:", "fnref:", "fn-", "fnref-", "footnote-", "user-content-fn-", "user-content-fnref-"} {
				ids = append(ids, begin+name)
			}
		}
	}
	if s.stems != nil {
		for _, heading := range plain {
			ids = append(ids, VaultID(heading)) // fragment in wikilinks
		}
		for _, m := range block().FindAllStringSubmatch(source, -1) {
			ids = append(ids, m[1])
		}
	}
	return ids, s.opaque != nil && s.opaque(withoutCode(source))
}

// withoutCode removes fenced code, code spans and raw Liquid parts from a document, because
// directives in these parts have no effect. withoutCode does not remove a directive with a fence,
// such as "```{note}".
func withoutCode(source string) string {
	var b strings.Builder
	code := ""
	var directives []string // fences of open directives
	for line := range strings.Lines(source) {
		mark, info := fenceOf(strings.TrimSpace(line))
		last := len(directives) - 1
		switch {
		case code != "":
			if info == "" && strings.HasPrefix(mark, code) {
				code = ""
			}
		case mark != "" && info == "" && last >= 0 && strings.HasPrefix(mark, directives[last]):
			directives = directives[:last]
		case mark != "" && !strings.HasPrefix(info, "{"):
			code = mark
		default:
			if mark != "" {
				directives = append(directives, mark)
			}
			b.WriteString(codeSpan().ReplaceAllString(line, ""))
		}
	}
	return rawPart().ReplaceAllString(b.String(), "")
}

var (
	codeSpan = expression("`[^`\n]+`")
	rawPart  = expression(`(?s)\{%-?\s*raw\s*-?%\}.*?\{%-?\s*endraw\s*-?%\}`)
)

// fenceOf returns the fence at the start of a line, and the rest of the line. If the line does not
// begin with a fence, both results are empty.
func fenceOf(line string) (mark, info string) {
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		if n := len(line) - len(rest); n >= 3 && !strings.Contains(rest, c) {
			return line[:n], strings.TrimSpace(rest)
		}
	}
	return "", ""
}

var (
	// blockID matches an attribute list of kramdown and Python-Markdown, such as "{: #name
	// .class}".
	blockID = expression(`\{:[^}\n]*?#([^\s}]+)`)
	// attributeID matches an attribute list after a text or on its own line, as in "[text]{#name}"
	// or "**bold**{ #name .class }".
	attributeID = expression(`\{(?:[^{}\n]*\s)?#([^\s{}]+)[^{}\n]*\}`)
	// label matches a MyST label or the name of a directive.
	label = expression(`(?m)^\s*(?:\(([^)\n]+)\)=|:name:\s*(\S+))\s*$`)
	// footnote matches the definition of a footnote. Generators create fragments for footnotes,
	// and for references to footnotes, from the label or the number.
	footnote = expression(`(?m)^ {0,3}\[\^([^\]\s]+)\]:`)
	// term matches a term in a definition list.
	term = expression(`(?m)^([^\s:#>|-].*)\n\n?: `)
	// block matches the name at the end of an Obsidian block.
	block = expression(`(?m)(?:^|\s)(\^[A-Za-z0-9-]+)\s*$`)
)

// withoutMatter returns the text of a document without its front matter.
func withoutMatter(source string) string {
	mark := strings.TrimPrefix(source, "\uFEFF")[:3]
	_, rest, _ := strings.Cut(source, "\n")
	for line := range strings.Lines(rest) {
		rest = rest[len(line):]
		if strings.TrimRight(line, " \t\r\n") == mark {
			break
		}
	}
	return rest
}

// OwnID splits a heading such as "Text {#id .class}" or "Text {: #id}" into its text and its
// fragment. If there is no fragment, id is empty.
func OwnID(heading string) (plain, id string) {
	heading = strings.TrimSpace(heading)
	at := strings.LastIndexByte(heading, '{')
	if at < 0 || !strings.HasSuffix(heading, "}") {
		return heading, ""
	}
	for field := range strings.FieldsSeq(strings.TrimPrefix(heading[at+1:len(heading)-1], ":")) {
		name, ok := strings.CutPrefix(field, "#")
		if value, isID := strings.CutPrefix(field, "id="); isID {
			name, ok = strings.Trim(value, `"'`), true
		}
		if ok && name != "" {
			return strings.TrimSpace(heading[:at]), name
		}
	}
	return heading, ""
}
