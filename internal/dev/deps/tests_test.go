package deps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// tests parses all test files of the module.
func tests(t *testing.T) (list []source, fset *token.FileSet) {
	t.Helper()
	fset = token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && isApart(name, d.Name()):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		rel = filepath.ToSlash(rel)
		list = append(list, source{path.Dir(rel), rel, file})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, fset
}

// A test must wait for an event. It may sleep in a loop between two checks for the event, and
// inside testing/synctest, where sleeping takes no time.
func TestTestsWaitForEvents(t *testing.T) {
	list, fset := tests(t)
	bubbles := map[string]bool{} // directories whose tests use synctest, so that their test servers may sleep
	for _, s := range list {
		if slices.ContainsFunc(s.file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing/synctest"` }) {
			bubbles[s.pkg] = true
		}
	}
	for _, s := range list {
		if bubbles[s.pkg] {
			continue
		}
		var loops []ast.Node
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				loops = append(loops, n)
			case *ast.SelectorExpr:
				if p, ok := n.X.(*ast.Ident); !ok || p.Name != "time" || n.Sel.Name != "Sleep" {
					break
				}
				if slices.ContainsFunc(loops, func(l ast.Node) bool { return l.Pos() <= n.Pos() && n.End() <= l.End() }) {
					break
				}
				t.Errorf("%s: a test sleeps for a fixed time: wait for an event, or use testing/synctest", fset.Position(n.Pos()))
			}
			return true
		})
	}
}

var (
	addressText = regexp.MustCompile(`^(.*):(\d*)$`)
	listeners   = []string{"Listen", "ListenPacket", "ListenAndServe", "ListenAndServeTLS"}
)

// Servers in tests listen on loopback, at a port that the kernel chooses.
func TestTestsUseLoopback(t *testing.T) {
	list, fset := tests(t)
	found := 0
	for _, s := range list {
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || !slices.Contains(listeners, f.Sel.Name) {
				return true
			}
			for _, argument := range call.Args {
				text, ok := argument.(*ast.BasicLit)
				if !ok || text.Kind != token.STRING {
					continue
				}
				address, _ := strconv.Unquote(text.Value)
				m := addressText.FindStringSubmatch(address)
				if m == nil {
					continue // a network name or the path of a socket
				}
				found++
				if !slices.Contains([]string{"127.0.0.1", "[::1]", "localhost"}, m[1]) || m[2] != "0" && m[2] != "" {
					t.Errorf("%s: listens at %q: use 127.0.0.1:0 or [::1]:0", fset.Position(text.Pos()), address)
				}
			}
			return true
		})
	}
	if found < 20 {
		t.Errorf("%d listeners found", found)
	}
}

// The documentation of each scheme with an opener describes what is rejected.
func TestSchemesSayWhatIsRefused(t *testing.T) {
	opened, err := filepath.Glob(filepath.Join(root, "scheme", "*", "client.go"))
	if err != nil || len(opened) < 12 {
		t.Fatalf("%d schemes with a client.go, %v", len(opened), err)
	}
	for _, name := range opened {
		if path.Base(filepath.Dir(name)) == "all" {
			continue // this package contains the client of all schemes
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(name), "doc.go"))
		if err != nil {
			t.Error(err)
		} else if !strings.Contains(strings.ToLower(string(text)), "refuse") {
			t.Errorf("%s/doc.go does not say what is refused", filepath.Dir(name))
		}
	}
}
