package markup

import (
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// directive reads the directive whose name begins at the offset at. If there is no directive, it
// returns false.
func (r *rst) directive(ln rstLine, at int) bool {
	size := directiveName(r.text[at:ln.end])
	if size == 0 {
		return false
	}
	name := strings.ToLower(r.text[at : at+size])
	at = blanksEnd(r.text[:ln.end], strings.Index(r.text[at+size:], "::")+at+size+len("::"))
	switch name {
	case "image", "figure":
		r.picture(ln, at)
	case "include", "literalinclude":
		r.include(name, ln, at)
	case "raw":
		r.raw(ln, at)
	case "toctree":
		r.options(ln.column, nil)
		r.toctree(ln.column)
	default:
		r.other(name, ln, at)
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

// other reads a directive that does not contain a file name.
func (r *rst) other(name string, ln rstLine, at int) {
	if r.names != nil {
		r.names.directive(name, r.text[at:ln.end])
	}
	if !isCodeDirective(name) {
		if at < ln.end {
			r.inline(at, ln.end)
		}
		r.options(ln.column, nil)
		return
	}
	r.options(ln.column, nil)
	start := r.pos
	r.emit(Piece{Kind: Code, Start: start, End: max(start, r.block(ln.column))})
}

// options reads the options of a directive, which begin in the given column. It calls the function
// use for each option. It stops before the first line that is not an option.
func (r *rst) options(column int, use func(name string, start, end int)) {
	for r.pos < len(r.text) {
		ln := r.line(r.pos)
		if ln.blank() || ln.column <= column || r.text[ln.first] != ':' {
			return
		}
		size := fieldEnd(r.text[ln.first:ln.end])
		if size == 0 {
			return
		}
		r.pos = ln.next
		name := r.text[ln.first+1 : ln.first+size-1]
		start, end := blanksEnd(r.text[:ln.end], ln.first+size), max(ln.end, r.until(ln.column))
		if name == "name" && r.names != nil {
			r.names.add(strings.Join(strings.Fields(r.text[start:end]), " "))
		}
		if use != nil {
			use(name, start, end)
		}
	}
}

// argument skips the remaining lines of a directive's argument, and returns the end of the
// argument.
func (r *rst) argument(ln rstLine) (end int) {
	for end = ln.end; r.pos < len(r.text); {
		next := r.line(r.pos)
		if next.blank() || next.column <= ln.column || r.text[next.first] == ':' {
			break
		}
		end, r.pos = next.end, next.next
	}
	return end
}

// picture reads the directive "image" or "figure".
func (r *rst) picture(ln rstLine, at int) {
	end := r.argument(ln)
	at = SkipSpace(r.text[:end], at)
	if !strings.HasSuffix(r.text[at:end], ".*") { // Sphinx selects the file extension
		r.uri(Image, at, end)
	}
	r.options(ln.column, func(name string, start, end int) {
		if text := r.text[start:end]; name == "target" && !isAlias(text) {
			r.uri(Link, start, end)
		}
	})
}

// include reads the directive "include" or "literalinclude". A name such as "<isonum.txt>" is a
// file in docutils, which defines only characters. A file that is shown as code defines no names.
func (r *rst) include(directive string, ln rstLine, at int) {
	end := r.argument(ln)
	at = SkipSpace(r.text[:end], at)
	isFile := at < end && r.text[at] != '<'
	if isFile {
		r.uri(Include, at, end)
	}
	isCode := directive == "literalinclude"
	r.options(ln.column, func(name string, _, _ int) { isCode = isCode || name == "code" || name == "literal" })
	if r.names != nil && isFile && !isCode {
		r.names.open = true
	}
}

// raw reads the directive "raw", which contains text in another notation, or names a file or a URL
// with the text.
func (r *rst) raw(ln rstLine, at int) {
	kind := Unseen
	for format := range strings.FieldsSeq(strings.ToLower(r.text[at:ln.end])) {
		if format == "html" {
			kind = HTMLBlock
		}
	}
	r.options(ln.column, func(name string, start, end int) {
		switch name {
		case "file":
			r.uri(Include, start, end)
		case "url":
			r.uri(Link, start, end)
		}
	})
	start := r.pos
	r.emit(Piece{Kind: kind, Start: start, End: max(start, r.block(ln.column))})
}

// toctree reads the entries of a table of contents. An entry is a document name or "title <name>".
// It ignores patterns, which match several documents.
func (r *rst) toctree(column int) {
	at := r.pos
	for last := r.block(column); at < last; {
		ln := r.line(at)
		at = ln.next
		entry := r.text[ln.first:ln.end]
		start, end := ln.first, ln.end
		if at, ok := embedded(entry); ok {
			start, end = ln.first+at, ln.end-1
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

// gridTable reads a grid table, beginning at the second line. A URL can't extend beyond the end of
// a cell.
func (r *rst) gridTable() {
	for r.pos < len(r.text) {
		ln := r.line(r.pos)
		if ln.blank() || r.text[ln.first] != '|' && r.text[ln.first] != '+' {
			return
		}
		r.pos = ln.next
		start := ln.first + 1
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

// simpleTable reads a simple table after the first border. The gaps in the border separate the
// columns of the table. The table ends with a border before a blank line.
func (r *rst) simpleTable(border string, top rstLine) {
	for r.pos < len(r.text) {
		ln := r.line(r.pos)
		r.pos = ln.next
		if ln.blank() {
			continue
		}
		if rest := r.text[ln.first:ln.end]; isSimpleBorder(rest) || isRule(rest) {
			if rest[0] == '=' && (r.pos == len(r.text) || r.line(r.pos).blank()) {
				return
			}
			continue
		}
		if ln.column < top.column {
			r.pos = ln.start
			return
		}
		r.row(border, ln, ln.start+top.first-top.start)
	}
}

// row yields the cells on one line of a simple table. The first column begins at the offset start.
func (r *rst) row(border string, ln rstLine, start int) {
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
