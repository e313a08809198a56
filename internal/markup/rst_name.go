package markup

import "strings"

// Names holds the names that a reStructuredText document defines for its parts.
type Names struct {
	// Sections holds the section titles in document order.
	Sections []string
	// Others holds the names of targets and the names that directives define.
	Others []string
	// Notes is the number of footnotes, citations, and references to footnotes and citations.
	Notes int
	// Open means that the document may define other names, because it includes files.
	Open bool
}

// RSTNames returns the names that a reStructuredText document defines. From these names, docutils
// generates the fragments of the page.
func RSTNames(source string) *Names {
	n := rstNames{}
	readRST(source, func(Piece) bool { return true }, &n)
	n.Open = n.open
	n.Notes += strings.Count(source, "]_")
	return &n.Names
}

// rstNames collects the names that a document defines.
type rstNames struct {
	Names
	open bool
}

func (n *rstNames) add(name string) { n.Others = append(n.Others, unescaped(name)) }

// addSection records the name of a section. The name is the title without roles and inline markup.
// Roles that docutils does not know stay in the name.
func (n *rstNames) addSection(title string) {
	if strings.Contains(title, ":`") {
		n.add(strings.ReplaceAll(title, "`", ""))
	}
	n.Sections = append(n.Sections, rstTitle(title))
}

// addFootnote records a footnote or a citation with the given label.
func (n *rstNames) addFootnote(label string) {
	n.Notes++
	n.add(strings.TrimPrefix(label, "#"))
}

// addDirective records the names that a directive defines.
func (n *rstNames) addDirective(name, argument string) {
	switch {
	case name == "contents":
		n.add("contents")
		n.add(argument)
	case makesNames(name):
		n.open = true
	}
}

// rstTitle returns a title without markup.
func rstTitle(title string) string {
	if !strings.ContainsAny(title, "`*|\\_") || len(title) > maxTitle {
		return title
	}
	marks := strings.NewReplacer("*", "", "|", "")
	var b strings.Builder
	for i, part := range strings.Split(title, "`") {
		if i%2 == 0 {
			part = withoutRole(strings.TrimLeft(part, "_"))
		} else if at, ok := embeddedStart(part); ok {
			part = strings.TrimSpace(part[:at-1])
		}
		b.WriteString(unescaped(marks.Replace(part)))
	}
	return b.String()
}

// withoutRole removes a role, such as ":ref:", from the end of part, which is the text before a
// "`".
func withoutRole(part string) string {
	rest, ok := strings.CutSuffix(part, ":")
	at := strings.LastIndexByte(rest, ' ') + 1
	if !ok || !strings.HasPrefix(rest[at:], ":") {
		return part
	}
	return rest[:at]
}
