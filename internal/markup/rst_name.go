package markup

import "strings"

// Names holds the names that a reStructuredText document defines for its parts.
type Names struct {
	// Sections holds the titles, in order.
	Sections []string
	// Others holds the names of targets and of directives.
	Others []string
	// Notes is the number of footnotes, citations and references to them.
	Notes int
	// Open means that the document may have other names, because it includes files.
	Open bool
}

// RSTNames returns the names of a document, from which docutils generates its fragments.
func RSTNames(source string) *Names {
	n := rstNames{}
	readRST(source, func(Piece) bool { return true }, &n)
	n.Open = n.open
	n.Notes += strings.Count(source, "]_")
	return &n.Names
}

// rstNames collects the names of a document.
type rstNames struct {
	Names
	open bool
}

func (n *rstNames) add(name string) { n.Others = append(n.Others, unescaped(name)) }

// section records the name of a section title. The name has no roles and marks, except for roles
// that docutils does not know.
func (n *rstNames) section(title string) {
	if strings.Contains(title, ":`") {
		n.add(strings.ReplaceAll(title, "`", ""))
	}
	n.Sections = append(n.Sections, rstTitle(title))
}

// footnote records a footnote or a citation.
func (n *rstNames) footnote(label string) {
	n.Notes++
	n.add(strings.TrimPrefix(label, "#"))
}

// directive records the names that a directive defines.
func (n *rstNames) directive(name, argument string) {
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
		} else if at, ok := embedded(part); ok {
			part = strings.TrimSpace(part[:at-1])
		}
		b.WriteString(unescaped(marks.Replace(part)))
	}
	return b.String()
}

// withoutRole returns the text before a "`", without the role at its end.
func withoutRole(part string) string {
	rest, ok := strings.CutSuffix(part, ":")
	at := strings.LastIndexByte(rest, ' ') + 1
	if !ok || !strings.HasPrefix(rest[at:], ":") {
		return part
	}
	return rest[:at]
}
