package markup

import (
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// readEntry reads the attribute definition that begins in a line. If the line does not begin a
// definition, it returns false.
func (a *asciidoc) readEntry(line string, start, end int) bool {
	name, value, remove, ok := entry(line)
	if !ok || len(a.open) > 0 {
		return false
	}
	a.emitUnseen(start, end)
	if part, continues := strings.CutSuffix(value, " \\"); continues && !remove {
		a.pending, a.value = name, part
		return true
	}
	a.attrs.define(name, value, remove, a.condition())
	return true
}

// continueEntry adds a line to an attribute value that began in a previous line. If there is no
// such value, continueEntry returns false.
func (a *asciidoc) continueEntry(line string) bool {
	if a.pending == "" {
		return false
	}
	part, continues := strings.CutSuffix(strings.TrimLeft(line, " \t"), " \\")
	if len(a.value) <= maxAttribute {
		a.value += " " + part
	}
	if !continues {
		a.attrs.define(a.pending, a.value, false, a.condition())
		a.pending = ""
	}
	return true
}

// unknownCondition represents a condition whose result is unknown.
const unknownCondition = "?"

// condition returns the condition for the current line, or "" if there is none. If the only
// condition is that an attribute is not defined, it returns the name of the attribute. For all
// other conditions, it returns unknownCondition.
func (a *asciidoc) condition() string {
	switch len(a.conditions) {
	case 0:
		return ""
	case 1:
		return a.conditions[0]
	}
	return unknownCondition
}

// readDirective reads a preprocessor directive. If the line is not a directive, it returns false.
func (a *asciidoc) readDirective(line string, start int) bool {
	if len(line) < len("if::[]") || line[0] != 'i' && line[0] != 'e' || line[len(line)-1] != ']' {
		return false
	}
	name, rest, ok := strings.Cut(line[:len(line)-1], "::")
	target, content, bracket := strings.Cut(rest, "[")
	if !ok || !bracket {
		return false
	}
	switch name {
	case "include":
		if target == "" || target[0] == ' ' || strings.HasSuffix(target, " ") {
			return false
		}
		a.emitLeaf()
		a.emitInclude(target, content, start+len("include::"))
	case "ifdef", "ifndef":
		a.emitLeaf()
		a.readConditional(name, strings.ToLower(target), content, start+len(line)-1-len(content))
	case "ifeval":
		a.emitLeaf()
		a.conditions = append(a.conditions, unknownCondition)
	case "endif":
		a.emitLeaf()
		a.conditions = a.conditions[:max(len(a.conditions)-1, 0)]
	default:
		return false
	}
	return true
}

// emitInclude yields the name of the file that a directive includes. If the include is optional,
// Asciidoctor ignores a missing file.
func (a *asciidoc) emitInclude(target, attributes string, start int) {
	if leaf, _ := styleLeaf(a.style.name); leaf == codeParagraph && a.leaf == noParagraph {
		a.recordName(a.takeStyle())
		a.leaf = leaf
	}
	if a.ids != nil && a.leaf != codeParagraph && a.verbatim() != codeParagraph && mayHaveIDs(target) {
		a.ids.incomplete = true
	}
	if !strings.Contains(attributes, "optional") {
		a.emitDestination(Include, target, start)
	}
}

// mayHaveIDs reports whether an included file may contain AsciiDoc, and not only program code.
func mayHaveIDs(target string) bool {
	name := target[strings.LastIndexByte(target, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	return dot < 0 || hasReference(name) || isAdocName(name)
}

// emitDestination yields the destination that begins at the offset start in the source. It replaces
// the attribute references in target.
func (a *asciidoc) emitDestination(kind PieceKind, target string, start int) {
	p := Piece{Kind: kind, Start: start, End: start + len(target)}
	if r := a.attrs.resolve(target); r.swaps != nil {
		p.Text = r.s
	}
	a.emit(p)
}

// maxConditions is the maximum number of open conditions.
const maxConditions = 100

// readConditional reads an "ifdef" or "ifndef" directive. The directive may have content, which
// begins at the offset start.
func (a *asciidoc) readConditional(name, attribute, content string, start int) {
	condition := unknownCondition
	if name == "ifndef" && !strings.ContainsAny(attribute, ",+") {
		condition = attribute
	}
	if content == "" {
		if len(a.conditions) < maxConditions {
			a.conditions = append(a.conditions, condition)
		}
		return
	}
	if len(a.conditions) > 0 {
		condition = unknownCondition
	}
	if key, value, remove, ok := entry(content); ok {
		a.attrs.define(key, value, remove, condition)
	} else if a.verbatim() == noParagraph {
		a.inline(start, start+len(content))
	}
}

// readMedia reads an image, video or audio block.
func (a *asciidoc) readMedia(line string, start int) bool {
	name, rest, ok := strings.Cut(line, "::")
	open := strings.IndexByte(rest, '[')
	if !ok || open <= 0 || line[len(line)-1] != ']' || rest[0] == ' ' || rest[open-1] == ' ' {
		return false
	}
	at := start + len(name) + len("::")
	attributes := rest[open+1 : len(rest)-1]
	switch name {
	case "image":
		a.emitPicture(Image, rest[:open], at)
	case "video", "audio":
		// The target of a video on a video service is a number, not a URL.
		if service, _, _ := strings.Cut(attributes, ","); service != "youtube" && service != "vimeo" && service != "wistia" {
			a.emitPicture(Link, rest[:open], at)
		}
	default:
		return false
	}
	a.readAttributes(attributes, at+open+1)
	a.recordName(a.takeStyle())
	a.beginBody()
	return true
}

// emitPicture yields the destination of a picture, which is relative to the directory of pictures.
func (a *asciidoc) emitPicture(kind PieceKind, target string, start int) {
	dir, known := a.attrs.get("imagesdir")
	if a.attrs.unsure["imagesdir"] {
		dir, known = "{imagesdir}", true
	}
	resolved := a.attrs.resolve(target)
	if known && dir != "" && !isAbsolute(resolved.s) {
		a.emit(Piece{Kind: kind, Start: start, End: start + len(target), Text: strings.TrimSuffix(dir, "/") + "/" + resolved.s})
		return
	}
	a.emitDestination(kind, target, start)
}

// isAbsolute reports whether a destination is independent of the directory of pictures.
func isAbsolute(target string) bool {
	end, _ := octet.SchemeEnd(target)
	return strings.HasPrefix(target, "/") || end > 1 && end < len(target) && target[end] == ':'
}

// readAttributes reads the attribute list of a block or a macro, which begins at the offset start.
// Some attributes, such as "id", change the style of the next block. The value of the attribute
// "link" is a destination.
func (a *asciidoc) readAttributes(attributes string, start int) {
	positional := 0
	for from := 0; from <= len(attributes); {
		end := itemEnd(attributes, from)
		item := strings.TrimSpace(attributes[from:end])
		name, value, named := strings.Cut(item, "=")
		name = strings.TrimSpace(name)
		if named && attributeEnd(name) == len(name) {
			plain := strings.Trim(strings.TrimSpace(value), `"'`)
			a.readNamed(name, plain, start+from+strings.LastIndex(attributes[from:end], plain))
		} else {
			a.readPositional(positional, strings.Trim(item, `"'`))
			positional++
		}
		from = end + 1
	}
}

// itemEnd returns the end offset of the item that begins at the offset i in an attribute list.
func itemEnd(s string, i int) int {
	quote := byte(0)
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote && s[i-1] != '\\' {
				quote = 0
			}
		case c == ',':
			return i
		case (c == '"' || c == '\'') && i > 0 && s[i-1] == '=', c == '"' && (i == 0 || s[i-1] == ',' || s[i-1] == ' '):
			quote = c
		}
	}
	return len(s)
}

// readNamed handles an attribute with a name. The value begins at the offset start.
func (a *asciidoc) readNamed(name, value string, start int) {
	switch name {
	case "id":
		a.style.id = value
	case "reftext":
		a.style.reftext = value
	case "link":
		if value != "self" && value != "none" {
			a.emitDestination(Link, value, start)
		}
	case "format":
		a.style.csv = value == "csv"
	}
}

// readPositional handles an attribute without a name. The first such attribute contains the style
// and the name of the block. The second such attribute may be a language, as in "[,ruby]".
func (a *asciidoc) readPositional(n int, item string) {
	if n == 1 && a.style.name == "" && item != "" {
		a.style.name = "source"
	}
	if n > 0 || item == "" {
		return
	}
	end := strings.IndexAny(item, "#.%")
	if end < 0 {
		end = len(item)
	}
	switch style := item[:end]; style {
	case "":
	case "discrete", "float":
		a.style.discrete = true
	default:
		a.style.name = style
	}
	if _, id, ok := strings.Cut(item, "#"); ok {
		if end := strings.IndexAny(id, ".%"); end >= 0 {
			id = id[:end]
		}
		a.style.id = id
	}
}

// blockAttributes reads a line with attributes of the next block.
func (a *asciidoc) blockAttributes(line string, start int) {
	if rest, ok := strings.CutPrefix(line, "[["); ok {
		id, reftext, _ := strings.Cut(strings.TrimSuffix(rest, "]]"), ",")
		a.style.id, a.style.reftext = id, strings.TrimSpace(reftext)
		return
	}
	name := a.style.name
	a.style.name = ""
	a.readAttributes(line[1:len(line)-1], start+1)
	if a.style.name == "" {
		a.style.name = name
	}
	if a.style.name == "quote" || a.style.name == "verse" {
		a.inline(start+1, start+len(line)-1) // the attributes may contain the author of a quotation and a link
	}
}

// recordName records the name of a block, if the style contains one.
func (a *asciidoc) recordName(style blockStyle) {
	if a.ids == nil || style.id == "" {
		return
	}
	resolved := a.attrs.resolve(style.id)
	a.ids.add(resolved.s)
	a.ids.add(style.reftext)
}
