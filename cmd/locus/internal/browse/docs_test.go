package browse

import (
	"os"
	"strings"
	"testing"
)

// The guide shows the picture that TestPicture compares with a screen, and lists every key.
func TestGuide(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/browse.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "](pictures/browse.svg)") {
		t.Error("docs/browse.md does not show pictures/browse.svg")
	}
	for _, b := range bindings() {
		if row := "| `" + keyName(b.keys[0]) + "`"; !strings.Contains(string(text), row) {
			t.Errorf("docs/browse.md has no row %q: %s", row, b.text)
		}
	}
}
