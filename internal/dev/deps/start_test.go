package deps

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"testing"
)

// compilers lists functions that are slow in comparison with a short run of the command.
var compilers = []string{"regexp.MustCompile", "template.Must"}

// tools lists packages that are not part of the command.
var tools = []string{"internal/dev/promises", "internal/dev/voice"}

// Package variables must compile expressions and templates at the first use, with
// sync.OnceValue, because every run pays for work at its start.
func TestNothingIsCompiledAtStart(t *testing.T) {
	list, fset := sources(t)
	for _, s := range list {
		if slices.Contains(tools, s.pkg) {
			continue
		}
		for _, decl := range s.file.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok || d.Tok != token.VAR {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if ok && slices.Contains(compilers, types.ExprString(call.Fun)) {
					t.Errorf("%s: %s runs at every start; use sync.OnceValue", fset.Position(call.Pos()), types.ExprString(call.Fun))
				}
				_, isFunc := n.(*ast.FuncLit)
				return !isFunc
			})
		}
	}
}
