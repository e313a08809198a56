package template

import (
	"fmt"
	"io"
	"reflect"
	"text/template/parse"
)

// maxDepth is how deep templates may call each other.
const maxDepth = 100

// state is one execution.
type state struct {
	t     *Template
	w     io.Writer
	tree  *parse.Tree
	vars  []variable
	depth int
}

type variable struct {
	name  string
	value reflect.Value
}

// failure ends an execution by a panic, which Execute recovers.
type failure struct{ error }

func (s *state) fail(n parse.Node, format string, args ...any) {
	location, context := s.tree.ErrorContext(n)
	panic(failure{fmt.Errorf("template: %s: %q: %s: %w", location, s.tree.Name, context, fmt.Errorf(format, args...))})
}

// run writes a tree with dot.
func (s *state) run(tree *parse.Tree, dot reflect.Value) {
	was, vars := s.tree, s.vars
	s.tree, s.vars = tree, []variable{{"$", dot}}
	if s.depth++; s.depth > maxDepth {
		s.fail(tree.Root, "templates call each other without an end")
	}
	s.list(tree.Root, dot)
	s.depth--
	s.tree, s.vars = was, vars
}

func (s *state) list(l *parse.ListNode, dot reflect.Value) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		s.node(n, dot)
	}
}

func (s *state) node(n parse.Node, dot reflect.Value) {
	switch n := n.(type) {
	case *parse.TextNode:
		s.write(n.Text)
	case *parse.ActionNode:
		value := s.pipe(n.Pipe, dot)
		if len(n.Pipe.Decl) > 0 {
			return
		}
		text := textOf(value)
		if s.t.escapes != nil {
			text = s.t.escapes[n].text(text)
		}
		s.writeText(text)
	case *parse.IfNode:
		s.branch(&n.BranchNode, dot, false)
	case *parse.WithNode:
		s.branch(&n.BranchNode, dot, true)
	case *parse.RangeNode:
		s.each(n, dot)
	case *parse.TemplateNode:
		tree := s.t.trees[n.Name]
		if tree == nil {
			s.fail(n, "no template %q", n.Name)
		}
		s.run(tree, s.pipe(n.Pipe, dot))
	case *parse.CommentNode:
	default:
		s.fail(n, "it is not supported")
	}
}

func (s *state) write(text []byte) {
	if _, err := s.w.Write(text); err != nil {
		panic(failure{err})
	}
}

func (s *state) writeText(text string) {
	if _, err := io.WriteString(s.w, text); err != nil {
		panic(failure{err})
	}
}

// scoped calls f and forgets the variables that it sets.
func (s *state) scoped(f func()) {
	n := len(s.vars)
	f()
	s.vars = s.vars[:n]
}

func (s *state) branch(n *parse.BranchNode, dot reflect.Value, with bool) {
	s.scoped(func() {
		value := s.pipe(n.Pipe, dot)
		switch {
		case !isTrue(value):
			s.list(n.ElseList, dot)
		case with:
			s.list(n.List, value)
		default:
			s.list(n.List, dot)
		}
	})
}

// each writes the body of a range for each element of a list.
func (s *state) each(n *parse.RangeNode, dot reflect.Value) {
	s.scoped(func() {
		// The variables of the range are set below, not to the list.
		if n.Pipe.IsAssign {
			s.fail(n, "a variable is set once")
		}
		pipe := *n.Pipe
		pipe.Decl = nil
		list := indirect(s.pipe(&pipe, dot))
		if list.IsValid() && list.Kind() != reflect.Slice && list.Kind() != reflect.Array {
			s.fail(n, "a range is over a list, not over %s", list.Type())
		}
		if !list.IsValid() || list.Len() == 0 {
			s.list(n.ElseList, dot)
			return
		}
		for i := range list.Len() {
			element := list.Index(i)
			s.scoped(func() {
				s.declare(n.Pipe.Decl, i, element)
				s.list(n.List, element)
			})
		}
	})
}

// declare sets the variables of a range: the element, or the index and the element.
func (s *state) declare(names []*parse.VariableNode, i int, element reflect.Value) {
	values := []reflect.Value{element}
	if len(names) > 1 {
		values = []reflect.Value{reflect.ValueOf(i), element}
	}
	for i, name := range names {
		s.vars = append(s.vars, variable{name.Ident[0], values[i]})
	}
}
