package template

import (
	"fmt"
	"reflect"
	"strconv"
	"text/template/parse"
)

// builtins are the functions that every template has.
var builtins = []string{"and", "eq", "ne", "not", "or", "printf"}

// pipe returns the value of a pipeline, and sets the variable that it declares.
func (s *state) pipe(p *parse.PipeNode, dot reflect.Value) (value reflect.Value) {
	if p == nil {
		return reflect.Value{}
	}
	for i, cmd := range p.Cmds {
		var last []reflect.Value
		if i > 0 {
			last = []reflect.Value{value}
		}
		value = s.command(cmd, dot, last)
	}
	for _, v := range p.Decl {
		if p.IsAssign {
			s.fail(p, "a variable is set once")
		}
		s.vars = append(s.vars, variable{v.Ident[0], value})
	}
	return value
}

// command returns the value of one command of a pipeline. last is that of the command before.
func (s *state) command(cmd *parse.CommandNode, dot reflect.Value, last []reflect.Value) reflect.Value {
	first := cmd.Args[0]
	f, isFunction := first.(*parse.IdentifierNode)
	if !isFunction {
		if len(cmd.Args) > 1 || len(last) > 0 {
			s.fail(first, "it is not a function")
		}
		return s.value(first, dot)
	}
	if isChoice := f.Ident == "and" || f.Ident == "or"; isChoice && len(cmd.Args)+len(last) > 1 {
		return s.choose(f.Ident == "and", cmd.Args[1:], dot, last)
	}
	var args []reflect.Value
	for _, arg := range cmd.Args[1:] {
		args = append(args, s.value(arg, dot))
	}
	return s.call(f, append(args, last...))
}

// choose returns the first value that decides "and" or "or", or the last one.
func (s *state) choose(and bool, args []parse.Node, dot reflect.Value, last []reflect.Value) (value reflect.Value) {
	for _, arg := range args {
		if value = s.value(arg, dot); isTrue(value) != and {
			return value
		}
	}
	if len(last) > 0 {
		return last[0]
	}
	return value
}

// call calls a function.
func (s *state) call(f *parse.IdentifierNode, args []reflect.Value) reflect.Value {
	switch f.Ident {
	case "and", "or":
		s.fail(f, "it needs an argument")
	case "not":
		if len(args) == 1 {
			return reflect.ValueOf(!isTrue(args[0]))
		}
		s.fail(f, "it has one argument")
	case "eq", "ne":
		if len(args) == 2 {
			return reflect.ValueOf(s.equal(f, args[0], args[1]) == (f.Ident == "eq"))
		}
		s.fail(f, "it has two arguments")
	case "printf":
		texts := make([]any, len(args))
		for i, arg := range args {
			if arg.IsValid() {
				texts[i] = arg.Interface()
			}
		}
		if len(texts) > 0 {
			if format, ok := texts[0].(string); ok {
				return reflect.ValueOf(fmt.Sprintf(format, texts[1:]...))
			}
		}
		s.fail(f, "the format is a string")
	}
	return s.callFunc(f, s.t.funcs[f.Ident], args)
}

func (s *state) callFunc(f *parse.IdentifierNode, fn reflect.Value, args []reflect.Value) reflect.Value {
	kind := fn.Type()
	if len(args) != kind.NumIn() {
		s.fail(f, "it has %d arguments, not %d", kind.NumIn(), len(args))
	}
	for i, arg := range args {
		if arg.IsValid() && arg.Kind() == reflect.Interface {
			arg = arg.Elem()
		}
		want := kind.In(i)
		switch {
		case !arg.IsValid():
			s.fail(f, "argument %d is nothing", i+1)
		case arg.Type().AssignableTo(want):
		case arg.Kind() == reflect.Pointer && !arg.IsNil() && arg.Type().Elem().AssignableTo(want):
			arg = arg.Elem()
		case arg.Kind() == want.Kind() && arg.Type().ConvertibleTo(want):
			arg = arg.Convert(want)
		default:
			s.fail(f, "argument %d is %s, not %s", i+1, arg.Type(), want)
		}
		args[i] = arg
	}
	results := fn.Call(args)
	if len(results) == 2 && !results[1].IsNil() {
		s.fail(f, "%w", results[1].Interface().(error))
	}
	return results[0]
}

// equal compares two texts, two numbers or two booleans.
func (s *state) equal(f *parse.IdentifierNode, a, b reflect.Value) bool {
	a, b = indirect(a), indirect(b)
	if !a.IsValid() || !b.IsValid() || a.Kind() != b.Kind() {
		s.fail(f, "values of two kinds are compared")
	}
	switch a.Kind() {
	case reflect.String:
		return a.String() == b.String()
	case reflect.Bool:
		return a.Bool() == b.Bool()
	case reflect.Int:
		return a.Int() == b.Int()
	}
	s.fail(f, "values of type %s can't be compared", a.Type())
	return false
}

// value returns the value of an argument.
func (s *state) value(n parse.Node, dot reflect.Value) reflect.Value {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot
	case *parse.FieldNode:
		return s.fields(n, dot, n.Ident)
	case *parse.VariableNode:
		return s.fields(n, s.variable(n), n.Ident[1:])
	case *parse.StringNode:
		return reflect.ValueOf(n.Text)
	case *parse.BoolNode:
		return reflect.ValueOf(n.True)
	case *parse.NumberNode:
		if n.IsInt {
			return reflect.ValueOf(int(n.Int64))
		}
	case *parse.IdentifierNode:
		return s.call(n, nil)
	case *parse.PipeNode:
		return s.pipe(n, dot)
	}
	s.fail(n, "it is not supported")
	return reflect.Value{}
}

func (s *state) variable(n *parse.VariableNode) reflect.Value {
	for i := len(s.vars) - 1; i >= 0; i-- {
		if s.vars[i].name == n.Ident[0] {
			return s.vars[i].value
		}
	}
	s.fail(n, "the variable has no value")
	return reflect.Value{}
}

// fields follows the names of fields or keys from v.
func (s *state) fields(n parse.Node, v reflect.Value, names []string) reflect.Value {
	for _, name := range names {
		v = indirect(v)
		switch {
		case v.Kind() == reflect.Struct:
			field, ok := v.Type().FieldByName(name)
			if !ok || !field.IsExported() {
				s.fail(n, "%s has no field %s", v.Type(), name)
			}
			var err error
			if v, err = v.FieldByIndexErr(field.Index); err != nil {
				s.fail(n, "%s is in a struct that is nil", name)
			}
		case v.Kind() == reflect.Map && v.Type().Key().Kind() == reflect.String:
			entry := v.MapIndex(reflect.ValueOf(name).Convert(v.Type().Key()))
			if !entry.IsValid() {
				s.fail(n, "there is no key %q", name)
			}
			v = entry
		default:
			s.fail(n, "the field %s of no struct or map", name)
		}
	}
	return v
}

// indirect returns what pointers and interfaces lead to; invalid: nothing.
func indirect(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v
}

// isTrue reports whether v is neither zero nor empty. A struct is always true.
func isTrue(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Struct:
		return true
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() > 0
	case reflect.Interface:
		return !v.IsNil() && isTrue(v.Elem())
	}
	return !v.IsZero()
}

// textOf returns a value as text. A method String or Error gives it, if there is one.
func textOf(v reflect.Value) string {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if !v.IsValid() {
		return ""
	}
	_, isStringer := reflect.TypeAssert[fmt.Stringer](v)
	_, isError := reflect.TypeAssert[error](v)
	if !isStringer && !isError {
		v = indirect(v)
	}
	if !v.IsValid() {
		return ""
	}
	plain := v.Type().PkgPath() == ""
	switch {
	case plain && v.Kind() == reflect.String:
		return v.String()
	case plain && v.Kind() == reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	}
	return fmt.Sprint(v.Interface())
}
