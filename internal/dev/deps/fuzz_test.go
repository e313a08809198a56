package deps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxCorpus is the maximum total size of the committed fuzz inputs, in bytes.
const maxCorpus = 2 << 20

// fuzzTarget describes a fuzz target in the source.
type fuzzTarget struct {
	adds   int  // number of calls of f.Add, each of which may be in a loop
	seeds  bool // the target adds seeds, or calls a function that adds seeds
	checks bool // the target can fail, or calls a function that checks
}

// Each fuzz target of each module has seeds and checks something, and each committed input belongs
// to a target. With -v, the test lists the targets.
func TestFuzzTargets(t *testing.T) {
	targets := map[string]fuzzTarget{}
	inputs := map[string]int{}
	size := int64(0)
	err := filepath.WalkDir("../../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
			return filepath.SkipDir
		case strings.HasSuffix(path, "_test.go"):
			return readTargets(path, targets)
		}
		if dir, name, ok := strings.Cut(filepath.ToSlash(filepath.Dir(path)), "/testdata/fuzz/"); ok && !d.IsDir() {
			info, err := d.Info()
			if err != nil {
				return err
			}
			inputs[dir+"/"+name]++
			size += info.Size()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(targets)) {
		target := targets[name]
		t.Logf("%s: %d calls of Add, %d committed inputs", name, target.adds, inputs[name])
		if !target.seeds {
			t.Errorf("%s: it has no seeds", name)
		}
		if !target.checks {
			t.Errorf("%s: it checks nothing but that it ends", name)
		}
	}
	for name := range inputs {
		if _, ok := targets[name]; !ok {
			t.Errorf("%s: these inputs are of an unknown target", name)
		}
	}
	if size > maxCorpus {
		t.Errorf("the inputs have %d bytes; at most %d", size, maxCorpus)
	}
	if len(targets) < 250 {
		t.Errorf("only %d targets were found", len(targets))
	}
}

// readTargets adds the targets of a file.
func readTargets(path string, targets map[string]fuzzTarget) error {
	source, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(source), "\nfunc Fuzz") {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") && len(f.Type.Params.List) == 1 {
			targets[filepath.ToSlash(filepath.Dir(path))+"/"+f.Name.Name] = judge(f.Body)
		}
	}
	return nil
}

// judge looks for calls that add seeds and for checks. By convention, the parameter of a fuzz
// target is f, and the parameter of its function is t.
func judge(body ast.Node) (target fuzzTarget) {
	isName := func(e ast.Expr, name string) bool {
		ident, ok := e.(*ast.Ident)
		return ok && ident.Name == name
	}
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if method, ok := call.Fun.(*ast.SelectorExpr); ok {
			switch {
			case isName(method.X, "f") && method.Sel.Name == "Add":
				target.adds++
				target.seeds = true
			case isName(method.X, "f") && method.Sel.Name == "Fuzz":
				// A named function counts as a check.
				if _, literal := call.Args[0].(*ast.FuncLit); !literal {
					target.checks = true
				}
			case isName(method.X, "t") && slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf"}, method.Sel.Name):
				target.checks = true
			}
		}
		for _, arg := range call.Args {
			if isName(arg, "f") {
				target.seeds, target.checks = true, true
			}
			target.checks = target.checks || isName(arg, "t")
		}
		return true
	})
	return target
}
