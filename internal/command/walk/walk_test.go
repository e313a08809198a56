package walk_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/locus-url/locus/internal/command/walk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree creates files in a new directory. A name that ends in "/" creates a directory, and
// "name=text" creates a file with the given text.
func tree(t *testing.T, list ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, item := range list {
		name, text, _ := strings.Cut(item, "=")
		path := filepath.Join(root, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(path, 0o777); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// files returns the paths of the listed files below root, with "/" as the separator.
func files(t *testing.T, root string, o *walk.Options) (list []string) {
	t.Helper()
	for f, err := range walk.Files(context.Background(), []string{root}, o) {
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(root, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, filepath.ToSlash(rel))
	}
	return list
}

func TestFiles(t *testing.T) {
	for _, row := range []struct {
		name string
		tree []string
		o    walk.Options
		want string
	}{
		{"sorted, directories among files", []string{"b", "a/z", "a/b/c", "a.txt"}, walk.Options{}, "a/b/c a/z a.txt b"},
		{"hidden", []string{".a", "b", ".c/d"}, walk.Options{}, "b"},
		{"hidden are wanted", []string{".a", "b", ".c/d"}, walk.Options{Hidden: true}, ".a .c/d b"},
		{".gitignore without a repository", []string{".gitignore=a", "a", "b"}, walk.Options{}, "a b"},
		{".gitignore", []string{".git/", ".gitignore=a", "a", "b", "c/a/d"}, walk.Options{}, "b"},
		{".ignore needs none", []string{".ignore=a", "a", "b"}, walk.Options{}, "b"},
		{"no rules", []string{".git/", ".ignore=a", ".gitignore=b", "a", "b"}, walk.Options{NoIgnore: true}, "a b"},
		{"a nested one comes first", []string{".git/", ".gitignore=*.o", "a/.gitignore=!x.o", "a/x.o", "a/y.o", "b/x.o"}, walk.Options{}, "a/x.o"},
		{"the last rule counts", []string{".git/", ".gitignore=*.o\n!x.o\nx.*", "x.o", "z.o"}, walk.Options{}, ""},
		{".ignore comes before .gitignore", []string{".git/", ".gitignore=a", ".ignore=!a", "a"}, walk.Options{}, "a"},
		{"a far .ignore before a near .gitignore", []string{".git/", "d/.gitignore=a", ".ignore=!a", "d/a"}, walk.Options{}, "d/a"},
		{"nothing in an ignored directory", []string{".git/", ".gitignore=d\n!d/a", "d/a"}, walk.Options{}, ""},
		{"the entries of a directory", []string{".git/", ".gitignore=d/*\n!d/a", "d/a", "d/b"}, walk.Options{}, "d/a"},
		{"anchored", []string{".git/", ".gitignore=/a\nb/c", "a", "d/a", "b/c", "d/b/c"}, walk.Options{}, "d/a d/b/c"},
		{"only directories", []string{".git/", ".gitignore=a/", "a/b", "c/a"}, walk.Options{}, "c/a"},
		{"any depth", []string{".git/", ".gitignore=**/a\nb/**\nc/**/d", "x/a", "b/y/z", "c/d", "c/x/y/d", "d"}, walk.Options{}, "d"},
		{"exclude", []string{".git/info/exclude=a", ".gitignore=!b", "a", "b"}, walk.Options{}, "b"},
		{"a repository in another", []string{".git/", ".gitignore=a", "r/.git/", "r/a", "s/a"}, walk.Options{}, "r/a"},
		{"a submodule's .git is a file", []string{".git/", ".gitignore=a", "r/.git=gitdir: x", "r/a"}, walk.Options{}, "r/a"},
		{"hidden, but wanted", []string{".ignore=!.a", ".a", ".b"}, walk.Options{}, ".a"},
		{"comments, blanks, escapes", []string{".ignore=#a\n\\#b\nc \nd\\ \n\\!e\r\n", "#a", "#b", "c", "d ", "!e"}, walk.Options{}, "#a"},
		{"classes", []string{".ignore=[a-c]1\n[!a-c]2\n[[:digit:]]x\n[]]y\n[", "a1", "d1", "a2", "d2", "7x", "zx", "]y", "["}, walk.Options{}, "[ a2 d1 zx"},
		{"one character", []string{".ignore=?.x\n*.t*t", "a.x", "ab.x", "a.txt", "a.tx"}, walk.Options{}, "a.tx ab.x"},
		{"bad rules match nothing", []string{".ignore=a\\\n[b\n[[:no:]]\n/\n!\n", "a", "b"}, walk.Options{}, "a b"},
		{"packages", []string{"a", "b/node_modules/c/d", "node_modules/e"}, walk.Options{}, "a"},
		{"packages are wanted", []string{"a", "node_modules/e"}, walk.Options{NoIgnore: true}, "a node_modules/e"},
		{"packages, but wanted", []string{".ignore=!node_modules", "node_modules/e"}, walk.Options{}, "node_modules/e"},
		{"a file of that name", []string{"node_modules"}, walk.Options{}, "node_modules"},
		{"a mark of UTF-8", []string{".ignore=\uFEFFa", "a", "b"}, walk.Options{}, "b"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := strings.Join(files(t, tree(t, row.tree...), &row.o), " "); got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

// Ignore files in the parent directories of the root apply. The user's own ignore file applies
// only in a repository.
func TestRulesAboveRoot(t *testing.T) {
	root := tree(t, ".git/", ".gitignore=*.o\n/sub/x", "sub/a.o", "sub/x", "sub/y", "sub/z", "own=z\n/sub/y")
	if got := files(t, filepath.Join(root, "sub"), nil); !slices.Equal(got, []string{"y", "z"}) {
		t.Errorf("files below sub = %q, want %q", got, []string{"y", "z"})
	}
	if got := files(t, filepath.Join(root, "sub"), &walk.Options{Global: filepath.Join(root, "own")}); len(got) != 0 {
		t.Errorf("with the user's own rules: %q", got)
	}
	outside := tree(t, "y", "z")
	if got := files(t, outside, &walk.Options{Global: filepath.Join(root, "own")}); !slices.Equal(got, []string{"y", "z"}) {
		t.Errorf("outside: %q", got)
	}
}

func TestRoots(t *testing.T) {
	root := tree(t, ".ignore=a", "a", "b", "d/c")
	missing := filepath.Join(root, "missing")
	var got []string
	for f, err := range walk.Files(context.Background(), []string{filepath.Join(root, "a"), missing, filepath.Join(root, "d")}, nil) {
		var pathErr *fs.PathError
		switch {
		case errors.As(err, &pathErr) && errors.Is(err, fs.ErrNotExist) && pathErr.Path == missing:
			got = append(got, "missing")
		case err != nil:
			t.Fatal(err)
		case f.Named:
			got = append(got, "named "+filepath.Base(f.Path))
		default:
			got = append(got, filepath.Base(f.Path))
		}
	}
	if want := []string{"named a", "missing", "c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Many directories come in order, and an interrupt ends the iteration.
func TestIgnored(t *testing.T) {
	root := tree(t, ".git/", ".gitignore=/out/\n*.log\n!a.log", "d/.gitignore=built", "d/x")
	for name, want := range map[string]bool{
		"out": true, "out/a/b.html": true, "a.log": false, "b.log": true, "none/b.log": true, "d/built/x": true, "built": false, "none.md": false, "d/out/x": false,
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if walk.Ignored(path, &walk.Options{}) != want || walk.Ignored(path, &walk.Options{NoIgnore: true}) {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

// A root is listed even if its name is node_modules.
func TestPackagesAsRoot(t *testing.T) {
	root := filepath.Join(tree(t, "node_modules/a/b"), "node_modules")
	if got := files(t, root, nil); !slices.Equal(got, []string{"a/b"}) {
		t.Errorf("files of a root node_modules = %q, want %q", got, []string{"a/b"})
	}
}

func TestMany(t *testing.T) {
	var list []string
	for i := range 40 {
		for j := range 20 {
			list = append(list, "d"+string(rune('A'+i))+"/e"+string(rune('a'+j))+"/f")
		}
	}
	slices.Sort(list)
	root := tree(t, list...)
	if got := files(t, root, nil); !slices.Equal(got, list) {
		t.Errorf("%d files, want %d in order", len(got), len(list))
	}
	for range walk.Files(context.Background(), []string{root}, nil) {
		break
	}
	ctx, cancel := context.WithCancel(context.Background())
	n, last := 0, error(nil)
	for _, err := range walk.Files(ctx, []string{root, root}, nil) {
		if n++; n == 10 {
			cancel()
		}
		last = err
	}
	if !errors.Is(last, context.Canceled) || n > 12 {
		t.Errorf("%d files after an interrupt at 10, and then %v", n, last)
	}
	cancel()
}

func TestDotRoots(t *testing.T) {
	t.Chdir(tree(t, "a", "b/c"))
	var got []string
	for f, err := range walk.Files(context.Background(), []string{".", "./b"}, nil) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(f.Path))
	}
	if want := []string{"a", "b/c", "b/c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTooManyRules(t *testing.T) {
	root := tree(t, ".ignore="+strings.Repeat("a\n", 1<<19+1), "a")
	var paths, errs int
	for _, err := range walk.Files(context.Background(), []string{root}, nil) {
		if err != nil {
			errs++
		} else {
			paths++
		}
	}
	if paths != 1 || errs != 1 {
		t.Errorf("%d files and %d errors", paths, errs)
	}
}

func TestGlobalIgnore(t *testing.T) {
	home := tree(t, ".gitconfig=[user]\n\texcludesfile = no\n[core]\n\texcludesFile = ~/mine\n")
	env := map[string]string{"HOME": home}
	if got := walk.GlobalIgnore(func(name string) string { return env[name] }); got != filepath.Join(home, "mine") {
		t.Errorf("GlobalIgnore with ~/.gitconfig = %q, want %q", got, filepath.Join(home, "mine"))
	}
	home = tree(t, "config/git/config=[core]\nautocrlf = no\n")
	env = map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "config")}
	if got := walk.GlobalIgnore(func(name string) string { return env[name] }); got != filepath.Join(home, "config", "git", "ignore") {
		t.Errorf("GlobalIgnore with XDG_CONFIG_HOME = %q, want %q", got, filepath.Join(home, "config", "git", "ignore"))
	}
	if got := walk.GlobalIgnore(func(string) string { return "" }); got != "" {
		t.Errorf("GlobalIgnore without an environment = %q, want none", got)
	}
}
