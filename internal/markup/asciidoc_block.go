package markup

import (
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// entry reads the definition of an attribute that a line begins, and reports whether it is
// one.
func (a *asciidoc) entry(line string, start, end int) bool {
	name, value, remove, ok := entry(line)
	if !ok || len(a.open) > 0 {
		return false
	}
	a.unseen(start, end)
	if part, continues := strings.CutSuffix(value, " \\"); continues && !remove {
		a.pending, a.value = name, part
		return true
	}
	a.attrs.define(name, value, remove, a.condition())
	return true
}

// continuesEntry adds a line to the value of an attribute that continues on it.
func (a *asciidoc) continuesEntry(line string) bool {
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

// unknownCondition stands for a condition that is not decided.
const unknownCondition = "?"

// condition returns the condition that the line is under: "" for none, the name of an
// attribute if the only condition is that it is not defined.
func (a *asciidoc) condition() string {
	switch len(a.conditions) {
	case 0:
		return ""
	case 1:
		return a.conditions[0]
	}
	return unknownCondition
}

// directive reads a line of the preprocessor, and reports whether it is one.
func (a *asciidoc) directive(line string, start int) bool {
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
		a.pause()
		a.include(target, content, start+len("include::"))
	case "ifdef", "ifndef":
		a.pause()
		a.conditional(name, strings.ToLower(target), content, start+len(line)-1-len(content))
	case "ifeval":
		a.pause()
		a.conditions = append(a.conditions, unknownCondition)
	case "endif":
		a.pause()
		a.conditions = a.conditions[:max(len(a.conditions)-1, 0)]
	default:
		return false
	}
	return true
}

// include yields the file that a directive includes. Asciidoctor ignores a missing file if
// it is optional.
func (a *asciidoc) include(target, attributes string, start int) {
	if leaf, _ := styleLeaf(a.style.name); leaf == codeParagraph && a.leaf == noParagraph {
		a.name(a.take())
		a.leaf = leaf
	}
	if a.ids != nil && a.leaf != codeParagraph && a.verbatim() != codeParagraph && mayHaveIDs(target) {
		a.ids.open = true
	}
	if !strings.Contains(attributes, "optional") {
		a.destination(Include, target, start)
	}
}

// mayHaveIDs reports whether a file that is included may have AsciiDoc in it. Code has none.
func mayHaveIDs(target string) bool {
	name := target[strings.LastIndexByte(target, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	return dot < 0 || isOpen(name) || isAdocName(name)
}

// destination yields a destination that the source has at start, with its references
// replaced.
func (a *asciidoc) destination(kind PieceKind, target string, start int) {
	p := Piece{Kind: kind, Start: start, End: start + len(target)}
	if r := a.attrs.resolve(target); r.swaps != nil {
		p.Text = r.s
	}
	a.emit(p)
}

// maxConditions is how many conditions may be open.
const maxConditions = 100

// conditional reads "ifdef" or "ifndef", whose content is at start if it has one.
func (a *asciidoc) conditional(name, attribute, content string, start int) {
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

// media reads the picture, video or sound that is a block.
func (a *asciidoc) media(line string, start int) bool {
	name, rest, ok := strings.Cut(line, "::")
	open := strings.IndexByte(rest, '[')
	if !ok || open <= 0 || line[len(line)-1] != ']' || rest[0] == ' ' || rest[open-1] == ' ' {
		return false
	}
	at := start + len(name) + len("::")
	attributes := rest[open+1 : len(rest)-1]
	switch name {
	case "image":
		a.picture(Image, rest[:open], at)
	case "video", "audio":
		// Those of a service are named by a number there.
		if service, _, _ := strings.Cut(attributes, ","); service != "youtube" && service != "vimeo" && service != "wistia" {
			a.picture(Link, rest[:open], at)
		}
	default:
		return false
	}
	a.list(attributes, at+open+1)
	a.name(a.take())
	a.begun()
	return true
}

// picture yields a file that is below the folder of pictures.
func (a *asciidoc) picture(kind PieceKind, target string, start int) {
	dir, known := a.attrs.get("imagesdir")
	if a.attrs.unsure["imagesdir"] {
		dir, known = "{imagesdir}", true
	}
	resolved := a.attrs.resolve(target)
	if known && dir != "" && !isAbsolute(resolved.s) {
		a.emit(Piece{Kind: kind, Start: start, End: start + len(target), Text: strings.TrimSuffix(dir, "/") + "/" + resolved.s})
		return
	}
	a.destination(kind, target, start)
}

// isAbsolute reports whether a destination does not depend on the folder of pictures.
func isAbsolute(target string) bool {
	end, _ := octet.SchemeEnd(target)
	return strings.HasPrefix(target, "/") || end > 1 && end < len(target) && target[end] == ':'
}

// list reads the attributes of a block or of a macro, which the source has at start: those
// that name the block change its style, and "link" is a destination.
func (a *asciidoc) list(attributes string, start int) {
	positional := 0
	for from := 0; from <= len(attributes); {
		end := itemEnd(attributes, from)
		item := strings.TrimSpace(attributes[from:end])
		name, value, named := strings.Cut(item, "=")
		name = strings.TrimSpace(name)
		if named && attributeEnd(name) == len(name) {
			plain := strings.Trim(strings.TrimSpace(value), `"'`)
			a.named(name, plain, start+from+strings.LastIndex(attributes[from:end], plain))
		} else {
			a.positional(positional, strings.Trim(item, `"'`))
			positional++
		}
		from = end + 1
	}
}

// itemEnd returns where the item of a list of attributes ends that begins at i.
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

// named takes an attribute with a name. start is where the value is.
func (a *asciidoc) named(name, value string, start int) {
	switch name {
	case "id":
		a.style.id = value
	case "reftext":
		a.style.reftext = value
	case "link":
		if value != "self" && value != "none" {
			a.destination(Link, value, start)
		}
	case "format":
		a.style.csv = value == "csv"
	}
}

// positional takes an attribute without a name. The first is the style with the name of the
// block; the second of "[,ruby]" is a language.
func (a *asciidoc) positional(n int, item string) {
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

// blockAttributes reads a line that says something about the next block.
func (a *asciidoc) blockAttributes(line string, start int) {
	if rest, ok := strings.CutPrefix(line, "[["); ok {
		id, reftext, _ := strings.Cut(strings.TrimSuffix(rest, "]]"), ",")
		a.style.id, a.style.reftext = id, strings.TrimSpace(reftext)
		return
	}
	name := a.style.name
	a.style.name = ""
	a.list(line[1:len(line)-1], start+1)
	if a.style.name == "" {
		a.style.name = name
	}
	if a.style.name == "quote" || a.style.name == "verse" {
		a.inline(start+1, start+len(line)-1) // its author
	}
}

// name notes the name of a block.
func (a *asciidoc) name(style blockStyle) {
	if a.ids == nil || style.id == "" {
		return
	}
	resolved := a.attrs.resolve(style.id)
	a.ids.add(resolved.s)
	a.ids.add(style.reftext)
}
