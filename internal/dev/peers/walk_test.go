package peers

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	files "github.com/locus-url/locus/internal/command/walk"
)

// treeMaker creates random trees of files and ignore rules. Each run creates the same trees.
type treeMaker struct{ *rand.Rand }

func (g treeMaker) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g treeMaker) name() string {
	return g.pick("a", "b", "c", "ab", "abc", "a.o", "b.o", "x1", "x2", ".a", ".b.o", "c d", "-", "#a", "é")
}

// rule returns a random line of an ignore file.
func (g treeMaker) rule() string {
	parts := make([]string, 1+g.IntN(3))
	for i := range parts {
		parts[i] = g.pick(g.name(), g.name(), "*", "**", "*.o", "?", "a*", "x[12]", "[!a]", "[a-c]", "*b*", "\\#a", "\\"+g.pick("a", "b", "c"))
	}
	line := strings.Join(parts, "/")
	if g.IntN(4) == 0 {
		line = "/" + line
	}
	if g.IntN(4) == 0 {
		line += "/"
	}
	if g.IntN(3) == 0 {
		line = "!" + line
	}
	return line
}

func (g treeMaker) rules() string {
	var b strings.Builder
	for range 1 + g.IntN(4) {
		b.WriteString(g.rule() + g.pick("\n", "\n", "\r\n", " \n", "\n\n# \n"))
	}
	return b.String()
}

// makeTree creates a tree that contains ignore files with the given names.
func (g treeMaker) makeTree(t *testing.T, dir string, depth int, ruleFiles ...string) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range ruleFiles {
		if g.IntN(2) == 0 {
			write(name, g.rules())
		}
	}
	made := map[string]bool{}
	for range 2 + g.IntN(5) {
		name := g.name()
		switch {
		case made[name]:
		case depth > 0 && g.IntN(2) == 0:
			g.makeTree(t, filepath.Join(dir, name), depth-1, ruleFiles...)
		default:
			write(name, "")
		}
		made[name] = true
	}
}

// walked returns the sorted names of the files that package walk lists below dir.
func walked(t *testing.T, dir string, o *files.Options) []string {
	t.Helper()
	list := []string{}
	for f, err := range files.Files(context.Background(), []string{dir}, o) {
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(dir, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(rel, ".git/") {
			list = append(list, rel)
		}
	}
	slices.Sort(list)
	return list
}

// listed returns the sorted file names that a program lists in dir. The program must end each name
// with NUL.
func listed(t *testing.T, dir string, program string, args ...string) []string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 1 && len(out) == 0 {
		err = nil // ripgrep found no file
	}
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if name != "" && !strings.HasPrefix(name, ".git/") {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// report reports the difference between two lists, and the ignore rules of the tree.
func report(t *testing.T, dir string, got, want []string) {
	t.Helper()
	var rules strings.Builder
	filepath.WalkDir(dir, func(path string, _ os.DirEntry, _ error) error {
		switch base := filepath.Base(path); base {
		case ".gitignore", ".ignore", "exclude":
			text, _ := os.ReadFile(path)
			fmt.Fprintf(&rules, "%s: %q\n", path, text)
		}
		return nil
	})
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("only our walk lists %q", name)
		}
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("%q is not listed here", name)
		}
	}
	t.Fatalf("rules:\n%s", rules.String())
}

const trees = 100

func TestWalkAsGit(t *testing.T) {
	git := need(t, "git")
	for seed := range uint64(trees) {
		dir := filepath.Join(t.TempDir(), "t")
		g := treeMaker{rand.New(rand.NewPCG(seed, 1))}
		g.makeTree(t, dir, 3, ".gitignore")
		if out, err := exec.Command(git, "-c", "init.defaultBranch=main", "init", "-q", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte(g.rules()), 0o666); err != nil {
			t.Fatal(err)
		}
		got := walked(t, dir, &files.Options{Hidden: true})
		if want := listed(t, dir, git, "ls-files", "-z", "--others", "--exclude-standard"); !slices.Equal(got, want) {
			t.Logf("seed %d", seed)
			report(t, dir, got, want)
		}
	}
}

func TestWalkAsRipgrep(t *testing.T) {
	rg := need(t, "rg")
	for seed := range uint64(trees) {
		dir := filepath.Join(t.TempDir(), "t")
		g := treeMaker{rand.New(rand.NewPCG(seed, 2))}
		g.makeTree(t, dir, 3, ".gitignore", ".ignore")
		if seed%2 == 0 {
			if err := os.MkdirAll(filepath.Join(dir, ".git", "info"), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte(g.rules()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, row := range []struct {
			flag string
			o    files.Options
		}{{"--files", files.Options{}}, {"--hidden", files.Options{Hidden: true}}, {"--no-ignore", files.Options{NoIgnore: true}}} {
			got := walked(t, dir, &row.o)
			if want := listed(t, dir, rg, "--files", "--null", row.flag); !slices.Equal(got, want) {
				t.Logf("seed %d, %s", seed, row.flag)
				report(t, dir, got, want)
			}
		}
	}
}
