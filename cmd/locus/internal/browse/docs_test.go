package browse

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The screens of the guide are those of the golden files.
func TestGuideScreens(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/browse.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"menu-80x24", "directory-80x24", "form-80x24", "menu-40x20", "kept-hosts-80x24"} {
		golden, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		screen, _, _ := strings.Cut(string(golden), "cursor: ")
		if !strings.Contains(string(text), "```text\n"+screen+"```\n") {
			t.Errorf("docs/browse.md does not have the screen %s:\n%s", name, screen)
		}
	}
	// And its keys are those of the program.
	for _, b := range bindings() {
		if row := "| `" + keyName(b.keys[0]) + "`"; !strings.Contains(string(text), row) {
			t.Errorf("docs/browse.md has no row %q: %s", row, b.text)
		}
	}
}
