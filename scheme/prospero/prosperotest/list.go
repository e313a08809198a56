package prosperotest

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// list answers LIST with the tokens after the verb.
func (x *exchange) list(tokens []token) bool {
	at := slices.IndexFunc(tokens, func(t token) bool { return t.Text == "COMPONENTS" })
	if at < 0 || at > 1 || at == 0 && !x.old {
		return x.malformed("LIST without options or COMPONENTS")
	}
	var options, components []string
	if at == 1 {
		options = strings.Split(tokens[0].Text, "+")
	}
	for _, t := range tokens[at+1:] {
		components = append(components, t.components()...)
	}
	var filters []filter
	if slices.Contains(options, "FILTER") {
		var ok bool
		if filters, ok = x.filters(); !ok {
			return false
		}
	}
	links, ok := x.links(x.dir, filters)
	if !ok {
		return false
	}
	return x.walk(x.dir, links, components, options)
}

// walk follows the components from directory dir and shows what the last one matches.
func (x *exchange) walk(dir string, links []Link, components, options []string) bool {
	for len(components) > 1 {
		l := link(links, components[0])
		if l == nil {
			return x.nothing()
		}
		components = components[1:]
		o := x.s.here(dir, l)
		switch {
		case o == nil || o.Moved != nil || o.Fail != "":
			return x.unresolved(dir, l, components)
		case !o.isDirectory():
			return x.fail("NOT-A-DIRECTORY")
		}
		dir, links = l.hsoname(dir), o.Links
	}
	if slices.Contains(options, "VERIFY") {
		return x.nothing()
	}
	return x.show(dir, matching(links, components), slices.Contains(options, "ATTRIBUTES"))
}

// links returns the links of a directory or of a query's result. If it returns false,
// the reply has the error.
func (x *exchange) links(dir string, filters []filter) (list []Link, ok bool) {
	if x.s.isArchie(dir) {
		return x.archie(dir, filters)
	}
	if len(filters) > 0 {
		return nil, x.noFilter(filters[0])
	}
	o := x.found(dir, "NOT-A-DIRECTORY")
	switch {
	case o == nil:
		return nil, false
	case o.Moved != nil:
		return nil, x.forward(o.Moved)
	case !o.isDirectory():
		return nil, x.fail("NOT-A-DIRECTORY")
	}
	return o.Links, true
}

func (x *exchange) noFilter(f filter) bool {
	return x.fail("NOT-FOUND FILTER This server does not support the PREDEFINED SERVER filter named " + f.name + ".")
}

// show appends links of a directory.
func (x *exchange) show(dir string, links []*Link, attributes bool) bool {
	if len(links) == 0 {
		return x.nothing()
	}
	if x.old {
		return x.showOld(dir, links, attributes)
	}
	for _, l := range links {
		x.out = x.s.appendLine(x.out, dir, l, attributes)
	}
	return true
}

// unresolved replies that the path leaves this server at l.
func (x *exchange) unresolved(dir string, l *Link, components []string) bool {
	x.out = x.s.appendLine(x.out, dir, l, false)
	x.out = append(x.out, "UNRESOLVED "...)
	x.out = append(appendTokens(x.out, components...), '\n')
	return true
}

// link returns the first link of that name, or nil.
func link(links []Link, name string) *Link {
	for i := range links {
		if links[i].Name == name {
			return &links[i]
		}
	}
	return nil
}

// matching returns the links that the component matches; all if there is none.
func matching(links []Link, component []string) (list []*Link) {
	for i := range links {
		if len(component) == 0 || matches(component[0], links[i].Name) {
			list = append(list, &links[i])
		}
	}
	return list
}

// matches reports whether name is the component, or matches it as a pattern with "*"
// and "?" or as a regular expression in parentheses.
func matches(component, name string) bool {
	if component == name {
		return true
	}
	expression := component
	switch {
	case strings.HasPrefix(component, "(") && strings.HasSuffix(component, ")"):
	case strings.ContainsAny(component, "*?"):
		expression = "^" + strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(component)) + "$"
	default:
		return false
	}
	r, err := regexp.Compile("(?s)" + expression)
	return err == nil && r.MatchString(name)
}

// filter is a predefined filter that the server is to apply.
type filter struct {
	name      string
	arguments []string
}

// filters reads the filter lines after a LIST. If it returns false, the reply has the
// error.
func (x *exchange) filters() (list []filter, ok bool) {
	for strings.HasPrefix(x.rest, "FILTER ") {
		line, tokens, ok := x.next()
		if !ok {
			return nil, false
		}
		words := texts(tokens)
		if len(words) < 6 || words[1] != "DIRECTORY" && words[1] != "HIERARCHY" || !slices.Equal(words[2:5], []string{"SERVER", "PRE", "PREDEFINED"}) {
			return nil, x.end("ERROR All filters to be applied at the server must have an execution location of SERVER and be " +
				"PRE-expansion and be DIRECTORY or HIERARCHY filters and be PREDEFINED.  This one does not meet those criteria: " +
				string(appendToken(nil, line)) + "\n")
		}
		f := filter{name: words[5]}
		if len(words) > 6 && words[6] == "ARGS" {
			f.arguments = words[7:]
		}
		list = append(list, f)
	}
	return list, true
}

// showOld appends links in the form of version 1, which has no quotes: names with
// blanks are left out.
func (x *exchange) showOld(dir string, links []*Link, attributes bool) bool {
	complete := true
	for _, l := range links {
		if strings.ContainsAny(l.Name+l.hsoname(dir), blanks) {
			complete = false
			continue
		}
		x.out = x.s.appendOld(x.out, dir, l, attributes)
	}
	if !complete {
		x.out = append(x.out, "WARNING OUT-OF-DATE Some information you wanted can't be sent. Upgrade to Prospero v5.\n"...)
	}
	return true
}

// appendOld appends the lines of l for version 1. It quotes only names that are not
// ASCII, as the measured server does.
func (s *Server) appendOld(dst []byte, dir string, l *Link, attributes bool) []byte {
	name := l.Name
	if strings.IndexFunc(name, func(r rune) bool { return r > '~' }) >= 0 {
		name = "'" + name + "'"
	}
	fields := []string{"LINK", l.letter(), s.oldTarget(dir, l), name, "INTERNET-D", cmp.Or(l.Host, s.host), "ASCII", l.hsoname(dir), strconv.Itoa(int(l.Version)), "0"}
	dst = append(dst, strings.Join(fields, " ")+"\n"...)
	if !attributes {
		return dst
	}
	for i := range l.Attributes {
		dst = appendOldAttribute(dst, &l.Attributes[i])
	}
	if o := s.here(dir, l); o != nil && l.real() {
		for _, a := range slices.Concat(o.Attributes, o.intrinsic()) {
			dst = appendOldAttribute(dst, &a)
		}
	}
	return dst
}

func appendOldAttribute(dst []byte, a *Attribute) []byte {
	if a.Link != nil || a.Filter != nil {
		return dst
	}
	return append(dst, "LINK-INFO CACHED "+a.Name+" ASCII "+strings.Join(a.Value, " ")+"\n"...)
}

func (s *Server) oldTarget(dir string, l *Link) string {
	target := s.target(dir, l)
	switch {
	case target == "SYMBOLIC":
		return "SYM-LINK"
	case target == "EXTERNAL" && len(l.Methods) > 0:
		m := l.Methods[0]
		return "EXTERNAL(" + strings.Join(slices.Concat(m[:1], m[min(5, len(m)):]), ",") + ")"
	}
	return target
}
