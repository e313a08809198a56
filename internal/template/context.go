package template

import (
	"fmt"
	"strings"
	"text/template/parse"
)

// place is where in HTML a value stands.
type place uint8

const (
	inText      place = iota
	inTag             // between attributes
	inName            // of an attribute, or after one
	beforeAttr        // after "="
	inAttr            // in double quotes
	inOther           // in single quotes, or without quotes: no place for values
	inCode            // script or style
	inEscapable       // title or textarea: text in which no tag begins
)

// context is the state of the HTML at a point of a template.
type context struct {
	place   place
	tag     string // whose text or attributes follow, in lower case
	closing bool   // it is an end tag
	attr    string // in lower case
	quote   byte   // of inOther; 0: none
	url     urlPart
	split   bool // a piece ended within a name, which must not continue in the next one
}

// tracker follows one template.
type tracker struct {
	t    *Template
	tree *parse.Tree
}

// escapeTree decides how each value of a tree is escaped.
func (t *Template) escapeTree(tree *parse.Tree) error {
	k := &tracker{t, tree}
	c, err := k.list(tree.Root, context{})
	if err == nil && c.place != inText {
		err = k.errorAt(tree.Root, "the template ends within a tag or another element")
	}
	return err
}

func (k *tracker) errorAt(n parse.Node, format string, args ...any) error {
	location, context := k.tree.ErrorContext(n)
	return fmt.Errorf("template: %s: %q: %s: %s", location, k.tree.Name, context, fmt.Sprintf(format, args...))
}

func (k *tracker) list(l *parse.ListNode, c context) (context, error) {
	if l == nil {
		return c, nil
	}
	var err error
	for _, n := range l.Nodes {
		if c, err = k.node(n, c); err != nil {
			return c, err
		}
	}
	return c, nil
}

func (k *tracker) node(n parse.Node, c context) (context, error) {
	switch n := n.(type) {
	case *parse.TextNode:
		c, why := c.after(string(n.Text))
		if why != "" {
			return c, k.errorAt(n, "%s", why)
		}
		return c, nil
	case *parse.ActionNode:
		if len(n.Pipe.Decl) > 0 {
			return c, nil
		}
		escape, why := c.escape()
		if why != "" {
			return c, k.errorAt(n, "%s", why)
		}
		// A value does not begin a URL for good: it may be empty, and the next value the scheme.
		k.t.escapes[n] = escape
		return c, nil
	case *parse.IfNode:
		return k.branch(&n.BranchNode, c, false)
	case *parse.WithNode:
		return k.branch(&n.BranchNode, c, false)
	case *parse.RangeNode:
		return k.branch(&n.BranchNode, c, true)
	case *parse.TemplateNode:
		if c.place != inText {
			return c, k.errorAt(n, "a template is called only in text")
		}
		return c, nil
	case *parse.CommentNode:
		return c, nil
	}
	return c, k.errorAt(n, "it is not supported")
}

// branch follows both ways of a branch, which must end alike.
func (k *tracker) branch(n *parse.BranchNode, c context, again bool) (context, error) {
	one, err := k.list(n.List, c)
	if err != nil {
		return c, err
	}
	other, err := k.list(n.ElseList, c)
	if err != nil {
		return c, err
	}
	joined, ok := join(one, other)
	if again && ok {
		var next context
		next, ok = join(one, c)
		ok = ok && next.url == c.url // the values in it are escaped for c
	}
	if !ok {
		return c, k.errorAt(n, "its branches end in different places of the HTML")
	}
	return joined, nil
}

// join returns the context after one of two branches.
func join(a, b context) (context, bool) {
	if a.place == inName {
		a.place, a.attr, a.split = inTag, "", true
	}
	if b.place == inName {
		b.place, b.attr, b.split = inTag, "", true
	}
	split := a.split || b.split
	a.split, b.split = false, false
	if a.place == inAttr && a.url != b.url {
		// The stricter part holds: after a query nothing is a delimiter.
		if min(a.url, b.url) < beforeQuery {
			return a, false
		}
		a.url, b.url = afterQuery, afterQuery
	}
	ok := a == b
	a.split = split
	return a, ok
}

// after returns the context after a text, or why the text is refused.
func (c context) after(text string) (_ context, why string) {
	for text != "" && why == "" {
		c, text, why = c.step(text)
	}
	return c, why
}

const blanks = " \t\r\n\f"

// step reads the beginning of text.
func (c context) step(text string) (_ context, rest, why string) {
	switch c.place {
	case inText:
		return c.stepText(text)
	case inTag:
		return c.stepTag(text)
	case inName:
		return c.stepName(text)
	case beforeAttr:
		return c.stepBefore(text)
	case inAttr:
		return c.stepAttr(text)
	case inOther:
		ends := blanks + ">"
		if c.quote != 0 {
			ends = string(c.quote)
		}
		i := strings.IndexAny(text, ends)
		value := text
		if i >= 0 {
			value = text[:i]
		}
		switch {
		case c.quote == 0 && strings.ContainsAny(value, "\"'`=<"):
			return c, "", "an attribute without quotes has one in it"
		case i < 0:
			return c, "", ""
		}
		if c.quote != 0 {
			i++
		}
		return context{place: inTag, tag: c.tag, closing: c.closing}, text[i:], ""
	}
	rest, ok := afterEnd(text, c.tag)
	switch inside := text[:len(text)-len(rest)]; {
	case c.place == inCode && strings.Contains(inside, "<!--"):
		return c, "", `"<!--" in a ` + c.tag // the end tag may not end it then
	case !ok && endsInEnd(text, c.tag):
		return c, "", "an end tag continues after the piece"
	case !ok:
		return c, "", ""
	}
	return context{place: inTag, tag: c.tag, closing: true}, rest, ""
}

// endsInEnd reports whether text ends in the beginning of the end tag of an element.
func endsInEnd(text, tag string) bool {
	i := strings.LastIndexByte(text, '<')
	if i < 0 {
		return false
	}
	end, begun := "</"+tag, text[i:]
	return len(begun) <= len(end) && strings.EqualFold(begun, end[:len(begun)])
}

// afterEnd returns what stands after the name of the end tag of an element.
func afterEnd(text, tag string) (rest string, ok bool) {
	for {
		_, text, ok = strings.Cut(text, "</")
		if !ok || len(text) <= len(tag) {
			return "", false
		}
		if rest = text[len(tag):]; strings.EqualFold(text[:len(tag)], tag) && strings.IndexByte(blanks+"/>", rest[0]) >= 0 {
			return rest, true
		}
	}
}

func (c context) stepText(text string) (context, string, string) {
	i := strings.IndexByte(text, '<')
	switch {
	case i < 0:
		return c, "", ""
	case i+1 == len(text):
		return c, "", `"<" at the end of a piece`
	case strings.HasPrefix(text[i:], "<!--"):
		return c, "", "a comment of HTML; write {{/* */}}"
	case len(text) >= i+len(doctype) && strings.EqualFold(text[i:i+len(doctype)], doctype):
		return c, text[i+len(doctype):], ""
	}
	text = text[i+1:]
	closing := strings.HasPrefix(text, "/")
	text = strings.TrimPrefix(text, "/")
	end := strings.IndexFunc(text, func(r rune) bool { return strings.ContainsRune(blanks+"/>", r) })
	switch {
	case end == 0, !isName(text[:max(end, 0)]) && end > 0, !isName(text) && end < 0:
		return c, "", "the name of a tag is missing, or is not one"
	case end < 0:
		// It must not continue after a branch.
		return context{place: inTag, tag: strings.ToLower(text), closing: closing, split: true}, "", ""
	}
	return context{place: inTag, tag: strings.ToLower(text[:end]), closing: closing}, text[end:], ""
}

// doctype is the only one that there is.
const doctype = "<!doctype html>"

// isName reports whether text is the name of a tag or of an attribute.
func isName(text string) bool {
	for i := range len(text) {
		c := text[i] | 0x20
		if isLetter := 'a' <= c && c <= 'z'; !isLetter && (i == 0 || strings.IndexByte("0123456789:_-", text[i]) < 0) {
			return false
		}
	}
	return text != ""
}

func (c context) stepTag(text string) (context, string, string) {
	rest := strings.TrimLeft(text, blanks+"/")
	if rest != text {
		c.split = false
	}
	switch {
	case rest == "":
		return c, "", ""
	case rest[0] == '>':
		return c.afterTag(), rest[1:], ""
	case c.split:
		return c, "", "the name of a tag or an attribute continues after a branch"
	}
	c.place, c.attr = inName, ""
	return c, rest, ""
}

// afterTag returns the context after ">".
func (c context) afterTag() context {
	if !c.closing {
		switch c.tag {
		case "script", "style":
			return context{place: inCode, tag: c.tag}
		case "title", "textarea":
			return context{place: inEscapable, tag: c.tag}
		}
	}
	return context{}
}

func (c context) stepName(text string) (context, string, string) {
	end := strings.IndexAny(text, blanks+"/>=")
	if end < 0 {
		end = len(text)
	}
	c.attr += strings.ToLower(text[:end])
	switch {
	case !isName(c.attr):
		return c, "", "the name of an attribute is missing, or is not one"
	case end == len(text):
		return c, "", ""
	}
	if text[end] == '=' {
		c.place = beforeAttr
		return c, text[end+1:], ""
	}
	return context{place: inTag, tag: c.tag, closing: c.closing}, text[end:], ""
}

func (c context) stepBefore(text string) (context, string, string) {
	switch text[0] {
	case ' ', '\t', '\r', '\n', '\f':
		return c, "", `a blank after "="`
	case '"':
		c.place, c.url = inAttr, atStart
		return c, text[1:], ""
	case '\'':
		c.place, c.quote = inOther, '\''
		return c, text[1:], ""
	}
	c.place, c.quote = inOther, 0
	return c, text, ""
}

func (c context) stepAttr(text string) (context, string, string) {
	value, rest, ended := strings.Cut(text, `"`)
	if ended {
		return context{place: inTag, tag: c.tag, closing: c.closing}, rest, ""
	}
	if isURLAttr(c.attr) {
		c.url = c.url.after(value)
	}
	return c, "", ""
}
