package access

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// A response that arrives at the time limit is a response or a timeout, depending on
// which goroutine runs first.
func TestAnswerAtTheLimit(t *testing.T) {
	const limit = 50 * time.Millisecond
	late := scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		time.Sleep(limit)
		return page(req.URL, "object", "late")
	})
	failed := scheme.OpenerFunc(func(context.Context, *scheme.Request) (scheme.Resource, error) {
		time.Sleep(limit)
		return nil, scheme.ErrNotFound
	})
	synctest.Test(t, func(t *testing.T) {
		for range 2000 {
			for _, o := range []scheme.Opener{late, failed} {
				c := New(registry(t, o), policy.Policy{}, &Options{Timeout: limit})
				res, err := c.Do(t.Context(), Request{URL: parse("http://a.example/")})
				switch {
				case err == nil:
					res.Resource.Close()
				case err.Error() == "", errors.Unwrap(err) == nil, KindOf(err) != Timeout && KindOf(err) != NotFound:
					t.Fatalf("%q: %v", KindOf(err), err)
				}
				c.Close()
			}
		}
	})
}

// The caller's context may end at the same time too.
func TestCancelledAtTheLimit(t *testing.T) {
	const limit = 50 * time.Millisecond
	late := scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		time.Sleep(limit)
		return page(req.URL, "menu", "http://b.example/")
	})
	synctest.Test(t, func(t *testing.T) {
		for range 2000 {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			c := New(registry(t, late), policy.Policy{}, &Options{Timeout: limit})
			res, err := c.Do(ctx, Request{URL: parse("http://a.example/")})
			if err == nil {
				for _, err = range res.Resource.(*scheme.Menu).Items {
				}
				res.Resource.Close()
			}
			if err != nil && (err.Error() == "" || KindOf(err) != Timeout) {
				t.Fatalf("%q: %v", KindOf(err), err)
			}
			cancel()
			c.Close()
		}
	})
}

// An error always has a cause.
func TestErrorWithoutCause(t *testing.T) {
	for _, e := range []*Error{{}, {Op: "open", URL: parse("http://a.example/")}, NewError("read", parse("http://a.example/"), nil), NewError("", locus.URL{}, nil)} {
		if !strings.Contains(e.Error(), "unknown cause") || e.Unwrap() == nil || KindOf(e) != Protocol || !errors.Is(e, scheme.ErrProtocol) {
			t.Errorf("%v", e)
		}
	}
	if err := NewError("open", parse("http://a.example/"), scheme.ErrNotFound); KindOf(err) != NotFound || err.Err != scheme.ErrNotFound {
		t.Errorf("%v", err)
	}
}

// Other packages of the module make an Error only with NewError.
func TestOnlyNewErrorMakesErrors(t *testing.T) {
	made := 0
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "..":
			if _, err := os.Stat(filepath.Join(name, "go.mod")); err == nil || d.Name() == "testdata" || d.Name()[0] == '.' {
				return fs.SkipDir
			}
			return nil
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		own := filepath.Dir(name) == filepath.Join("..", "access")
		within := ""
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				within = n.Name.Name
			case *ast.CompositeLit:
				if !isAccessError(n.Type, own) {
					return true
				}
				if made++; !own || within != "NewError" {
					t.Errorf("%s: an access.Error that NewError did not make", fset.Position(n.Pos()))
				}
			}
			return true
		})
		return nil
	})
	if err != nil || made != 1 {
		t.Errorf("%d places make one: %v", made, err)
	}
}

// isAccessError reports whether a type is the type Error of this package. The file is in this
// package if isInside is true.
func isAccessError(e ast.Expr, isInside bool) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return isInside && e.Name == "Error"
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		return ok && x.Name == "access" && e.Sel.Name == "Error"
	}
	return false
}

// A second iteration over a menu yields an error.
func TestSecondLoop(t *testing.T) {
	w := &fixture{names: names("a.example"), pages: map[string]string{"http://a.example/": "menu http://b.example/"}}
	c := w.client(t, policy.Rules{}, nil, nil)
	res, err := c.Do(t.Context(), Request{URL: parse("http://a.example/")})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Resource.Close()
	m := res.Resource.(*scheme.Menu)
	for i := range 2 {
		n := 0
		for _, err := range m.Items {
			n++
			var e *Error
			if i == 0 && err != nil || i == 1 && (!errors.Is(err, errUsed) || !errors.As(err, &e)) {
				t.Errorf("loop %d: %v", i, err)
			}
		}
		if n != 1 {
			t.Errorf("loop %d: %d items", i, n)
		}
	}
}
