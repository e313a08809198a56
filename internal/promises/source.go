package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// testFolder has the functions of the tests in a folder, for every system.
type testFolder struct {
	functions map[string][]*ast.FuncDecl // by name: two packages may share one
}

func readTests(folder string) (*testFolder, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return nil, err
	}
	f := &testFolder{functions: map[string][]*ast.FuncDecl{}}
	fset := token.NewFileSet()
	for _, name := range names {
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if function, ok := d.(*ast.FuncDecl); ok && function.Body != nil {
				f.functions[function.Name.Name] = append(f.functions[function.Name.Name], function)
			}
		}
	}
	return f, nil
}

// check says why a test can't hold a promise: it is missing, or always skips.
func (f *testFolder) check(n testName) error {
	list := f.functions[n.function]
	i := slices.IndexFunc(list, func(d *ast.FuncDecl) bool { return d.Recv == nil })
	if i < 0 {
		return fmt.Errorf("%s: unknown test", n)
	}
	for _, statement := range list[i].Body.List {
		if e, ok := statement.(*ast.ExprStmt); ok && isSkip(e.X) {
			return fmt.Errorf("%s always skips", n)
		}
	}
	return nil
}

// isSkip reports whether e is a call such as t.Skip("...").
func isSkip(e ast.Node) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, s.Sel.Name)
}

// needsCI reports whether a test, or a function of its folder that it calls, skips
// without CI in the environment.
func (f *testFolder) needsCI(name string) bool {
	seen := map[string]bool{}
	var visit func(name string) bool
	visit = func(name string) bool {
		if seen[name] {
			return false
		}
		seen[name] = true
		for _, d := range f.functions[name] {
			asks, skips, calls := false, false, []string(nil)
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					asks = asks || n.Value == `"CI"`
				case *ast.CallExpr:
					skips = skips || isSkip(n)
				case *ast.Ident:
					calls = append(calls, n.Name)
				}
				return true
			})
			if asks && skips || slices.ContainsFunc(calls, visit) {
				return true
			}
		}
		return false
	}
	return visit(name)
}

// runsWithCI reports whether a line of the script tests a folder with CI=true.
func runsWithCI(script, folder string) bool {
	for line := range strings.Lines(script) {
		line, _, _ = strings.Cut(line, "#")
		if !strings.Contains(line, "CI=true") {
			continue
		}
		if strings.Contains(line, "go test") && (strings.Contains(line, "./"+folder) || strings.Contains(line, "(cd "+folder+" ")) {
			return true
		}
	}
	return false
}
