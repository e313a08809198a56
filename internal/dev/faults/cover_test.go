package faults

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../../.."

// keepers lists the packages that store data on disk. Each of them has a test that calls Run.
var keepers = []string{
	"archive", "cache", "internal/bulk", "cmd/locus/internal/browse", "internal/command/verify", "mailstore", "mirror", "scheme/gemini", "transfer", "verify", "warc",
}

// elsewhere maps packages that write files but do not call Run to the reason.
var elsewhere = map[string]string{
	"internal/store":               "the database of cache, mailstore and verify, which are in the matrix; its own tests damage it after a kill",
	"internal/wholefile":           "files of packages that are in the matrix, such as mirror and transfer",
	"cmd/locus/internal/open":      "a draft in a temporary file, which the user's editor keeps while it is written",
	"cmd/locus/internal/show":      "a temporary file for the pager",
	"cmd/locus/internal/configure": "makes a configuration once, and never changes one",
	"cmd/locus/internal/get":       "writes to a folder to learn whether it can",
	"internal/command/help":        "pages that can be made again",
	"internal/command/clitest":     "for tests",
	"internal/command/scripttest":  "for tests",
	"internal/command/walk":        "it only reads",
	"submit":                       "a message in a new file, in one piece",
	"internal/tour":                "the tour's files end with it",
	"internal/dev/faults":          "the matrix itself",
	"internal/command/base":        "opens archives of package warc, and files that the user names, which transfer writes",
	"lens":                         "programs of other parsers are unpacked into a temporary folder",
	"profile/whatwg":               "a tool that makes tables",
	"scheme/file":                  "it only reads",
	"cmd/locus/internal/syntax":    "output that can be made again",
}

// writes matches calls that write files.
var writes = regexp.MustCompile(`\b(os\.(Rename|Create|CreateTemp|MkdirTemp|WriteFile|OpenFile|Link)|filelock\.Try|wholefile\.\w+)\(|\.(OpenFile|Rename)\(`)

// packagesWith returns the packages in this module with matching files.
func packagesWith(t *testing.T, match *regexp.Regexp) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			_, own := os.Stat(filepath.Join(name, "go.mod"))
			if name != root && (own == nil || e.Name() == "testdata" || e.Name()[0] == '.') {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		octets, err := os.ReadFile(name)
		if err == nil && match.Match(octets) {
			rel, err := filepath.Rel(root, filepath.Dir(name))
			if err != nil {
				return err
			}
			found[filepath.ToSlash(rel)] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// renames maps packages that rename files to the reason. All other packages replace files with
// internal/wholefile.
var renames = map[string]string{
	"internal/wholefile": "the way to replace a file",
	"internal/store":     "sets a damaged database aside",
	"mirror":             "gives many parts their names without writing each to the disk: the next run finds a file that a power cut emptied",
	"transfer":           "gives a part its name, which an interrupted download continues, and replaces no file that appeared meanwhile",
}

// Packages replace files only with internal/wholefile.
func TestRenames(t *testing.T) {
	found := packagesWith(t, regexp.MustCompile(`\.Rename\(`))
	for name := range found {
		if renames[name] == "" {
			t.Errorf("%s renames files: use internal/wholefile", name)
		}
	}
	for name := range renames {
		if !found[name] {
			t.Errorf("%s renames no files any more", name)
		}
	}
}

// Every package that writes files calls Run, or has a reason why it does not.
func TestEveryPackage(t *testing.T) {
	found := packagesWith(t, writes)
	for name := range found {
		if _, exempt := elsewhere[name]; !exempt && !slices.Contains(keepers, name) {
			t.Errorf("%s writes files: give it a test that calls faults.Run, or a reason in elsewhere", name)
		}
	}
	for name := range elsewhere {
		if !found[name] {
			t.Errorf("%s writes no files any more", name)
		}
	}
	for _, name := range keepers {
		octets, err := os.ReadFile(filepath.Join(root, name, "fault_test.go"))
		if err != nil || !strings.Contains(string(octets), "func TestFaults(t *testing.T) {") || !strings.Contains(string(octets), "\tfaults.Run(t, ") {
			t.Errorf("%s: fault_test.go does not run the matrix: %v", name, err)
		}
	}
}
