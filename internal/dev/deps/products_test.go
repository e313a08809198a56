package deps

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// products lists the directories of each product, relative to the root of the repository. A
// directory includes its subdirectories, except subdirectories in this table.
var products = map[string][]string{
	"core":     {".", "access", "escape", "extract", "policy", "profile", "relative"},
	"schemes":  {"scheme", "tn3270"},
	"verify":   {"document", "verify"},
	"gateway":  {"gateway", "browser"},
	"archives": {"archive", "cache", "mirror", "transfer", "warc"},
	"mail":     {"mailstore", "message", "submit"},
	"lists":    {"internal/bulk", "internal/lines"},
	"lens":     {"lens"},
	"browser":  {"cmd/locus/internal/browse"},
	"fleet":    {"fleet", "contrib/fleet"},
	"beam":     {"beam", "contrib/beam"},
	"tracing":  {"otel"},
	"command":  {"cmd/locus", "internal/command"},
	"tools":    {".ci", "bench", "contrib", "docs", "internal/dev", "testdata"},
}

// shared is the product of packages in internal that several products import.
const shared = "internal"

// oneOwner maps packages in internal that only one product imports to the reason.
var oneOwner = map[string]string{
	"internal/nvt": "internal/dev/peers tests it against a real Telnet server, and may not import scheme/internal",
}

// productOf returns the product to which a directory belongs, or "". Directories below "." need
// their own entries.
func productOf(folder string) string {
	for {
		for product, folders := range products {
			if slices.Contains(folders, folder) {
				return product
			}
		}
		switch parent := path.Dir(folder); {
		case folder == shared:
			return shared
		case parent == ".":
			return ""
		default:
			folder = parent
		}
	}
}

// isSupport reports whether a directory below internal contains test helpers or code generators.
func isSupport(folder string) bool {
	return strings.HasSuffix(folder, "test") || folder == "internal/octet/asm"
}

// goPackage is a package of any module of the repository.
type goPackage struct {
	name    string
	doc     string          // package comment that states the purpose of the package
	imports map[string]bool // directories in the repository, with imports in tests
	inCode  map[string]bool // like imports, without the imports in tests
}

// goPackages returns the packages of all modules by folder.
func goPackages(t *testing.T) map[string]*goPackage {
	t.Helper()
	found := map[string]*goPackage{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (d.Name() == "testdata" || d.Name()[0] == '.' || d.Name()[0] == '_'):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		p := found[folder]
		if p == nil {
			p = &goPackage{imports: map[string]bool{}, inCode: map[string]bool{}}
			found[folder] = p
		}
		p.add(file, strings.HasSuffix(name, "_test.go"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 100 {
		t.Fatalf("found %d packages, want at least 100", len(found))
	}
	return found
}

// add adds the data in a file.
func (p *goPackage) add(file *ast.File, isTest bool) {
	if !isTest || p.name == "" {
		p.name = strings.TrimSuffix(file.Name.Name, "_test")
	}
	// Several files can contain a package comment. Use the comment that states the purpose.
	if text := file.Doc.Text(); p.doc == "" || strings.HasPrefix(text, "Package ") {
		p.doc = text
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // unreachable, because the parser accepted the import
		}
		own, ours := strings.CutPrefix(imported, module)
		if own = strings.TrimPrefix(own, "/"); !ours {
			continue
		} else if own == "" {
			own = "."
		}
		p.imports[own] = true
		if !isTest {
			p.inCode[own] = true
		}
	}
}

// importers returns the products that import a folder, or import a shared package that
// imports it. The folder's own product and developer tools don't count.
func importers(packages map[string]*goPackage, folder string, tests bool) []string {
	list := map[string]bool{}
	seen := map[string]bool{folder: true}
	for next := []string{folder}; len(next) > 0; {
		here := next[0]
		next = next[1:]
		for name, p := range packages {
			if name == here || seen[name] || !p.inCode[here] && !(tests && p.imports[here]) {
				continue
			}
			product := productOf(name)
			if product == shared {
				seen[name] = true
				next = append(next, name)
			} else if product != productOf(folder) && product != "tools" {
				list[product] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(list))
}

// A package in internal serves at least two products, or serves tests. A package with one
// owner moves to its owner.
func TestShared(t *testing.T) {
	packages := goPackages(t)
	for _, folder := range slices.Sorted(maps.Keys(packages)) {
		if productOf(folder) != shared || isSupport(folder) {
			continue
		}
		owners := importers(packages, folder, true)
		reason := oneOwner[folder]
		switch {
		case len(owners) < 2 && reason == "":
			t.Errorf("%s is imported by the products %q, want at least two: move it to its owner", folder, owners)
		case len(owners) >= 2 && reason != "":
			t.Errorf("%s is imported by the products %q: remove it from oneOwner", folder, owners)
		}
	}
	for folder := range oneOwner {
		if packages[folder] == nil {
			t.Errorf("oneOwner has %s, which does not exist", folder)
		}
	}
}

// The package comment of each package states its purpose in one sentence.
func TestPackagesHaveASummary(t *testing.T) {
	for folder, p := range goPackages(t) {
		begins := "Package " + p.name + " "
		if p.name == "main" {
			begins = "Command " + path.Base(folder) + " "
		}
		if !strings.HasPrefix(p.doc, begins) {
			line, _, _ := strings.Cut(p.doc, "\n")
			t.Errorf("the documentation of %s begins %q, want %q", folder, line, begins)
		}
	}
}

// docs/dev/map.md and CODEOWNERS name the products, their folders and their importers.
func TestProductMap(t *testing.T) {
	page, owners := readFile(t, "docs/dev/map.md"), readFile(t, ".github/CODEOWNERS")
	packages := goPackages(t)
	importing := map[string][]string{} // maps each product to its importers
	for folder := range packages {
		product := productOf(folder)
		switch {
		case product == "":
			t.Errorf("%s belongs to no product: add its folder to products", folder)
		case product == shared:
			top := strings.Join(strings.Split(folder, "/")[:2], "/")
			if got := strings.Count(page, "`"+top+"`"); got != 1 {
				t.Errorf("docs/dev/map.md names %s %d times, want once", top, got)
			}
		default:
			importing[product] = append(importing[product], importers(packages, folder, false)...)
		}
	}
	for product, folders := range products {
		for _, folder := range folders {
			if _, err := os.Stat(filepath.Join(root, folder)); err != nil {
				t.Errorf("products has a folder that does not exist: %v", err)
			}
			line := "/" + folder + "/ @locus-url/" + product + "\n"
			if folder == "." {
				line = "* @locus-url/" + product + "\n"
			}
			if !strings.Contains("\n"+owners, "\n"+line) {
				t.Errorf(".github/CODEOWNERS has no line %q", line)
			}
		}
		names := slices.Compact(slices.Sorted(slices.Values(importing[product])))
		row := "| " + product + " | `" + strings.Join(folders, "`, `") + "` | " + strings.Join(names, ", ") + " |"
		row = strings.ReplaceAll(row, "|  |", "| none |")
		if got := strings.Count(page, "\n"+row); got != 1 {
			t.Errorf("docs/dev/map.md has %d rows that begin %q, want 1", got, row)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
