package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// constants holds the constant expressions in the Go files of a directory.
type constants struct {
	named    map[string]ast.Expr
	defaults map[string][]ast.Expr // maps a field name to its defaults in calls of cmp.Or
}

func readConstants(folder string) (*constants, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	c := &constants{map[string]ast.Expr{}, map[string][]ast.Expr{}}
	fset := token.NewFileSet()
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				c.addConstants(n)
			case *ast.CallExpr:
				c.addDefault(n)
			}
			return true
		})
	}
	return c, nil
}

func (c *constants) addConstants(d *ast.GenDecl) {
	if d.Tok != token.CONST {
		return
	}
	for _, s := range d.Specs {
		spec := s.(*ast.ValueSpec)
		for i, name := range spec.Names {
			if i < len(spec.Values) {
				c.named[name.Name] = spec.Values[i]
			}
		}
	}
}

// addDefault adds the default in a call such as cmp.Or(o.Depth, 8).
func (c *constants) addDefault(call *ast.CallExpr) {
	if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Or" || len(call.Args) != 2 {
		return
	}
	ast.Inspect(call.Args[0], func(n ast.Node) bool {
		field, ok := n.(*ast.SelectorExpr)
		if ok {
			c.defaults[field.Sel.Name] = append(c.defaults[field.Sel.Name], call.Args[1])
		}
		return !ok
	})
}

// units maps each duration constant in package time to its value in nanoseconds.
var units = map[string]time.Duration{
	"Nanosecond": time.Nanosecond, "Microsecond": time.Microsecond, "Millisecond": time.Millisecond,
	"Second": time.Second, "Minute": time.Minute, "Hour": time.Hour,
}

// value returns the value of a constant, or the default of a field such as "Options.Depth". It
// is a number, a size in bytes, or a time in nanoseconds.
func (c *constants) value(name string) (int64, error) {
	e, ok := c.named[name]
	if _, field, isField := strings.Cut(name, "."); isField {
		list := c.defaults[field]
		if len(list) != 1 {
			return 0, fmt.Errorf("%s has %d defaults", name, len(list))
		}
		e, ok = list[0], true
	}
	if !ok {
		return 0, fmt.Errorf("unknown constant %s", name)
	}
	v, err := c.eval(e)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	n, ok := constant.Int64Val(constant.ToInt(v))
	if !ok {
		return 0, fmt.Errorf("%s is not an integer", name)
	}
	return n, nil
}

// eval computes a constant expression that consists of integers, other constants in the
// directory, and constants in package time.
func (c *constants) eval(e ast.Expr) (constant.Value, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0), nil
	case *ast.Ident:
		n, err := c.value(e.Name)
		return constant.MakeInt64(n), err
	case *ast.SelectorExpr:
		if p, ok := e.X.(*ast.Ident); ok && p.Name == "time" && units[e.Sel.Name] != 0 {
			return constant.MakeInt64(int64(units[e.Sel.Name])), nil
		}
	case *ast.BinaryExpr:
		x, err := c.eval(e.X)
		if err != nil {
			return nil, err
		}
		y, err := c.eval(e.Y)
		if err != nil {
			return nil, err
		}
		if e.Op == token.SHL {
			n, _ := constant.Uint64Val(constant.ToInt(y))
			return constant.Shift(constant.ToInt(x), e.Op, uint(n)), nil
		}
		return constant.BinaryOp(x, e.Op, y), nil
	}
	return nil, fmt.Errorf("can't evaluate %T", e)
}

// parseLimit parses a limit in the tables, such as "8192", "1 Mi", "64 KiB", "10 s" or "8 h". It
// returns durations in nanoseconds.
func parseLimit(text string) (int64, error) {
	number, unit, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(strings.ReplaceAll(number, ",", ""), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("invalid limit %q: write 512, 1 Mi, 64 KiB or 10 s", text)
	}
	factor, ok := map[string]int64{
		"": 1, "bytes": 1, "Ki": 1 << 10, "Mi": 1 << 20, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
		"ms": int64(time.Millisecond), "s": int64(time.Second), "min": int64(time.Minute), "h": int64(time.Hour),
	}[unit]
	if !ok {
		return 0, fmt.Errorf("%q has an unknown unit", text)
	}
	return n * factor, nil
}
