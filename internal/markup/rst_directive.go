package markup

import (
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// readDirective reads the directive whose name begins at the offset nameStart. If there is no
// directive, it returns false.
func (r *rst) readDirective(ln rstLine, nameStart int) bool {
	size := directiveName(r.text[nameStart:ln.end])
	if size == 0 {
		return false
	}
	name := strings.ToLower(r.text[nameStart : nameStart+size])
	nameStart = blanksEnd(r.text[:ln.end], strings.Index(r.text[nameStart+size:], "::")+nameStart+size+len("::"))
	switch name {
	case "image", "figure":
		r.readPicture(ln, nameStart)
	case "include", "literalinclude":
		r.readInclude(name, ln, nameStart)
	case "raw":
		r.readRaw(ln, nameStart)
	case "toctree":
		r.readOptions(ln.column, nil)
		r.readToctree(ln.column)
	default:
		r.readOther(name, ln, nameStart)
	}
	return true
}

// directiveName returns the length of the directive name at the start of s, or zero if there is
// none.
func directiveName(s string) int {
	size := 0
	for size < len(s) && (octet.Is(s[size], octet.Alpha|octet.Digit) || s[size] >= 0x80 ||
		size > 0 && strings.IndexByte("-._+", s[size]) >= 0 || size > 0 && s[size] == ':' && size+1 < len(s) && s[size+1] != ':' && s[size-1] != ':') {
		size++
	}
	rest := strings.TrimPrefix(s[size:], " ")
	if size == 0 || !strings.HasPrefix(rest, "::") || len(rest) > 2 && rest[2] != ' ' && rest[2] != '\t' {
		return 0
	}
	return size
}

// isCodeDirective reports whether the content of a directive is code.
func isCodeDirective(name string) bool {
	switch name {
	case "code", "code-block", "sourcecode", "math", "doctest", "testcode", "testoutput", "testsetup", "testcleanup", "productionlist",
		"prompt", "graphviz", "digraph", "graph", "uml", "plantuml", "mermaid", "ipython", "jupyter-execute",
		"jupyter-input", "command-output", "program-output", "runblock", "plot", "exec", "highlight", "code-cell", "aafig", "aafigure", "nwdiag", "blockdiag", "seqdiag", "actdiag", "packetdiag", "rackdiag", "ditaa":
		return true
	}
	return false
}

// makesNames reports whether a directive may define names that do not occur in the document.
func makesNames(name string) bool {
	return strings.HasPrefix(name, "auto") || strings.Contains(name, ":") || strings.HasPrefix(name, "doxygen") || name == "function" || name == "class" ||
		name == "method" || name == "data" || name == "module" || name == "option" || name == "envvar" || name == "glossary" || name == "describe"
}

// readOther reads a directive that does not contain a file name.
func (r *rst) readOther(name string, ln rstLine, at int) {
	if r.names != nil {
		r.names.addDirective(name, r.text[at:ln.end])
	}
	if !isCodeDirective(name) {
		if at < ln.end {
			r.inline(at, ln.end)
		}
		r.readOptions(ln.column, nil)
		return
	}
	r.readOptions(ln.column, nil)
	start := r.pos
	r.emit(Piece{Kind: Code, Start: start, End: max(start, r.skipBlock(ln.column))})
}

// readOptions reads the options of a directive, which begin in the given column. It calls yield for
// each option. It stops before the first line that is not an option.
func (r *rst) readOptions(column int, yield func(name string, start, end int)) {
	for r.pos < len(r.text) {
		ln := r.lineAt(r.pos)
		if ln.blank() || ln.column <= column || r.text[ln.textStart] != ':' {
			return
		}
		size := fieldEnd(r.text[ln.textStart:ln.end])
		if size == 0 {
			return
		}
		r.pos = ln.next
		name := r.text[ln.textStart+1 : ln.textStart+size-1]
		start, end := blanksEnd(r.text[:ln.end], ln.textStart+size), max(ln.end, r.skipIndented(ln.column))
		if name == "name" && r.names != nil {
			r.names.add(strings.Join(strings.Fields(r.text[start:end]), " "))
		}
		if yield != nil {
			yield(name, start, end)
		}
	}
}

// skipArgument skips the remaining lines of a directive's argument, and returns the end of the
// argument.
func (r *rst) skipArgument(ln rstLine) (end int) {
	for end = ln.end; r.pos < len(r.text); {
		next := r.lineAt(r.pos)
		if next.blank() || next.column <= ln.column || r.text[next.textStart] == ':' {
			break
		}
		end, r.pos = next.end, next.next
	}
	return end
}

// readPicture reads the directive "image" or "figure".
func (r *rst) readPicture(ln rstLine, at int) {
	end := r.skipArgument(ln)
	at = SkipSpace(r.text[:end], at)
	if !strings.HasSuffix(r.text[at:end], ".*") { // Sphinx selects the file extension
		r.emitURI(Image, at, end)
	}
	r.readOptions(ln.column, func(name string, start, end int) {
		if text := r.text[start:end]; name == "target" && !isAlias(text) {
			r.emitURI(Link, start, end)
		}
	})
}

// readInclude reads the directive "include" or "literalinclude". A name such as "<isonum.txt>" is a
// file in docutils, which defines only characters. A file that is shown as code defines no names.
func (r *rst) readInclude(directive string, ln rstLine, at int) {
	end := r.skipArgument(ln)
	at = SkipSpace(r.text[:end], at)
	isFile := at < end && r.text[at] != '<'
	if isFile {
		r.emitURI(Include, at, end)
	}
	isCode := directive == "literalinclude"
	r.readOptions(ln.column, func(name string, _, _ int) { isCode = isCode || name == "code" || name == "literal" })
	if r.names != nil && isFile && !isCode {
		r.names.open = true
	}
}

// readRaw reads the directive "raw", which contains text in another notation, or names a file or a
// URL with the text.
func (r *rst) readRaw(ln rstLine, at int) {
	kind := Unseen
	for format := range strings.FieldsSeq(strings.ToLower(r.text[at:ln.end])) {
		if format == "html" {
			kind = HTMLBlock
		}
	}
	r.readOptions(ln.column, func(name string, start, end int) {
		switch name {
		case "file":
			r.emitURI(Include, start, end)
		case "url":
			r.emitURI(Link, start, end)
		}
	})
	start := r.pos
	r.emit(Piece{Kind: kind, Start: start, End: max(start, r.skipBlock(ln.column))})
}

// readToctree reads the entries of a table of contents. An entry is a document name or "title
// <name>". It ignores patterns, which match several documents.
func (r *rst) readToctree(column int) {
	at := r.pos
	for last := r.skipBlock(column); at < last; {
		ln := r.lineAt(at)
		at = ln.next
		entry := r.text[ln.textStart:ln.end]
		start, end := ln.textStart, ln.end
		if at, ok := embeddedStart(entry); ok {
			start, end = ln.textStart+at, ln.end-1
		}
		switch target := r.text[start:end]; {
		case target == "self" || strings.ContainsAny(target, "*?[") || ln.blank():
		case strings.Contains(target, "://"):
			r.emit(Piece{Kind: Link, Start: start, End: end})
		default:
			r.emit(Piece{Kind: Role, Start: start, End: end})
		}
	}
}

// readGridTable reads a grid table, beginning at the second line. A URL can't extend beyond the end
// of a cell.
func (r *rst) readGridTable() {
	for r.pos < len(r.text) {
		ln := r.lineAt(r.pos)
		if ln.blank() || r.text[ln.textStart] != '|' && r.text[ln.textStart] != '+' {
			return
		}
		r.pos = ln.next
		start := ln.textStart + 1
		for i := start; i <= ln.end; i++ {
			if i == ln.end || r.text[i] == '|' {
				r.inline(start, i)
				start = i + 1
			}
		}
	}
}

// isSimpleBorder reports whether a line is the border of a simple table.
func isSimpleBorder(line string) bool {
	return strings.HasPrefix(line, "=") && strings.Trim(line, "= ") == "" && strings.Contains(line, "= ")
}

// readSimpleTable reads a simple table after the first border. The gaps in the border separate the
// columns of the table. The table ends with a border before a blank line.
func (r *rst) readSimpleTable(border string, top rstLine) {
	for r.pos < len(r.text) {
		ln := r.lineAt(r.pos)
		r.pos = ln.next
		if ln.blank() {
			continue
		}
		if rest := r.text[ln.textStart:ln.end]; isSimpleBorder(rest) || isRule(rest) {
			if rest[0] == '=' && (r.pos == len(r.text) || r.lineAt(r.pos).blank()) {
				return
			}
			continue
		}
		if ln.column < top.column {
			r.pos = ln.start
			return
		}
		r.emitRow(border, ln, ln.start+top.textStart-top.start)
	}
}

// emitRow yields the cells on one line of a simple table. The first column begins at the offset
// start.
func (r *rst) emitRow(border string, ln rstLine, start int) {
	from := min(start, ln.end)
	for i := 1; i < len(border); i++ {
		at := start + i
		if at >= ln.end {
			break
		}
		if border[i] == '=' && border[i-1] == ' ' && (r.text[at-1] == ' ' || r.text[at-1] == '\t') {
			r.inline(from, at)
			from = at
		}
	}
	r.inline(from, ln.end)
}
